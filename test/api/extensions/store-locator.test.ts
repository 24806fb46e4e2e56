import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exampleOf, startExtendedApi } from '../../support/extended-api.ts'

let used: Awaited<ReturnType<typeof startExtendedApi>>
before(async () => {
  used = await startExtendedApi([exampleOf('store-locator')])
})
after(() => used.close())

const STORE = { name: 'Harbour shop', city: 'Hamburg', country: 'DE' }

async function openShop() {
  const { admin, id, path } = await used.make.business()
  const made = await admin.put(path, { storefront: { isPublic: true } })
  assert.equal(made.status, 200, made.text)
  return {
    admin,
    id,
    staff: `${path}/extensions/store-locator/stores`,
    shop: `/v1/storefront/${id}/extensions/store-locator/stores`,
  }
}

test('staff add stores, and everybody reads them', async () => {
  const { admin, staff, shop } = await openShop()
  const made = await admin.post(staff, STORE)
  assert.equal(made.status, 201, made.text)
  await admin.post(staff, { name: 'Pier shop', city: 'Oslo', country: 'NO' })

  const all = await used.make.anonymous().get(shop)
  assert.deepEqual(
    all.body.items.map(({ city }: { city: string }) => city),
    ['Hamburg', 'Oslo'],
  )
  assert.match(all.headers.get('cache-control') ?? '', /^public/)
  const german = await used.make.anonymous().get(`${shop}?country=DE`)
  assert.deepEqual(german.body.items, [{ id: made.body.id, ...STORE }])

  const first = await used.make.anonymous().get(`${shop}?limit=1`)
  const second = await used.make.anonymous().get(`${shop}?limit=1&cursor=${first.body.cursor}`)
  assert.deepEqual(
    second.body.items.map(({ city }: { city: string }) => city),
    ['Oslo'],
  )
  assert.equal(second.body.cursor, null)

  assert.equal((await admin.delete(`${staff}/${made.body.id}`)).status, 200)
  assert.equal((await admin.delete(`${staff}/${made.body.id}`)).status, 404)
})

test('routes of an extension are guarded like those of Kontor', async () => {
  const { staff } = await openShop()
  const { make } = used
  const answers = await Promise.all([
    make.anonymous().post(staff, STORE),
    (await make.guest()).post(staff, STORE),
    (await make.user()).post(staff, STORE),
    (await make.business()).admin.post(staff, STORE),
  ])
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.error]),
    [
      [401, 'UNAUTHENTICATED'],
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
    ],
  )
})

test('bodies are strict, and refused in one shape', async () => {
  const { admin, staff } = await openShop()
  const { status, body } = await admin.post(staff, { name: 7, city: 'Hamburg' })
  assert.equal(status, 422)
  assert.deepEqual(
    body.details.map(({ field, error }: Record<string, string>) => [field, error]),
    [
      ['name', 'INVALID'],
      ['country', 'REQUIRED'],
    ],
  )
  const made = await admin.post(staff, { ...STORE, opens: 'early' })
  assert.equal(made.headers.get('x-ignored-fields'), 'opens')
  assert.equal((await admin.get(`${staff}?colour=red`)).status, 404)
})

test('an Idempotency-Key makes one store of two requests', async () => {
  const { admin, staff, shop } = await openShop()
  const key = { 'idempotency-key': 'one-store' }
  const [first, again] = [await admin.post(staff, STORE, key), await admin.post(staff, STORE, key)]
  assert.equal(again.body.id, first.body.id)
  assert.equal((await used.make.anonymous().get(shop)).body.items.length, 1)
})

test('what belongs to another business is not found', async () => {
  const [mine, theirs] = [await openShop(), await openShop()]
  const made = await theirs.admin.post(theirs.staff, STORE)
  assert.equal((await mine.admin.delete(`${mine.staff}/${made.body.id}`)).status, 404)
  assert.equal((await used.make.anonymous().get(mine.shop)).body.items.length, 0)
})

test('the reference has a chapter for it', async () => {
  const { body } = await used.make.anonymous().get('/openapi.json')
  const { post } = body.paths['/v1/businesses/{businessId}/extensions/store-locator/stores']
  assert.deepEqual(post.tags, ['Store locator'])
  assert.deepEqual(Object.keys(post.responses), ['201', '400', '401', '403', '404', '409', '413', '422', '429', '503'])
  assert.ok(body.tags.some(({ name }: { name: string }) => name === 'Store locator'))
  assert.ok(body.components.schemas.Store)
})

test('the doctor knows it, and its migrations', async () => {
  const { output } = await used.runCli('doctor', '--json')
  const { checks } = JSON.parse(output) as { checks: { check: string; status: string; says: string }[] }
  const found = checks.find(({ check }) => check === 'extensions')
  assert.equal(found?.status, 'ok')
  assert.match(found?.says ?? '', /^store-locator \(/)
  assert.equal(checks.find(({ check }) => check === 'main: migrations')?.status, 'ok')
  assert.equal(checks.find(({ check }) => check === 'cell second: migrations')?.status, 'ok')
})

test('migrating again does nothing', async () => {
  assert.match(used.migrated, /main: applied ext_store_locator\/0001_stores\.sql/)
  assert.match(used.migrated, /second: applied ext_store_locator\/0001_stores\.sql/)
  const { code, output } = await used.migrate()
  assert.equal(code, 0)
  assert.match(output, /main: up to date\nsecond: up to date/)
  assert.doesNotMatch(output, /: applied/)
})
