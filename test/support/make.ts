import { createBusiness, rememberCustomer } from '#modules/access/index.ts'
import { addOperator, type NewSession, startSession as startNow } from '#modules/accounts/index.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { createClient } from './client.ts'
import type { TestApi } from './start-api.ts'

let count = 0

/** As this version does it; a database of an earlier one lacks some of the columns. */
const WAYS = { insertBusiness: createBusiness, startSession: startNow }

/** Makes what a test needs, straight in the database: the API's own ways in have tests of their own. */
export function createMake(
  { url, services }: Pick<TestApi, 'url' | 'services'>,
  { insertBusiness, startSession } = WAYS,
) {
  const { databases, tokens, box } = services
  const { control, cells } = databases

  async function account(isGuest: boolean) {
    const id = newId('usr')
    const email = isGuest ? null : `user${++count}-${process.pid}@example.com`
    await control
      .insertInto('accounts.users')
      .values({ id, email, emailKey: email, isGuest, confirmedAt: now(), createdAt: now(), updatedAt: now() })
      .execute()
    return { id, email: email ?? undefined }
  }

  type Account = { id: string; email: string | undefined }
  const session = async (isGuest: boolean, more?: Partial<NewSession>) =>
    sessionOf(await account(isGuest), more, isGuest)

  async function sessionOf({ id, email }: Account, more: Partial<NewSession> = {}, isGuest = false) {
    const provider = isGuest ? 'GUEST' : 'EMAIL'
    const { id: sessionId, refreshId } = await transaction(control, (tx) =>
      startSession(tx, { userId: id, provider, ...more }),
    )
    const { token } = await tokens.issue('access', { sub: id, sid: sessionId, provider, ...(email ? { email } : {}) })
    const actor: Actor = { kind: isGuest ? 'guest' : 'user', userId: id, email, sessionId, onlyBusinessId: undefined }
    return { id, email, sessionId, refreshId, token, actor, ...createClient(url, { authorization: `Bearer ${token}` }) }
  }

  /**
   * An API key of that user; `businessId` binds it to one business, `permissions` are all that it may do. It counts as used
   * just now, so that its use is not written while a test looks at what is.
   */
  async function apiKey(userId: string, businessId?: string, permissions?: readonly Permission[]) {
    const value = `test-key-${newId('k')}-${newId('k')}`
    const [keyHash] = box.hashes(permissions ? 'limited-api-key' : 'api-key', value) as [Buffer]
    const [secretPrint] = box.fingerprints as [string]
    await control
      .insertInto('accounts.apiKeys')
      .values({
        userId,
        id: newId('ak'),
        name: 'test',
        keyHash,
        secretPrint,
        last4: value.slice(-4),
        businessId: businessId ?? null,
        ...(permissions ? { permissions: [...permissions] } : {}),
        lastUsedAt: now(),
        createdAt: now(),
      })
      .execute()
    return { value, ...createClient(url, { 'x-api-key': value }) }
  }

  const user = (more?: Partial<NewSession>) => session(false, more)
  type User = Awaited<ReturnType<typeof user>>

  /** An operator of the service; by default with a session that has passed a second factor just now. */
  async function operator(more: Partial<NewSession> = { proof: 'TOTP' }) {
    const made = await session(false, more)
    await transaction(control, (tx) => addOperator(tx, made.id))
    return made
  }

  /** A business with its ADMIN; `cell` puts it in a given cell. */
  async function business({ cell, owner, name }: { cell?: string; owner?: User; name?: string } = {}) {
    const admin = owner ?? (await user())
    const made = await transaction(control, (tx) =>
      insertBusiness(
        tx,
        { ownerId: admin.id, ownerEmail: null, actor: admin.actor, cells: cell ? [cell] : cells.keys() },
        { name: name ?? `Business ${++count}` },
      ),
    )
    return { ...made, admin, path: `/v1/businesses/${made.id}`, db: cells.get(made.cell)! } // oxlint-disable-line typescript/no-non-null-assertion
  }

  /** A user with a role of exactly these permissions there. */
  async function member(businessId: string, ...permissions: Permission[]) {
    const member = await user()
    const roleId = newId('role')
    await control
      .insertInto('access.roles')
      .values({ businessId, id: roleId, name: `Role ${++count}`, permissions, createdAt: now(), updatedAt: now() })
      .execute()
    await control
      .insertInto('access.memberships')
      .values({ businessId, userId: member.id, roleId, createdAt: now() })
      .execute()
    return { ...member, roleId }
  }

  /** A user who has come there by themselves, as if they had bought something. */
  async function customer(businessId: string) {
    const customer = await user()
    await rememberCustomer(control, businessId, customer.id)
    return customer
  }

  /** A business that sells in two markets, `us` (USD) and `de` (EUR). */
  async function shop(options: Parameters<typeof business>[0] = {}) {
    const made = await business(options)
    const market = { taxBps: 1_000, taxShipping: false, shippingMethods: [], paymentMethods: ['CREDIT_CARD' as const] }
    const markets = [
      { ...market, id: 'us', name: 'United States', currency: 'USD' },
      { ...market, id: 'de', name: 'Germany', currency: 'EUR' },
    ]
    const { status, text } = await made.admin.put(made.path, { markets })
    if (status !== 200) throw new Error(text)
    return { ...made, products: `${made.path}/products` }
  }
  type Shop = Awaited<ReturnType<typeof shop>>

  /** A product that can be bought: ACTIVE, one variant `one` at 10.00 in both markets, 100 of it in stock. */
  async function product({ admin, products }: Pick<Shop, 'admin' | 'products'>, body: object = {}) {
    const variant = {
      id: 'one',
      name: 'One size',
      sku: `SKU-${++count}`,
      pricing: {
        markets: [
          { marketId: 'us', price: 1_000 },
          { marketId: 'de', price: 900 },
        ],
      },
      inventory: { tracked: true, quantity: 100 },
    }
    const name = `Product ${++count}`
    const made = await admin.post(products, { name, statuses: [{ status: 'ACTIVE' }], variants: [variant], ...body })
    if (made.status !== 201) throw new Error(made.text)
    const path = `${products}/${made.body.id}`
    const stock = async (variantId = 'one') => {
      const { body } = await admin.get(path)
      const found = body.variants.find((element: { id: string }) => element.id === variantId)
      return found.inventory.quantity as number
    }
    return { ...(made.body as { id: string; name: string; slug: string }), body: made.body, path, stock }
  }

  return {
    box,
    shop,
    product,
    user,
    /** Another session of the same account. */
    sessionOf: (user: Account, more?: Partial<NewSession>) => sessionOf(user, more),
    guest: () => session(true),
    apiKey,
    business,
    member,
    customer,
    operator,
    anonymous: () => createClient(url),
  }
}

export type Make = ReturnType<typeof createMake>
