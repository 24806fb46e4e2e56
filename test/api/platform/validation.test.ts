import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeCursor } from '#vocabulary/paging.ts'
import { assertError } from '../../support/assert-error.ts'
import type { Answer } from '../../support/client.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const market = {
  id: 'us',
  name: 'United States',
  currency: 'USD',
  taxBps: 825,
  taxShipping: false,
  pricesIncludeTax: false,
  taxRates: [],
  shippingMethods: [{ id: 'standard', name: 'Standard', price: 500 }],
  paymentMethods: ['CREDIT_CARD'],
}

/** The failing fields of a 422 and why, as `field CODE`, in the order of their names. */
const complaints = (answer: Answer) =>
  assertError(answer, 422, 'VALIDATION_FAILED')
    .details.map(({ field, error }) => `${field} ${error}`)
    .sort()

test('nothing in a body is coerced', async () => {
  const { admin, path } = await used.make.business()
  const cases: [body: unknown, complaint: string][] = [
    [{ name: 5 }, 'name INVALID'],
    [{ name: null }, 'name INVALID'],
    [{ name: ['Shop'] }, 'name INVALID'],
    [{ name: true }, 'name INVALID'],
    [{ locales: 'en' }, 'locales INVALID'],
    [{ locales: { 0: 'en' } }, 'locales INVALID'],
    [{ markets: [{ ...market, taxBps: '825' }] }, 'markets.0.taxBps INVALID'],
    [{ markets: [{ ...market, taxBps: 8.25 }] }, 'markets.0.taxBps INVALID'],
    [{ markets: [{ ...market, taxBps: null }] }, 'markets.0.taxBps INVALID'],
    [{ markets: [{ ...market, taxShipping: 'false' }] }, 'markets.0.taxShipping INVALID'],
    [{ markets: [{ ...market, taxShipping: 0 }] }, 'markets.0.taxShipping INVALID'],
    [{ markets: [market, 'us'] }, 'markets.1 INVALID'],
  ]
  for (const [body, complaint] of cases) assert.deepEqual(complaints(await admin.put(path, body)), [complaint])
  const { body } = await admin.get(path)
  assert.deepEqual(body.markets, [])
})

test('every failing field is listed once, with a code that says why', async () => {
  const { admin, path } = await used.make.business()
  const answer = await admin.put(path, {
    name: 'x'.repeat(201),
    slug: '',
    contactEmail: 'nobody',
    locales: [],
    allowedOrigins: ['https://a.example', 'https://a.example'],
    markets: [
      { ...market, taxBps: 10_001, shippingMethods: [{ id: 'a b', name: '', price: -1 }] },
      { ...market, currency: 'usd', paymentMethods: ['CASH'], shippingMethods: [{ id: 'x', price: 2 ** 53 }] },
      { id: 'de' },
    ],
  })
  assert.deepEqual(complaints(answer), [
    'allowedOrigins DUPLICATE',
    'contactEmail INVALID',
    'locales TOO_FEW',
    'markets.0.shippingMethods.0.id INVALID',
    'markets.0.shippingMethods.0.name TOO_SHORT',
    'markets.0.shippingMethods.0.price TOO_SMALL',
    'markets.0.taxBps TOO_LARGE',
    'markets.1.currency INVALID',
    'markets.1.paymentMethods.0 INVALID',
    'markets.1.shippingMethods.0.name REQUIRED',
    'markets.1.shippingMethods.0.price TOO_LARGE',
    'markets.2.currency REQUIRED',
    'markets.2.name REQUIRED',
    'markets.2.paymentMethods REQUIRED',
    'markets.2.shippingMethods REQUIRED',
    'markets.2.taxBps REQUIRED',
    'markets.2.taxShipping REQUIRED',
    'name TOO_LONG',
    'slug TOO_SHORT',
  ])
  assert.deepEqual(complaints(await admin.put(path, { locales: Array.from({ length: 101 }, (_, n) => `l${n}`) })), [
    'locales TOO_MANY',
  ])
})

