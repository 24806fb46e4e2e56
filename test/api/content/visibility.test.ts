import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { type Client, createClient } from '../../support/client.ts'
import {
  ARCHIVED,
  contentOf,
  DRAFT,
  openContentShop,
  PUBLISHED,
  readPage,
  text,
  titled,
} from '../../support/content.ts'
import { createPeople, PASSWORD } from '../../support/people.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Reader = Pick<Client, 'get'>
type Made = { id: string; path: string }

const SCHEMA = [
  { id: 'title', type: 'TEXT' },
  { id: 'kind', type: 'SELECT', settings: { options: ['lamp'] } },
  { id: 'see', type: 'RELATIONSHIP', settings: { targetType: 'ENTRY' } },
]
const PAID = { name: 'Supporter', price: { amount: 500, currency: 'usd', interval: 'MONTHLY' } }
const FREE = { name: 'Reader', price: { amount: 0, currency: 'usd', interval: 'MONTHLY' } }

/** One entry for each reason to hide it, and two that everybody may see. */
async function makeHidden() {
  const content = contentOf(await used.make.business())
  const lamp = { blocks: [text('title', 'Lamp'), { id: 'kind', type: 'SELECT', value: 'lamp' }] }
  const collection = (body: object) => content.collection({ blocks: SCHEMA, ...body })
  const shown = await collection({})
  const places = {
    draft: [shown, DRAFT],
    archived: [shown, [...PUBLISHED, ...ARCHIVED]],
    'in a draft collection': [await collection({ statuses: DRAFT }), PUBLISHED],
    'in an archived collection': [await collection({ statuses: ARCHIVED }), PUBLISHED],
    'in a paid newsletter': [await collection({ type: 'NEWSLETTER', plans: [FREE, PAID] }), PUBLISHED],
    public: [shown, PUBLISHED],
    'in a free newsletter': [await collection({ type: 'NEWSLETTER', plans: [FREE, { name: 'No price' }] }), PUBLISHED],
  } as const
  const made = new Map<string, Made>()
  for (const [what, [place, statuses]] of Object.entries(places))
    made.set(what, await content.entry(place, { ...lamp, statuses }))
  const isPublic = (what: string) => what === 'public' || what === 'in a free newsletter'
  // Points at all of them, and is public itself.
  const pointing: Made[] = []
  for (const { id } of made.values()) {
    const blocks = [text('title', 'Pointer'), { id: 'see', type: 'RELATIONSHIP', value: id }]
    pointing.push(await content.entry(shown, { blocks }))
  }
  return { ...content, shown, made, isPublic, pointing }
}
let hidden: ReturnType<typeof makeHidden> | undefined
const getHidden = () => (hidden ??= makeHidden())

/** What the reader is told of each entry, in every way there is to ask. */
async function assertSees(reader: Reader, sees: (what: string) => boolean) {
  const { entries, made, pointing } = await getHidden()
  for (const [what, { path }] of made) {
    assert.equal((await reader.get(path)).status, sees(what) ? 200 : 404, what)
    assert.equal((await reader.get(path, { 'if-none-match': '*' })).status, sees(what) ? 304 : 404, what)
    assert.equal((await reader.get(`${path}?include=relations`)).status, sees(what) ? 200 : 404, what)
  }
  const visible = [...made].filter(([what]) => sees(what)).map(([, { id }]) => id)
  const queries: Record<string, string>[] = [
    { 'block.kind': 'lamp' },
    { 'block.title': 'Lamp', 'block.kind': 'lamp' },
    { query: 'lamp' },
    { query: 'lapm' },
    { query: 'lam', 'block.kind': 'lamp', locale: 'en' },
    { 'block.kind': 'lamp', locale: 'en' },
  ]
  for (const query of queries) {
    const found = (await readPage(reader, entries, query)).items.map(({ id }) => id)
    assert.deepEqual(found.sort(), visible.toSorted(), JSON.stringify(query))
  }
  const pointers = new Set(pointing.map(({ id }) => id))
  for (const query of [{ limit: '100' }, { limit: '100', locale: 'en' }] as Record<string, string>[]) {
    const listed = (await readPage(reader, entries, query)).items.map(({ id }) => id).filter((id) => !pointers.has(id))
    assert.deepEqual(listed.sort(), visible.toSorted())
  }
  const { relations } = (await reader.get(`${entries}?query=pointer&include=relations&limit=100`)).body
  assert.deepEqual(Object.keys(relations.ENTRY).sort(), visible.toSorted(), 'as relations of a list')
  for (const [index, [what, { id }]] of [...made].entries()) {
    const { body } = await reader.get(`${pointing[index]?.path}?include=relations`)
    assert.deepEqual(Object.keys(body.relations.ENTRY), sees(what) ? [id] : [], `${what}, as a relation`)
  }
}

