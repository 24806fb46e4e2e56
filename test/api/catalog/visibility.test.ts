import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import { asRead } from '../../support/as-read.ts'
import type { Client } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const STATUSES = ['DRAFT', 'ACTIVE', 'ARCHIVED'] as const
type Product = { id: string; name: string }

async function makeShop(options: Parameters<typeof used.make.shop>[0] = {}) {
  const shop = await used.make.shop(options)
  const made = new Map<string, Awaited<ReturnType<typeof used.make.product>>>()
  for (const status of STATUSES) {
    made.set(
      status,
      await used.make.product(shop, {
        name: `${status} lamp`,
        slug: status.toLowerCase(),
        category: 'lamps',
        statuses: [{ status }],
      }),
    )
  }
  return { ...shop, made }
}
// Nothing changes it, so one will do for all. The API is there only once the first test begins.
let shop: Awaited<ReturnType<typeof makeShop>>
beforeEach(async () => {
  shop ??= await makeShop()
})

type Reader = Pick<Client, 'get'>

/** All of them, by their ids. */
const idsOf = (made: ReadonlyMap<string, { id: string }>) => [...made.values()].map(({ id }) => `id=${id}`).join('&')

const namesOf = (items: Product[]) => items.map(({ name }) => name)

async function seesOnlyActive(reader: Reader) {
  const { products, made } = shop
  const active = asRead(made.get('ACTIVE')?.body)
  for (const [status, { path }] of made) {
    const answer = await reader.get(path)
    if (status === 'ACTIVE') assert.deepEqual([answer.status, answer.body], [200, active])
    else assert.equal(refusal(answer), '404 NOT_FOUND')
    assert.equal((await reader.get(path, { 'if-none-match': '*' })).status, status === 'ACTIVE' ? 304 : 404)
  }
  for (const query of [
    '',
    '?category=lamps',
    '?query=lamp',
    '?query=lamps',
    '?query=lmap',
    '?status=ACTIVE',
    '?limit=1',
    '?slug=active',
    `?${idsOf(made)}`,
    `?${idsOf(made)}&query=lamp`,
  ]) {
    const { body } = await reader.get(products + query)
    assert.deepEqual(body, { items: [active], cursor: null }, query)
  }
  for (const query of ['?slug=draft', '?slug=archived', '?query=draft&category=lamps', '?query=archived']) {
    const { body } = await reader.get(products + query)
    assert.deepEqual(body, { items: [], cursor: null }, query)
  }
  for (const status of ['DRAFT', 'ARCHIVED']) {
    for (const more of ['', '&query=lamp', '&slug=draft', '&category=lamps']) {
      assert.equal(refusal(await reader.get(`${products}?status=${status}${more}`)), '403 FORBIDDEN')
    }
  }
}

async function seesAll(reader: Reader) {
  const { products, made } = shop
  for (const { path, body } of made.values()) assert.deepEqual((await reader.get(path)).body, body)
  for (const query of ['', '?category=lamps', '?query=lamp', `?${idsOf(made)}`, `?${idsOf(made)}&query=lamp`]) {
    const { items } = (await reader.get(products + query)).body
    assert.deepEqual(namesOf(items).sort(), ['ACTIVE lamp', 'ARCHIVED lamp', 'DRAFT lamp'], query)
  }
  for (const status of STATUSES) {
    for (const more of ['', '&query=lamp', '&category=lamps', `&slug=${status.toLowerCase()}`]) {
      const { items } = (await reader.get(`${products}?status=${status}${more}`)).body
      assert.deepEqual(items, [made.get(status)?.body], status + more)
    }
  }
}

test('a guest sees ACTIVE products only', async () => seesOnlyActive(await used.make.guest()))
test('a user without a role sees ACTIVE products only', async () => seesOnlyActive(await used.make.user()))

test('a member with every other permission sees ACTIVE products only', async () => {
  const others = PERMISSIONS.filter((permission) => permission !== 'ADMIN' && permission !== 'PRODUCTS_WRITE')
  await seesOnlyActive(await used.make.member(shop.id, ...others))
})

test('the ADMIN of another business sees ACTIVE products only', async () =>
  seesOnlyActive((await used.make.business()).admin))

test('who holds PRODUCTS_WRITE sees all products', async () =>
  seesAll(await used.make.member(shop.id, 'PRODUCTS_WRITE')))

