import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { refusal } from '../../support/refusal.ts'
import { item, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })

type Order = { id: string; customerId: string }
type Page = { items: Order[]; cursor: string | null }
const idsOf = ({ items }: Pick<Page, 'items'>) => items.map(({ id }) => id)

async function open() {
  const shop = await openShop(used.make)
  const gift = await shop.priced(0)
  const list = async (
    query: Record<string, string | number> = {},
    caller: Pick<typeof shop.admin, 'get'> = shop.admin,
  ) => {
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const answer = await caller.get(`${shop.orders}?${search.toString()}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body as Page
  }
  const readAll = async (query: Record<string, string | number>, limits: () => number) => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const limit = limits()
      const page: Page = await list({ ...query, limit, cursor })
      assert.ok(page.items.length <= limit)
      assert.ok(page.cursor === null || page.items.length === limit, 'only the last page is short')
      seen.push(...idsOf(page))
      cursor = page.cursor
    }
    return seen
  }
  /** A free order, which needs no page. */
  const order = async (caller: Pick<typeof shop.admin, 'post' | 'get' | 'put'>) => {
    const { body } = await shop.checkout(caller, { items: [item(gift)] })
    return body.orderId as string
  }
  const set = async (id: string, status: string) =>
    assert.equal((await shop.admin.put(`${shop.orders}/${id}/status`, { status })).status, 200)
  return { ...shop, list, readAll, place: order, set }
}

test('orders are listed newest first, each as it is read alone', async () => {
  const { list, place, admin, orders } = await open()
  const guest = await used.make.guest()
  const made: string[] = []
  for (let n = 0; n < 4; n++) made.unshift(await place(guest))
  const page = await list()
  assert.deepEqual(idsOf(page), made)
  assert.equal(page.cursor, null)
  for (const found of page.items) assert.deepEqual(found, (await admin.get(`${orders}/${found.id}`)).body)
  assert.deepEqual(await list({ cursor: 'null' }), page)
})

test('a new business has no orders', async () => {
  const { list } = await open()
  assert.deepEqual(await list(), { items: [], cursor: null })
})

test('orders are filtered by the status they have now, not by one they had', async () => {
  const { list, place, set } = await open()
  const guest = await used.make.guest()
  const [one, two, three] = [await place(guest), await place(guest), await place(guest)]
  await set(two, 'SHIPPED')
  await set(three, 'SHIPPED')
  await set(three, 'DELIVERED')
  const of = async (status: string) => idsOf(await list({ status }))
  assert.deepEqual(
    [await of('PROCESSING'), await of('SHIPPED'), await of('DELIVERED'), await of('PENDING'), await of('CANCELLED')],
    [[one], [two], [three], [], []],
  )
})

test('orders are filtered by customer, and by both', async () => {
  const { list, place, set, admin, orders } = await open()
  const [first, second] = [await used.make.guest(), await used.make.user()]
  const [one, two, three] = [await place(first), await place(second), await place(first)]
  await set(three, 'SHIPPED')
  assert.deepEqual(idsOf(await list({ customerId: first.id })), [three, one])
  assert.deepEqual(idsOf(await list({ customerId: second.id })), [two])
  assert.deepEqual(idsOf(await list({ customerId: first.id, status: 'SHIPPED' })), [three])
  assert.deepEqual(idsOf(await list({ customerId: 'usr_nobody' })), [])
  assert.equal(refusal(await admin.get(`${orders}?status=PAID`)), '422 VALIDATION_FAILED status INVALID')
  assert.match(refusal(await admin.get(`${orders}?customerId=a%20b`)), /^422 VALIDATION_FAILED customerId/)
})

test('whoever pages, with any page size and filter, sees each order once', async () => {
  const { readAll, place, set } = await open()
  const [first, second] = [await used.make.guest(), await used.make.guest()]
  const made: { id: string; status: string; customerId: string }[] = []
  for (let n = 0; n < 24; n++) {
    const by = n % 3 ? first : second
    made.unshift({ id: await place(by), status: n % 2 ? 'SHIPPED' : 'PROCESSING', customerId: by.id })
  }
  await Promise.all(made.filter(({ status }) => status === 'SHIPPED').map(({ id }) => set(id, 'SHIPPED')))
  const choices = fc.record({
    limits: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
    status: fc.constantFrom(undefined, 'SHIPPED', 'PROCESSING', 'CANCELLED'),
    customerId: fc.constantFrom(undefined, first.id, second.id),
  })
  await fc.assert(
    fc.asyncProperty(choices, async ({ limits, status, customerId }) => {
      let turn = 0
      const query = { ...(status && { status }), ...(customerId && { customerId }) }
      const seen = await readAll(query, () => limits[turn++ % limits.length] as number)
      const expected = made.filter(
        (order) => (!status || order.status === status) && (!customerId || order.customerId === customerId),
      )
      assert.deepEqual(seen, idsOf({ items: expected }))
    }),
    { numRuns: 25 },
  )
})

test('a cursor stays valid while orders come, and belongs to its list and filters', async () => {
  const { list, place, admin, orders } = await open()
  const guest = await used.make.guest()
  const made: string[] = []
  for (let n = 0; n < 5; n++) made.unshift(await place(guest))
  const first = await list({ limit: 2 })
  await place(guest)
  assert.deepEqual(idsOf(await list({ limit: 3, cursor: first.cursor ?? '' })), made.slice(2))
  const other = await open()
  const cursor = encodeURIComponent(first.cursor ?? '')
  const answers = [
    await admin.get(`${orders}?status=PENDING&cursor=${cursor}`),
    await admin.get(`${orders}?customerId=${guest.id}&cursor=${cursor}`),
    await other.admin.get(`${other.orders}?cursor=${cursor}`),
    await admin.get(`${orders}?cursor=broken`),
  ]
  for (const answer of answers) assert.equal(refusal(answer), '422 VALIDATION_FAILED cursor INVALID')
  for (const limit of [0, 101, 'x']) {
    assert.match(refusal(await admin.get(`${orders}?limit=${limit}`)), /^422 VALIDATION_FAILED limit/)
  }
})

test('an order has an ETag, which changes with it', async () => {
  const { place, set, admin, orders } = await open()
  const path = `${orders}/${await place(await used.make.guest())}`
  const first = await admin.get(path)
  const etag = first.headers.get('etag') ?? ''
  const same = await admin.get(path, { 'if-none-match': etag })
  assert.deepEqual([same.status, same.text], [304, ''])
  await set(first.body.id, 'SHIPPED')
  const second = await admin.get(path, { 'if-none-match': etag })
  assert.equal(second.status, 200)
  assert.notEqual(second.headers.get('etag'), etag)
})

test('an order is its own business’s only', async () => {
  const { place, admin, orders, id } = await open()
  const other = await open()
  const orderId = await place(await used.make.guest())
  assert.equal(refusal(await other.admin.get(`${other.orders}/${orderId}`)), '404 NOT_FOUND')
  assert.equal(refusal(await other.admin.get(`${orders}/${orderId}`)), '404 NOT_FOUND')
  assert.deepEqual((await other.list()).items, [])
  assert.deepEqual((await other.admin.get(orders)).body.items, [], 'to this business a stranger')
  assert.equal(refusal(await admin.get(`${orders}/ord_none`)), '404 NOT_FOUND')
  for (const path of [orders, `${orders}/${orderId}`]) {
    assert.equal(refusal(await used.make.anonymous().get(path)), '401 UNAUTHENTICATED')
    const [reader, writer] = [await used.make.member(id, 'ORDERS_READ'), await used.make.member(id, 'PRODUCTS_WRITE')]
    assert.equal((await reader.get(path)).status, 200)
    const seen = await writer.get(path)
    assert.deepEqual(path === orders ? seen.body.items : seen.status, path === orders ? [] : 404)
  }
})