async function seesPublicOnly(reader: Reader) {
  const { entries, isPublic, shown } = await getHidden()
  await assertSees(reader, isPublic)
  for (const status of ['DRAFT', 'ARCHIVED']) {
    for (const more of [
      '',
      '&query=lamp',
      '&block.kind=lamp',
      `&collectionId=${shown.id}`,
      `&owner=collection:${shown.id}`,
    ]) {
      assertError(await reader.get(`${entries}?status=${status}${more}`), 403, 'FORBIDDEN')
    }
  }
}

test('a guest sees PUBLISHED entries of PUBLISHED collections, and none of a paid newsletter', async () =>
  seesPublicOnly(await used.make.guest()))
test('a user without a role sees no more', async () => seesPublicOnly(await used.make.user()))
test('a member with other permissions sees no more', async () =>
  seesPublicOnly(
    await used.make.member((await getHidden()).id, 'PRODUCTS_WRITE', 'ORDERS_READ', 'ORDERS_WRITE', 'SUBSCRIBERS_READ'),
  ))
test('the ADMIN of another business sees no more', async () => seesPublicOnly((await used.make.business()).admin))
test('a key of the ADMIN that is bound to another business sees no more', async () => {
  const { admin } = await getHidden()
  const other = await used.make.business({ owner: admin })
  await seesPublicOnly(await used.make.apiKey(admin.id, other.id))
})

for (const permission of ['CONTENT_READ_DRAFTS', 'CONTENT_WRITE', 'ADMIN'] as const) {
  test(`who holds ${permission} sees all entries`, async () => {
    const { id, entries, made } = await getHidden()
    const member = await used.make.member(id, permission)
    await assertSees(member, () => true)
    const drafts = await readPage(member, entries, { status: 'DRAFT', query: 'lamp' })
    assert.deepEqual(
      drafts.items.map(({ id }) => id),
      [made.get('draft')?.id],
    )
  })
}

test('a key that is bound to its own business sees all', async () => {
  const { id, admin } = await getHidden()
  await assertSees(await used.make.apiKey(admin.id, id), () => true)
})

test('an entry is hidden and shown as its collection is', async () => {
  const { admin, entries, collection, entry } = contentOf(await used.make.business())
  const guest = await used.make.guest()
  const place = await collection({ type: 'NEWSLETTER' })
  const { path } = await entry(place, { blocks: titled('Lamp') })
  const seen = async () => {
    const listed = await Promise.all(
      [{}, { query: 'lamp' }, { 'block.title': 'Lamp' }].map((query) =>
        readPage(guest, entries, query as Record<string, string>),
      ),
    )
    return [(await guest.get(path)).status, ...listed.map(({ items }) => items.length)]
  }
  const [yes, no] = [
    [200, 1, 1, 1],
    [404, 0, 0, 0],
  ]
  for (const [change, expected] of [
    [{}, yes],
    [{ plans: [PAID] }, no],
    [{ plans: [FREE] }, yes],
    [{ statuses: ARCHIVED }, no],
    [{ statuses: PUBLISHED }, yes],
  ] as const) {
    assert.equal((await admin.put(place.path, change)).status, 200)
    assert.deepEqual(await seen(), expected, JSON.stringify(change))
  }
})

/** An order of a guest with an entry in every status, and an entry of a reservation. */
async function makeOwned() {
  const shop = await openContentShop(used.make)
  const customer = await used.make.guest()
  const orderId = await shop.order(customer)
  const owner = `order:${orderId}`
  const own: Made[] = []
  for (const statuses of [DRAFT, PUBLISHED, ARCHIVED])
    own.unshift(await shop.entry(owner, { statuses, blocks: titled('Receipt') }))
  const reserved = await shop.entry('reservation:r1', { blocks: titled('Receipt') })
  return { ...shop, customer, orderId, owner, own, reserved }
}
type Owned = Awaited<ReturnType<typeof makeOwned>>