test('each message reads alone', async () => {
  const { admin, path } = await used.make.business()
  const { message, details } = assertError(
    await admin.post(`${path}/roles`, { permissions: ['EVERYTHING'] }),
    422,
    'VALIDATION_FAILED',
  )
  assert.equal(message, details[0]?.message)
  assert.deepEqual(
    details.map(({ field }) => field),
    ['name', 'permissions.0'],
  )
  assert.equal(message, 'Fill in the name.')
  assert.match(
    details.find(({ field }) => field === 'permissions.0')?.message ?? '',
    /^Permission 1 must be one of ADMIN, PRODUCTS_WRITE/,
  )
})

test('lengths count characters, not their parts', async () => {
  const { admin, path } = await used.make.business()
  assert.equal((await admin.put(path, { name: '😀'.repeat(200) })).status, 200)
  assert.deepEqual(complaints(await admin.put(path, { name: '😀'.repeat(201) })), ['name TOO_LONG'])
})

test('unknown fields are ignored and never stored', async () => {
  const { admin, path, id } = await used.make.business()
  const { control } = used.api.services.databases
  const before = await control
    .selectFrom('access.businesses')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const answer = await admin.put(path, {
    name: 'Renamed',
    id: 'biz_000000000000',
    cell: 'elsewhere',
    version: 99,
    paymentAccount: 'acct_1',
    createdAt: 1,
    nonsense: { deep: [1] },
    markets: [{ ...market, secret: 1, shippingMethods: [{ ...market.shippingMethods[0], hidden: true }] }],
  })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body.markets, [market])

  const after = await control.selectFrom('access.businesses').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  assert.deepEqual(after, { ...before, name: 'Renamed', markets: [market], version: 2, updatedAt: after.updatedAt })

  const made = await admin.post(`${path}/roles`, { id: 'role_mine', name: 'Editors', permissions: [], businessId: id })
  assert.equal(made.status, 201, made.text)
  assert.notEqual(made.body.id, 'role_mine')
  assert.deepEqual(Object.keys(made.body).sort(), ['createdAt', 'id', 'name', 'permissions', 'updatedAt'])
})

test('a body that names another business than the path is 422', async () => {
  const { admin, path } = await used.make.business()
  const other = await used.make.business({ owner: admin })
  const body = { name: 'Editors', permissions: [], businessId: other.id }
  assert.deepEqual(complaints(await admin.post(`${path}/roles`, body)), ['businessId INVALID'])
  for (const { path: each } of [{ path }, other]) {
    const { body: roles } = await admin.get(`${each}/roles`)
    assert.equal(roles.items.length, 1)
  }
})

test('query values are read from text, and refused field by field', async () => {
  const { admin, path } = await used.make.business()
  await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] })
  const first = await admin.get(`${path}/roles?limit=1`)
  assert.equal(first.body.items.length, 1)
  const second = await admin.get(`${path}/roles?limit=1&cursor=${first.body.cursor}`)
  assert.equal(second.body.items.length, 1)
  assert.notEqual(second.body.items[0].id, first.body.items[0].id)
  for (const start of ['', 'null']) {
    assert.deepEqual((await admin.get(`${path}/roles?limit=1&cursor=${start}`)).body, first.body)
  }

  const cases = {
    'limit=abc': ['limit INVALID'],
    'limit=': ['limit INVALID'],
    'limit=1.5': ['limit INVALID'],
    'limit=0': ['limit TOO_SMALL'],
    'limit=101': ['limit TOO_LARGE'],
    'limit=1e9': ['limit TOO_LARGE'],
    'limit=1&limit=2': ['limit INVALID'],
    'cursor=broken': ['cursor INVALID'],
    'cursor=WzFd': ['cursor INVALID'],
    [`cursor=${'x'.repeat(1001)}&limit=0`]: ['cursor TOO_LONG', 'limit TOO_SMALL'],
  }
  for (const [query, expected] of Object.entries(cases)) {
    assert.deepEqual(complaints(await admin.get(`${path}/roles?${query}`)), expected, query)
  }
})

test('a cursor that was written by hand is refused, never handed to the database', async () => {
  const { admin, path, id } = await used.make.business()
  for (const [list, position] of [
    ['events', [1.5]],
    ['events', [1e300]],
    ['roles', ['\0']],
    ['roles', [1]],
  ] as const) {
    const filters =
      list === 'events' ? { list, businessId: id, after: undefined, type: undefined } : { list, businessId: id }
    const answer = await admin.get(`${path}/${list}?cursor=${encodeCursor(filters, [...position])}`)
    assert.deepEqual(complaints(answer), ['cursor INVALID'])
  }
})

