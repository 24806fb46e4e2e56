import { sql } from 'kysely'
import { openNewsletter } from '../support/newsletter-api.ts'
import { PASSWORD } from '../support/people.ts'
import { until } from '../support/until.ts'
import type { FaultWorld, Part, Reply } from './fault-world.ts'
import { SHOP_ORIGIN } from './fault-world.ts'

/** One request, ready to be sent, and sent again. */
export type Shot = {
  ask: () => Promise<Reply>
  /** With an idempotency key: asked again it is the same, of which this is the name. */
  nameOf?: (reply: Reply) => string
  /** What was acknowledged: a sentence when it is not there. */
  missing?: (reply: Reply) => Promise<string | undefined>
  /** What the worker still has to do after an acknowledged request. */
  isThrough?: (reply: Reply) => Promise<boolean>
}
export type Probe = {
  name: string
  /** Whose faults may refuse it. Anything else must go well whatever is broken. */
  needs: readonly Part[]
  done: (reply: Reply) => boolean
  prepare: () => Promise<Shot>
}

const status =
  (...wanted: number[]) =>
  (reply: Reply) =>
    wanted.includes(reply.status)

/** A few routes of each kind: what they read, write and ask of others differs. The shop is in the second cell. */
export async function openProbes(world: FaultWorld): Promise<Probe[]> {
  const { ask, make, people, twin, idp, mailServer, newKey } = world
  const shop = await make.shop({ cell: 'second' })
  const elsewhere = await make.shop({ cell: 'main' })
  const [product, other] = [await make.product(shop), await make.product(elsewhere)]
  const free = await make.product(shop, {
    variants: [
      {
        id: 'one',
        pricing: { markets: [{ marketId: 'us', price: 0 }] },
        inventory: { tracked: true, quantity: 100_000 },
      },
    ],
  })
  const stocked = await make.product(shop, {
    variants: [
      {
        id: 'one',
        pricing: { markets: [{ marketId: 'us', price: 1_000 }] },
        inventory: { tracked: true, quantity: 100_000 },
      },
    ],
  })
  const newsletter = await openNewsletter(make, { cell: 'second' })
  await newsletter.fill(2)
  const { token } = shop.admin
  const orders = `${shop.path}/orders`
  const cart = ({ id }: { id: string }) => ({ market: 'us', items: [{ productId: id, variantId: 'one', quantity: 1 }] })
  const payable = async () => {
    const { status: answered, body, text } = await (await make.guest()).post(`${orders}/checkout`, cart(stocked))
    if (answered !== 200) throw new Error(text)
    return { id: body.orderId as string, pageId: String(body.checkoutUrl).split('/').at(-1) ?? '' }
  }
  const stateOf = async (id: string) => {
    const { rows } = await sql<{ state: string }>`
      select status || '/' || payment_status as state from orders.orders where business_id = ${shop.id} and id = ${id}`.execute(
      shop.db,
    )
    return rows[0]?.state
  }
  const paid = await payable()
  twin.pay(paid.pageId)
  await until('an order is paid', async () => (await stateOf(paid.id)) === 'PROCESSING/PAID', { withinMs: 30_000 })

  const missingOrder = async ({ body }: Reply) =>
    (await stateOf(body.orderId)) === undefined ? `the order ${body.orderId}` : undefined
  const checkout = async (of: { id: string }): Promise<Shot> => {
    const { token: shopper } = await make.guest()
    const key = newKey()
    return {
      ask: () => ask('POST', `${orders}/checkout`, { token: shopper, key, body: cart(of) }),
      nameOf: ({ body }) => body.orderId,
      missing: missingOrder,
    }
  }
  let names = 0
  let readers = 0
  let newcomers = 0

  return [
    {
      name: 'read a product',
      needs: ['PostgreSQL', 'cell'],
      done: status(200),
      prepare: async () => ({ ask: () => ask('GET', product.path, { token }) }),
    },
    {
      name: 'read in another cell',
      needs: ['PostgreSQL'],
      done: status(200),
      prepare: async () => ({ ask: () => ask('GET', other.path, { token: elsewhere.admin.token }) }),
    },
    {
      name: 'list products',
      needs: ['PostgreSQL', 'cell'],
      done: status(200),
      prepare: async () => ({ ask: () => ask('GET', `${shop.products}?limit=20`, { token }) }),
    },
    {
      name: 'change a product',
      needs: ['PostgreSQL', 'cell'],
      done: status(200),
      async prepare() {
        const made = await make.product(shop)
        const name = `Renamed ${++names}`
        return {
          ask: () => ask('PUT', made.path, { token, body: { name } }),
          missing: async () => ((await shop.admin.get(made.path)).body.name === name ? undefined : `the name ${name}`),
        }
      },
    },
    {
      name: 'checkout, free',
      needs: ['PostgreSQL', 'cell'],
      done: status(200),
      prepare: () => checkout(free),
    },
    {
      name: 'checkout, to be paid',
      needs: ['PostgreSQL', 'cell', 'Stripe'],
      done: status(200),
      prepare: () => checkout(stocked),
    },
    {
      name: 'checkout without a key',
      needs: ['PostgreSQL', 'cell', 'Stripe'],
      done: status(200),
      async prepare() {
        const { token: shopper } = await make.guest()
        return {
          ask: () => ask('POST', `${orders}/checkout`, { token: shopper, body: cart(stocked) }),
          missing: missingOrder,
        }
      },
    },
    {
      name: 'cancel an order',
      needs: ['PostgreSQL', 'cell', 'Stripe'],
      done: status(200),
      async prepare() {
        const { id } = await payable()
        return {
          ask: () => ask('PUT', `${orders}/${id}/status`, { token, body: { status: 'CANCELLED' } }),
          missing: async () => ((await stateOf(id))?.startsWith('CANCELLED') ? undefined : `cancelling ${id}`),
        }
      },
    },
    {
      name: 'refund',
      needs: ['PostgreSQL', 'cell'],
      done: status(201),
      async prepare() {
        const key = newKey()
        const refundState = async ({ body }: Reply) => {
          const { rows } = await sql<{ status: string }>`
            select status from payments.refunds where business_id = ${shop.id} and id = ${body.id}`.execute(shop.db)
          return rows[0]?.status
        }
        return {
          ask: () => ask('POST', `${orders}/${paid.id}/refunds`, { token, key, body: { amount: 1 } }),
          nameOf: ({ body }) => body.id,
          missing: async (reply) =>
            (await refundState(reply)) === undefined ? `the refund ${reply.body.id}` : undefined,
          isThrough: async (reply) => (await refundState(reply)) === 'DONE',
        }
      },
    },
    {
      name: 'register',
      needs: ['PostgreSQL'],
      done: status(200),
      async prepare() {
        const email = `newcomer${++newcomers}-${process.pid}@example.com`
        const body = { provider: 'EMAIL_REGISTER', email, password: PASSWORD }
        return {
          ask: () => ask('POST', '/v1/users/register', { body }),
          async missing() {
            const users = world.aside.services.databases.control.selectFrom('accounts.users').select('id')
            return (await users.where('emailKey', '=', email).executeTakeFirst()) ? undefined : `the account ${email}`
          },
          isThrough: async () => mailServer.mails.some((mail) => mail.to?.[0]?.address === email),
        }
      },
    },
    {
      name: 'login',
      needs: ['PostgreSQL'],
      done: status(200),
      async prepare() {
        const { email } = await people.person()
        return { ask: () => ask('POST', '/v1/users/login', { body: { provider: 'EMAIL', email, password: PASSWORD } }) }
      },
    },
    {
      name: 'OAuth: where to',
      needs: ['PostgreSQL', 'identity'],
      done: status(200),
      prepare: async () => ({ ask: () => ask('GET', `/v1/users/login/url?${FLOW}`) }),
    },
    {
      name: 'OAuth: callback',
      needs: ['PostgreSQL', 'identity'],
      done: ({ headers }) => new URL(headers.get('location') ?? 'none:').searchParams.has('code'),
      async prepare() {
        idp.people.set('grace', { sub: 'grace', email: 'grace@example.com', email_verified: true })
        const { body } = await make.anonymous().get(`/v1/users/login/url?${FLOW}`)
        const callback = await idp.logIn(body.url, 'grace')
        return { ask: () => ask('GET', callback.pathname + callback.search) }
      },
    },
    {
      name: 'subscribe',
      needs: ['PostgreSQL', 'cell'],
      done: status(201),
      async prepare() {
        const email = `reader${++readers}@faults.example`
        const { token: reader } = await make.guest()
        return {
          ask: () => ask('POST', `${newsletter.collection.path}/subscribe`, { token: reader, body: { email } }),
          missing: async () =>
            (await newsletter.state(email).then(Boolean)) ? undefined : `the subscription of ${email}`,
        }
      },
    },
    {
      name: 'send a newsletter',
      needs: ['PostgreSQL', 'cell'],
      done: status(202),
      async prepare() {
        const entry = await newsletter.entry()
        return {
          ask: () => ask('POST', `${entry.path}/send`, { token: newsletter.admin.token, body: {} }),
          async missing({ body }) {
            const { status: answered } = await newsletter.owner.get(`${entry.path}/sends/${body.id}`)
            return answered === 200 ? undefined : `the send ${body.id}`
          },
        }
      },
    },
  ]
}

const FLOW = new URLSearchParams({
  provider: 'OAUTH_IDP',
  originUrl: SHOP_ORIGIN,
  redirectUrl: `${SHOP_ORIGIN}/after`,
}).toString()

/** Is it what was decided for this fault? A sentence when it is not. */
export function judge(part: Part, probe: Probe, reply: Reply): string | undefined {
  if (probe.done(reply)) return undefined
  const { status: answered, body, headers } = reply
  const said = `${answered} ${body?.error ?? headers.get('location') ?? ''}`
  if (!probe.needs.includes(part)) return `${said}, though it does not need ${part}`
  const back = headers.get('location')
  if (back) return new URL(back).searchParams.has('error') ? undefined : said
  const hasShape = ['error', 'message', 'details', 'requestId'].every((field) => body?.[field] !== undefined)
  if (!hasShape) return `${said}: not the shape of an error`
  const isAway = answered === 503 && body.error === 'UNAVAILABLE' && headers.has('retry-after')
  if (part === 'PostgreSQL' || part === 'cell') return isAway ? undefined : said
  return isAway || (answered === 502 && body.error === 'PROVIDER_FAILED') ? undefined : said
}