async function seesOrder(reader: Reader, { entries, owner, own }: Owned) {
  const page = await readPage(reader, entries, { owner })
  assert.deepEqual(
    page.items.map(({ id }) => id),
    own.map(({ id }) => id),
  )
  for (const { path } of own) assert.equal((await reader.get(path)).status, 200)
  assert.deepEqual(
    (await readPage(reader, entries, { owner, status: 'DRAFT' })).items.map(({ id }) => id),
    [own[2]?.id],
  )
}

async function doesNotSee(reader: Reader, { entries }: Owned, owner: string, hidden: Made[]) {
  assertError(await reader.get(`${entries}?owner=${owner}`), 403, 'FORBIDDEN')
  for (const { path } of hidden) {
    assertError(await reader.get(path), 404, 'NOT_FOUND')
    assertError(await reader.get(`${path}?include=relations`), 404, 'NOT_FOUND')
  }
  for (const query of [{}, { query: 'receipt' }, { 'block.title': 'Receipt' }] as Record<string, string>[]) {
    assert.deepEqual((await readPage(reader, entries, query)).items, [])
  }
}

test('entries of an order are for its customer, whatever their status, and for who holds ORDERS_READ', async () => {
  const made = await makeOwned()
  const { id, admin, customer, owner, own, reserved } = made
  await seesOrder(customer, made)
  await seesOrder(admin, made)
  await seesOrder(await used.make.member(id, 'ORDERS_READ'), made)
  assert.equal((await admin.get(reserved.path)).status, 200)
  assert.equal((await readPage(admin, made.entries, { owner: 'reservation:r1' })).items.length, 1)

  const stranger = await used.make.guest()
  await made.order(stranger)
  const others = [
    stranger,
    await used.make.user(),
    await used.make.member(id, 'CONTENT_WRITE', 'CONTENT_READ_DRAFTS', 'PRODUCTS_WRITE'),
    (await used.make.business()).admin,
  ]
  for (const other of others) {
    await doesNotSee(other, made, owner, own)
    await doesNotSee(other, made, 'reservation:r1', [reserved])
  }
  await doesNotSee(customer, made, 'reservation:r1', [reserved])
  assertError(await customer.get(`${made.entries}?owner=order:ord_none`), 403, 'FORBIDDEN')
  assertError(await customer.put(own[0]?.path ?? '', { blocks: [] }), 403, 'FORBIDDEN')
})

test('a guest who became an account still sees the entries of the order', async () => {
  const made = await makeOwned()
  const people = createPeople(used.api)
  const { email } = await people.person()
  const login = await people.login(email, PASSWORD, used.api.url, { authorization: `Bearer ${made.customer.token}` })
  assert.equal(login.status, 200, login.text)
  await seesOrder(createClient(used.api.url, { authorization: `Bearer ${login.body.accessToken}` }), made)
})

test('a key of the customer that is bound to another business does not see them', async () => {
  const shop = await openContentShop(used.make)
  const customer = await used.make.user()
  const owner = `order:${await shop.order(customer)}`
  const entry = await shop.entry(owner)
  const made = { ...shop, owner, own: [entry] } as never as Owned
  await doesNotSee(await used.make.apiKey(customer.id, (await used.make.business()).id), made, owner, [entry])
  assert.equal((await (await used.make.apiKey(customer.id)).get(entry.path)).status, 200)
})

test('an order of one business opens nothing in another', async () => {
  const [here, there] = [await makeOwned(), await makeOwned()]
  assertError(await here.customer.get(`${there.entries}?owner=${here.owner}`), 403, 'FORBIDDEN')
  assertError(await here.customer.get(`${there.entries}/${here.own[0]?.id}`), 404, 'NOT_FOUND')
  assert.deepEqual((await readPage(there.admin, there.entries, { owner: here.owner })).items, [])
})

test('an entry of an order is no relation of anything, even for its customer', async () => {
  const { collection, entry, own, customer, admin } = await makeOwned()
  const place = await collection({ blocks: SCHEMA })
  const { path } = await entry(place, { blocks: [{ id: 'see', type: 'RELATIONSHIP', value: own[1]?.id }] })
  for (const reader of [customer, admin]) {
    assert.deepEqual((await reader.get(`${path}?include=relations`)).body.relations.ENTRY, {})
  }
})
