import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { addGuest } from '#modules/accounts/index.ts'
import type { Client } from '../../support/client.ts'
import { recordStatements } from '../../support/explain.ts'
import { linkIn } from '../../support/mail-server.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ providers: ['mail', 'sms'], worker: 'accounts' })

const control = () => world.api.services.databases.control
let count = 0
const newEmail = () => `customer${++count}.${process.pid}@example.com`

async function openShop() {
  const shop = await world.make.shop({ cell: 'main' })
  const product = await world.make.product(shop)
  const figures = {
    market: 'us',
    lines: [{ productId: product.id, variantId: 'one', quantity: 1, unitPrice: 1_000, totalPrice: 1_000 }],
    subtotal: 1_000,
    tax: 0,
    shipping: 0,
    total: 1_000,
  }
  const orders = `${shop.path}/orders`
  const create = (customer: object | undefined, changes: object = {}, headers?: Record<string, string>) =>
    shop.admin.post(orders, { customer, ...figures, ...changes }, headers)
  const search = async (query = '') => {
    const { body, text } = await shop.admin.get(
      `/v1/users/search?businessId=${shop.id}&limit=100&query=${encodeURIComponent(query)}`,
    )
    assert.ok(body.items, text)
    return body.items as { id: string; name: string; email?: string; isConfirmed: boolean }[]
  }
  const guestsMade = async () =>
    (await control().selectFrom('accounts.users').select('id').where('guestOf', '=', shop.id).execute()).map(
      ({ id }) => id,
    )
  return { ...shop, product, orders, create, search, guestsMade }
}

test('an order for an address makes a guest of the business, whom nobody can log in as', async () => {
  const { create, search, admin, orders } = await openShop()
  const email = newEmail()
  const made = await create({ email, name: 'Ada Lovelace' })
  assert.equal(made.status, 201, made.text)
  assert.equal(made.body.contactEmail, email)
  const guest = (await search()).find(({ id }) => id === made.body.customerId)
  assert.deepEqual([guest?.name, guest?.email, guest?.isConfirmed], ['Ada Lovelace', email, false])
  for (const query of ['lovelace', email, email.toUpperCase()])
    assert.deepEqual(
      (await search(query)).map(({ id }) => id),
      [made.body.customerId],
      query,
    )
  const list = await admin.get(`${orders}?customerId=${made.body.customerId}`)
  assert.deepEqual(
    list.body.items.map(({ id }: { id: string }) => id),
    [made.body.id],
  )
  const password = 'harbour lantern teapot'
  const login = await world.make.anonymous().post('/v1/users/login', { provider: 'EMAIL', email, password })
  assert.equal(refusal(login), '422 VALIDATION_FAILED password PASSWORD_WRONG')
  const registered = await world.make
    .anonymous()
    .post('/v1/users/register', { provider: 'EMAIL_REGISTER', email, password })
  assert.equal(registered.status, 200, 'the address is still free to register')

  // The same guest can order again.
  const again = await create(undefined, { customerId: made.body.customerId })
  assert.equal(again.body.customerId, made.body.customerId, again.text)
})

test('contactEmail that is sent wins, and every order for an address makes a guest of its own', async () => {
  const { create, guestsMade } = await openShop()
  const email = newEmail()
  const first = await create({ email }, { contactEmail: null })
  const second = await create({ email }, { contactEmail: 'office@example.com' })
  assert.deepEqual([first.body.contactEmail, second.body.contactEmail], [null, 'office@example.com'])
  assert.deepEqual(new Set(await guestsMade()), new Set([first.body.customerId, second.body.customerId]))
})

test('a repeated request makes one guest, a refused one none', async () => {
  const { create, guestsMade } = await openShop()
  const headers = { 'idempotency-key': `guest-${process.pid}` }
  const customer = { email: newEmail(), name: 'Bo' }
  const [first, again] = [await create(customer, {}, headers), await create(customer, {}, headers)]
  assert.deepEqual(again.body, first.body)
  assert.deepEqual(await guestsMade(), [first.body.customerId])
  assert.equal((await create(customer, { total: 7 })).status, 422)
  assert.equal((await guestsMade()).length, 1)
})

