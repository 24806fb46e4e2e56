import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { type Answer, createClient } from './client.ts'
import { follow } from './customers.ts'
import { onServer } from './database.ts'
import { linkIn } from './mail-server.ts'
import { openNewsletter, PLANS } from './newsletter-api.ts'
import { openPaidShop } from './paid-shop.ts'
import { until } from './until.ts'
import type { World } from './world.ts'

const PASSWORD = 'correct horse battery staple nine'

function ok(status: number, answer: Answer) {
  assert.equal(answer.status, status, answer.text)
  return answer.body
}

/** Everything that rests in a database: each row as text, with its table. */
export async function rowsOf(url: string): Promise<{ table: string; row: string }[]> {
  return onServer(async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`)
    assert.ok(tables.length > 60, 'all tables are looked at')
    const found = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      found.push(...rows.map(({ row }) => ({ table: name, row: row.toLowerCase() })))
    }
    return found
  }, url)
}

/** In which tables any of these texts stands, as it is and as bytes. */
export async function saidIn(url: string, texts: readonly string[]): Promise<string[]> {
  const forms = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')])
  const rows = await rowsOf(url)
  return [...new Set(rows.filter(({ row }) => forms.some((form) => row.includes(form))).map(({ table }) => table))]
}

const PG_DUMP = process.env.PG_DUMP ?? 'pg_dump'
export const hasPgDump = spawnSync(PG_DUMP, ['--version']).status === 0

/** Which of these texts a backup of the database holds, as they are, as bytes, or in base64. */
export async function foundInDump(url: string, texts: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(PG_DUMP, ['--no-owner', url], { maxBuffer: 2 ** 30 })
  assert.match(stdout, /PostgreSQL database dump complete/)
  const dump = stdout.toLowerCase()
  const isIn = (text: string) =>
    [
      text,
      Buffer.from(text).toString('hex'),
      Buffer.from(text).toString('base64').replace(/=+$/, '').toLowerCase(),
    ].some((form) => dump.includes(form))
  return texts.filter(isIn)
}

/**
 * Somebody who was a guest and has an account, with orders in two businesses in two cells, and a word of their own in
 * every field that a person can fill in. In the second business they have an order in work.
 */
export async function makePerson(used: World<'stripe' | 'mail'>) {
  const { make, twin, api } = used
  const words = new Map<string, string>()
  /** A word that occurs nowhere by chance. */
  const word = (name: string) => {
    const made = `cnry${randomBytes(9).toString('hex')}`
    words.set(name, made)
    return made
  }
  const mail = (name: string) => `${word(name)}@person.example`
  const address = (name: string) => ({
    name: word(`${name} name`),
    company: word(`${name} company`),
    street: word(`${name} street`),
    street2: word(`${name} street2`),
    city: word(`${name} city`),
    state: word(`${name} state`),
    zip: word(`${name} zip`),
    country: 'US',
    phone: word(`${name} phone`),
  })
  /** All that a checkout takes. */
  const said = (name: string) => ({
    shippingAddress: address(`${name} shipping`),
    billingAddress: address(`${name} billing`),
    phone: word(`${name} phone`),
    customerNote: `Please ask for ${word(`${name} note`)}.`,
    blocks: [{ id: 'name', type: 'TEXT', value: word(`${name} block`) }],
  })

  const a = await openPaidShop(used, {})
  const b = await openPaidShop(used, { cell: 'second' })
  for (const { shop } of [a, b]) ok(200, await shop.admin.put(shop.path, { allowedOrigins: ['https://shop.example'] }))
  const letters = await openNewsletter(make, { business: a.shop, countClicks: true, countOpens: true })
  const paidLetters = await openNewsletter(make, { business: b.shop, plans: PLANS })

  // As a guest, with an address typed at the checkout.
  const guest = await make.guest()
  const asGuest = await a.buy({ shopper: guest, email: mail('guest email'), ...said('guest') })
  twin.pay(asGuest.pageId)

  // An account, which the guest becomes.
  const email = mail('account email')
  const anonymous = createClient(api.url)
  const asked = { provider: 'EMAIL_REGISTER', email, password: PASSWORD, name: word('account name') }
  ok(200, await anonymous.post('/v1/users/register', asked))
  const token = linkIn(await used.mailServer.mailTo(email), '/confirm').searchParams.get('token')
  ok(200, await anonymous.put('/v1/users/confirm', { token }))
  const session = ok(200, await guest.post('/v1/users/login', { provider: 'EMAIL', email, password: PASSWORD }))
  const me = createClient(api.url, { authorization: `Bearer ${session.accessToken}` })
  const profile = {
    street: word('profile street'),
    city: word('profile city'),
    state: word('profile state'),
    zip: word('profile zip'),
    country: 'US',
  }
  ok(200, await me.put('/v1/users/update', { addresses: [profile] }))
  ok(200, await me.put(`/v1/users/me/businesses/${a.shop.id}`, { settings: { note: word('settings') } }))

  // Orders of the account: one with a promo code, one that is in work.
  const promo = ok(
    201,
    await a.shop.admin.post(`${a.shop.path}/promo-codes`, {
      code: 'ONCE',
      type: 'FIXED',
      currency: 'USD',
      value: 100,
      maxPerCustomer: 3,
    }),
  )
  const key = word('idempotency key')
  const urls = {
    returnUrl: `https://shop.example/${word('return')}`,
    cancelUrl: `https://shop.example/${word('cancel')}`,
  }
  const paid = await a.buy({ shopper: me, promoCode: 'ONCE', key, ...urls, ...said('paid') })
  twin.pay(paid.pageId, { email: mail('payer email') })
  const open = await b.buy({ shopper: me, ...said('open') })
  twin.pay(open.pageId)
  for (const order of [asGuest, paid, open])
    await until('it is paid', async () => (await order.row()).paymentStatus === 'PAID')

  // What staff wrote about them.
  const staffWords: string[] = []
  const staff = (name: string) => {
    const made = word(`staff ${name}`)
    staffWords.push(made)
    return made
  }
  const byStaff = async (at: string, body: object, status = 201) => ok(status, await a.owner.post(at, body))
  await byStaff(`${paid.path}/comments`, { text: staff('comment') })
  await byStaff(`${a.shop.path}/entries`, {
    owner: `order:${paid.id}`,
    blocks: [{ id: 'title', type: 'TEXT', value: word('entry') }],
  })
  const { lines } = ok(200, await a.owner.get(paid.path))
  await byStaff(`${paid.path}/shipments`, {
    carrier: 'DHL',
    trackingNumber: word('tracking number'),
    trackingUrl: `https://track.example/${word('tracking url')}`,
  })
  await byStaff(`${asGuest.path}/shipments`, { notify: false })
  for (const order of [asGuest, paid]) ok(200, await a.owner.put(`${order.path}/status`, { status: 'DELIVERED' }))
  await byStaff(`${paid.path}/returns`, { lines: [{ lineId: lines[0].id, quantity: 1 }], reason: staff('return') })
  await byStaff(`${paid.path}/refunds`, { amount: 200, reason: staff('refund') })
  await used.sweep(a.db)

  // Newsletters: free, with a wish, clicks and another address that left everything; and one that is paid for.
  const reader = mail('reader email')
  const subscription = await letters.subscribed(me, { email: reader, name: word('reader name') })
  const left = mail('left email')
  await letters.subscribed(me, { email: left, name: word('left name') })
  ok(200, await letters.unsubscribe(await letters.tokenOf(left), { everything: true }))
  const letter = await letters.entry(undefined, { statuses: [{ status: 'PUBLISHED' }] })
  ok(
    201,
    await letters.owner.post(`${letters.collection.path}/automations`, {
      trigger: 'BACK_IN_STOCK',
      entryId: letter.id,
    }),
  )
  const soldOut = await make.product(a.shop, {
    variants: [{ id: 'one', sku: 'GONE', inventory: { tracked: true, quantity: 0 } }],
  })
  const wish = { email: reader, productId: soldOut.id, variantId: 'one' }
  const wished = await me.post(`${letters.collection.path}/wishes`, wish)
  assert.ok(wished.status < 300, wished.text)
  const linked = await letters.entry([
    { id: 'title', type: 'TEXT', value: 'Boats' },
    { id: 'body', type: 'TEXT', value: '<p><a href="https://shop.example/boats">boats</a></p>' },
  ])
  const sending = await letters.send(linked)
  await used.sendWorker.run(a.db)
  const paying = await paidLetters.subscribe(me, {
    email: mail('paying email'),
    name: word('paying name'),
    planId: 'monthly',
  })
  twin.pay(String(ok(200, paying).checkoutUrl).split('/').at(-1) ?? '')
  await until('the plan is paid', async () => (await paidLetters.subscribers()).length === 1)

  await used.waitUntilIdle(a.db)
  await used.waitUntilIdle(b.db)
  const followAll = async () => {
    for (const { db } of [a, b]) await follow(api, db)
  }
  await followAll()
  const customer = `${a.shop.path}/customers/${session.userId}`
  ok(200, await a.owner.put(customer, { tags: [staff('tag')] }))
  await byStaff(`${customer}/comments`, { text: staff('customer comment') })
  const role = ok(201, await a.shop.admin.post(`${a.shop.path}/roles`, { name: 'Till', permissions: ['ORDERS_READ'] }))
  ok(201, await a.shop.admin.post(`${a.shop.path}/invitations`, { email, roleId: role.id }))

  return {
    a,
    b,
    me,
    id: session.userId as string,
    guestId: guest.id,
    email,
    reader,
    left,
    words,
    staffWords,
    wordsOf: (beginning: string) => [...words].filter(([name]) => name.startsWith(beginning)).map(([, made]) => made),
    orders: { asGuest, paid, open },
    promo: promo as { id: string },
    letters,
    paidLetters,
    subscription,
    sending,
    follow: followAll,
  }
}

export type ForgottenPerson = Awaited<ReturnType<typeof makePerson>>

/** Until no job about people waits in any of these databases. */
export async function settle(dbs: readonly Db[]): Promise<void> {
  for (const db of dbs) {
    const waiting = async () => {
      const { rows } = await sql<{ job: string }>`
        select concat_ws(' ', task.identifier, job.attempts, job.last_error) as job
          from graphile_worker._private_jobs as job
          join graphile_worker._private_tasks as task on task.id = job.task_id
         where task.identifier ~ '^(accounts|customers|newsletter|payments|checkout|orders)[.]' and job.run_at <= now()`.execute(
        db,
      )
      return rows.map(({ job }) => job)
    }
    await until('no job waits', async () => (await waiting()).length === 0, { withinMs: 30_000 }).catch(
      async (error: Error) => {
        throw new Error(`${error.message}: ${(await waiting()).join('\n')}`)
      },
    )
  }
}