test('an ADMIN sees all products', async () => {
  await seesAll(shop.admin)
  await seesAll(await used.make.member(shop.id, 'ADMIN'))
})

test('an API key sees what its user sees', async () => {
  const writer = await used.make.member(shop.id, 'PRODUCTS_WRITE')
  await seesAll(await used.make.apiKey(writer.id))
  await seesAll(await used.make.apiKey(writer.id, shop.id))
  await seesOnlyActive(await used.make.apiKey((await used.make.user()).id))
})

test('a key that is bound to another business sees ACTIVE products only', async () => {
  const other = await used.make.business({ owner: shop.admin })
  const key = await used.make.apiKey(shop.admin.id, other.id)
  const answers = await Promise.all([...shop.made.values()].map(({ path }) => key.get(path)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 200, 404],
  )
  assert.deepEqual(namesOf((await key.get(shop.products)).body.items), ['ACTIVE lamp'])
})

test('nobody sees anything without a token', async () => {
  const nobody = used.make.anonymous()
  assert.equal(refusal(await nobody.get(shop.products)), '401 UNAUTHENTICATED')
  for (const { path } of shop.made.values()) assert.equal(refusal(await nobody.get(path)), '401 UNAUTHENTICATED')
})

test('a status that does not exist is refused, DELETED included', async () => {
  for (const status of ['DELETED', 'active', '', 'SOLD']) {
    const refused = '422 VALIDATION_FAILED status INVALID'
    assert.equal(refusal(await shop.admin.get(`${shop.products}?status=${status}`)), refused)
  }
})

test('a product is seen and hidden with the next request after its status changes', async () => {
  const { admin, products, make } = { ...(await used.make.shop()), make: used.make }
  const { path, name } = await make.product({ admin, products }, { name: 'Blinker' })
  const guest = await make.guest()
  for (const [status, seen] of [
    ['DRAFT', false],
    ['ACTIVE', true],
    ['ARCHIVED', false],
    ['ACTIVE', true],
  ] as const) {
    await admin.put(path, { statuses: [{ status }] })
    assert.equal((await guest.get(path)).status, seen ? 200 : 404)
    for (const query of ['', '?query=blinker', '?slug=blinker']) {
      assert.deepEqual(namesOf((await guest.get(products + query)).body.items), seen ? [name] : [])
    }
  }
})

test('a permission that is taken hides drafts from the next request on', async () => {
  const { admin, id, path, made, products } = await makeShop({ cell: 'second' })
  const writer = await used.make.member(id, 'PRODUCTS_WRITE')
  const draft = made.get('DRAFT')?.path ?? ''
  assert.equal((await writer.get(draft)).status, 200)
  await admin.put(`${path}/roles/${writer.roleId}`, { permissions: [] })
  assert.equal((await writer.get(draft)).status, 404)
  assert.equal((await writer.get(products)).body.items.length, 1)
})

test('an ETag of a draft tells those nothing who cannot see it', async () => {
  const { path } = shop.made.get('DRAFT') ?? { path: '' }
  const etag = (await shop.admin.get(path)).headers.get('etag') ?? ''
  const answer = await (await used.make.guest()).get(path, { 'if-none-match': etag })
  assert.deepEqual([refusal(answer), answer.headers.get('etag')], ['404 NOT_FOUND', null])
})

test('a cursor of one who sees all is no good for one who does not', async () => {
  const { cursor } = (await shop.admin.get(`${shop.products}?limit=1`)).body
  const guest = await used.make.guest()
  assert.equal(
    refusal(await guest.get(`${shop.products}?limit=1&cursor=${cursor}`)),
    '422 VALIDATION_FAILED cursor INVALID',
  )
})

test('a page of ACTIVE products is full, however many others lie between', async () => {
  const { admin, products } = await used.make.shop()
  for (let n = 0; n < 12; n++) {
    await admin.post(products, { name: `P${n}`, statuses: [{ status: n % 4 ? 'DRAFT' : 'ACTIVE' }] })
  }
  const guest = await used.make.guest()
  const first = (await guest.get(`${products}?limit=2`)).body
  const second = (await guest.get(`${products}?limit=2&cursor=${first.cursor}`)).body
  assert.deepEqual([namesOf(first.items), namesOf(second.items), second.cursor], [['P8', 'P4'], ['P0'], null])
})