test('whose order it is must be said, once', async () => {
  const { create, admin } = await openShop()
  assert.equal(refusal(await create(undefined)), '422 VALIDATION_FAILED customerId REQUIRED')
  const both = await create({ email: newEmail() }, { customerId: admin.id })
  assert.equal(refusal(both), '422 VALIDATION_FAILED customer INVALID')
  assert.match(refusal(await create({ email: 'nobody' })), /^422 VALIDATION_FAILED customer\.email/)
  assert.match(refusal(await create({ name: 'Nobody' })), /^422 VALIDATION_FAILED customer\.email/)
})

test('a guest is made even if the process dies right after the order', async () => {
  const { id: businessId, create, guestsMade } = await openShop()
  const email = newEmail()
  const asked: string[] = []
  const statements = await recordStatements(async () => {
    asked.push((await create({ email, name: 'Carla' })).body.customerId)
  })
  const [id = ''] = asked
  const jobs = statements.filter(({ text, values }) => /add_job/.test(text) && values[0] === 'accounts.make-guest')
  assert.deepEqual(
    jobs.map(({ values }) => JSON.parse(String(values[1]))),
    [{ id, businessId, name: 'Carla', email }],
  )
  await control().deleteFrom('accounts.users').where('id', '=', id).execute()
  for (let round = 0; round < 2; round++) await addGuest(control(), { id, businessId, name: 'Carla', email })
  assert.deepEqual(await guestsMade(), [id])
})

/** With everything that differs from order to order replaced. */
const withoutIds = (value: unknown, email: string) =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(email, 'EMAIL')
      .replaceAll(/\b(ord|usr|line|evt|sts|aud|shp|job)_\w+/g, '$1')
      .replaceAll(/"number":"?[\w-]+"?/g, '"number":0')
      .replaceAll(/"(createdAt|updatedAt|timestamp)":\d+/g, '"$1":0')
      .replaceAll(/"etag":"[^"]*"/g, ''),
  ) as unknown

test('a business cannot learn whether an account has that address', async () => {
  const shop = await openShop()
  const { create, search, admin, orders, path, db } = shop
  const roleId = (await admin.get(`${path}/roles`)).body.items[0].id
  const known = await world.make.user() // confirmed, and never seen in this shop
  const probe = async (email: string) => {
    const created: Awaited<ReturnType<typeof create>>[] = []
    const statements = await recordStatements(async () => {
      created.push(await create({ email, name: 'Somebody' }))
    })
    const [made = assert.fail()] = created
    const { id, customerId } = made.body
    const reads: [string, Client][] = [
      [`${orders}/${id}`, admin],
      [`${orders}?customerId=${customerId}`, admin],
      [`${orders}?query=${encodeURIComponent(email)}`, admin],
      [`${orders}/${id}/timeline`, admin],
      [`${path}/audit?limit=5`, admin],
    ]
    const { rows: events } = await sql`
      select type, actor_kind, data from cell.event_outbox where subject = ${id} order by position`.execute(db)
    const role = await admin.put('/v1/users/set-role', { businessId: shop.id, userId: customerId, roleId })
    return withoutIds(
      {
        status: made.status,
        headers: Object.keys(made.headers).sort(),
        body: made.body,
        looksForAccount: statements.some(({ text }) => text.includes('email_key')),
        reads: await Promise.all(
          reads.map(async ([address, caller]) => {
            const { status, body } = await caller.get(address)
            return { status, body }
          }),
        ),
        events,
        search: await search(email),
        byName: (await search('somebody')).filter((user) => user.email === email),
        role: refusal(role),
      },
      email,
    )
  }
  await probe(newEmail()) // from here on caches are warm
  const [ofNobody, ofSomebody] = [await probe(newEmail()), await probe(known.email ?? '')]
  assert.deepEqual(ofSomebody, ofNobody)
  assert.equal((ofNobody as { looksForAccount: boolean }).looksForAccount, false)
  assert.equal((await known.get(`${orders}?limit=1`)).body.items.length, 0, 'and the account does not own it')
})