test('wrong ids in the path are 422 or absent, never a crash', async () => {
  const { admin, path } = await used.make.business()
  assert.deepEqual(complaints(await admin.get(`${path}/roles/a%20b`)), ['id INVALID'])
  assert.deepEqual(complaints(await admin.get(`${path}/roles/${'x'.repeat(65)}`)), ['id TOO_LONG'])
  assertError(await admin.get(`${path}/roles/role_none`), 404, 'NOT_FOUND')
})

/** What it costs this process, caller and service together: unlike the time on the clock, the same on a busy machine. */
async function costOf<Result>(work: () => Promise<Result>): Promise<[Result, ms: number]> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return [result, (user + system) / 1000]
}

const KIB = 1024

test('a body of thousands of values gets its first failing field listed, a smaller one all of them, however long', async () => {
  const { admin, path } = await used.make.business()
  const failing = async (permissions: unknown[], name: string) =>
    assertError(await admin.post(`${path}/roles`, { permissions, name }), 422, 'VALIDATION_FAILED').details.length
  assert.equal(await failing(Array(3_000).fill(5), ''), 1)
  assert.equal(await failing([5, 6], 'x'.repeat(300 * KIB)), 3)
})

/** `item` again and again, as JSON, until it fills that many bytes. */
const fill = (item: string, bytes: number) =>
  Array(Math.floor(bytes / (item.length + 1)))
    .fill(item)
    .join()

for (const size of [250 * KIB, 2_000 * KIB]) {
  const hostile = {
    'numbers for permissions': `{"name":"x","permissions":[${fill('5', size)}]}`,
    'distinct words for permissions': `{"name":"x","permissions":[${Array.from({ length: size / 9 }, (_, n) => `"${n.toString(36)}"`).join()}]}`,
    'empty objects for permissions': `{"name":"x","permissions":[${fill('{}', size)}]}`,
    'a name without end': `{"name":"${'x'.repeat(size)}","permissions":[]}`,
    'a name of blanks': `{"name":"${' '.repeat(size)}","permissions":[]}`,
    'many unknown fields': `{${Array.from({ length: size / 16 }, (_, n) => `"k${n}":{}`).join()}}`,
  }
  for (const [what, raw] of Object.entries(hostile)) {
    test(`${Math.round(size / KIB)} KiB of wrong input are refused at once: ${what}`, async () => {
      const { admin, path } = await used.make.business()
      assert.ok(Buffer.byteLength(raw) < 2048 * KIB)
      const [answer, ms] = await costOf(() => admin.send('POST', `${path}/roles`, { raw }))
      const { details } = assertError(answer, 422, 'VALIDATION_FAILED')
      assert.ok(details.length > 0 && details.length <= 100)
      assert.ok(answer.text.length < 64 * KIB)
      assert.ok(ms < 1_000, `${ms} ms`)
    })
  }

  const settings = {
    'empty markets': `{"markets":[${fill('{}', size)}]}`,
    'markets of nulls': `{"markets":[${fill('null', size)}]}`,
    'an email of dots': `{"contactEmail":"${'a.'.repeat(size / 2)}"}`,
    'an email of labels': `{"contactEmail":"a@${'a-'.repeat(size / 2)}"}`,
    'a slug of hyphens': `{"slug":"${'a-'.repeat(size / 2)}"}`,
    'origins without end': `{"allowedOrigins":[${Array.from({ length: size / 9 }, (_, n) => `"${n.toString(36)}"`).join()}]}`,
  }
  for (const [what, raw] of Object.entries(settings)) {
    test(`${Math.round(size / KIB)} KiB of wrong settings are refused at once: ${what}`, async () => {
      const { admin, path } = await used.make.business()
      const [answer, ms] = await costOf(() => admin.send('PUT', path, { raw }))
      assertError(answer, 422, 'VALIDATION_FAILED')
      assert.ok(answer.text.length < 64 * KIB)
      assert.ok(ms < 1_000, `${ms} ms`)
    })
  }
}