const claimIn = async (email: string, index?: number) =>
  linkIn(await world.mailServer.mailTo(email, index), '/claim').searchParams.get('token') ?? ''
const claim = (caller: Pick<Client, 'post'>, token: string) => caller.post('/v1/users/claim', { token })

test('the link in the mail, opened by the account that has that address, makes the order its own', async () => {
  const { create, orders, search, admin } = await openShop()
  const owner = await world.make.user()
  const email = owner.email ?? ''
  const { body: order } = await create({ email: email.toUpperCase(), name: 'Somebody' })
  const token = await claimIn(email.toUpperCase())
  assert.equal((await owner.get(`${orders}/${order.id}`)).status, 404, 'having the address is not enough')

  const [stranger, guest] = [await world.make.user(), await world.make.guest()]
  assert.equal((await claim(stranger, token)).status, 403)
  assert.equal((await claim(guest, token)).status, 403)
  assert.equal((await claim(world.make.anonymous(), token)).status, 401)
  const before = await search()
  for (let round = 0; round < 2; round++) assert.equal((await claim(owner, token)).status, 200)

  assert.equal((await owner.get(`${orders}/${order.id}`)).body.id, order.id)
  assert.deepEqual(
    (await owner.get(orders)).body.items.map(({ id }: { id: string }) => id),
    [order.id],
  )
  assert.deepEqual(await search(), before, 'the business sees what it saw before')
  assert.equal((await admin.get(`${orders}/${order.id}`)).body.customerId, order.customerId)
  const { rows } =
    await sql`select from access.audit_log where subject = ${owner.id} and business_id is not null`.execute(control())
  assert.equal(rows.length, 0)
})

test('an account that has not confirmed the address, or that came second, gets nothing', async () => {
  const { create } = await openShop()
  const owner = await world.make.user()
  const email = owner.email ?? ''
  await create({ email })
  const token = await claimIn(email)
  await control().updateTable('accounts.users').set({ confirmedAt: null }).where('id', '=', owner.id).execute()
  assert.equal((await claim(owner, token)).status, 403)
  await control().updateTable('accounts.users').set({ confirmedAt: new Date() }).where('id', '=', owner.id).execute()
  const other = await world.make.user()
  const [{ guestId } = assert.fail()] = await control()
    .selectFrom('accounts.users')
    .select('id as guestId')
    .where('email', '=', email)
    .where('isGuest', '=', true)
    .execute()
  await control()
    .insertInto('accounts.guestAliases')
    .values({ guestId, userId: other.id, createdAt: new Date() })
    .execute()
  assert.equal(refusal(await claim(owner, token)), '422 VALIDATION_FAILED token TOKEN_INVALID')
  assert.equal(refusal(await claim(owner, `${token}x`)), '422 VALIDATION_FAILED token TOKEN_INVALID')
})

test('an address gets three mails a day from a business, and further orders are made all the same', async () => {
  const { create } = await openShop()
  const email = newEmail()
  for (let round = 0; round < 5; round++) assert.equal((await create({ email })).status, 201)
  await claimIn(email, 3)
  const waiting = await sql`
    select from graphile_worker._private_jobs as job
      join graphile_worker._private_tasks as task on task.id = job.task_id
     where task.identifier = 'accounts.send-claim'`.execute(control())
  assert.equal(waiting.rows.length, 0)
  assert.equal(world.mailServer.mails.filter((mail) => mail.to?.[0]?.address === email).length, 3)
})
