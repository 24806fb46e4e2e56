import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asRead } from '../../support/as-read.ts'
import { assertError } from '../../support/assert-error.ts'
import { ARCHIVED, contentOf, DRAFT, EVERY_TYPE, PUBLISHED, readAll, TITLE } from '../../support/content.ts'
import { eventsOf } from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const open = async (cell?: string) => contentOf(await used.make.business(cell === undefined ? {} : { cell }))

const PLAN = {
  id: 'monthly',
  name: 'Supporter',
  description: 'Every letter.',
  price: { amount: 500, currency: 'usd', interval: 'MONTHLY' },
  features: ['The archive'],
}
const complete = {
  name: 'Letters',
  slug: 'letters',
  description: 'From the workshop.',
  type: 'NEWSLETTER',
  blocks: EVERY_TYPE,
  statuses: [{ id: 'first', status: 'PUBLISHED', changedBy: 'USER', userId: 'usr_x', timestamp: 1_700_000_000 }],
  plans: [PLAN, { id: 'free', name: 'Reader' }],
}

for (const cell of ['main', 'second']) {
  test(`in cell ${cell} a collection is created, read, listed, changed and deleted`, async () => {
    const { admin, id: businessId, collections, db } = await open(cell)
    const made = await admin.post(collections, complete)
    assert.equal(made.status, 201, made.text)
    const { id, createdAt } = made.body
    const path = `${collections}/${id}`

    assert.match(id, /^col_[0-9a-z]{26}$/)
    assert.ok(Number.isInteger(createdAt))
    const whole = { id, businessId, ...complete, doubleOptIn: false, schemaVersion: 1, createdAt, updatedAt: createdAt }
    assert.deepEqual(made.body, whole)
    assert.deepEqual((await admin.get(path)).body, { ...whole, staleEntries: 0 })
    assert.deepEqual((await admin.get(collections)).body, { items: [whole], cursor: null })

    const changed = await admin.put(path, { name: 'Notes' })
    assert.deepEqual(
      [changed.status, changed.body],
      [200, { ...whole, name: 'Notes', updatedAt: changed.body.updatedAt }],
    )

    const deleted = await admin.delete(path)
    assert.deepEqual([deleted.status, deleted.body], [200, { success: true }])
    assertError(await admin.get(path), 404, 'NOT_FOUND')
    assertError(await admin.put(path, { name: 'Ghost' }), 404, 'NOT_FOUND')
    assertError(await admin.delete(path), 404, 'NOT_FOUND')
    assertError(await admin.get(`${path}/stale-entries`), 404, 'NOT_FOUND')
    assert.deepEqual((await admin.get(collections)).body, { items: [], cursor: null })

    const told = await eventsOf(db, businessId, 'collection.created', 'collection.updated', 'collection.deleted')
    assert.deepEqual(
      told.map(({ type, subject, actorId, data }) => [type, subject, actorId, data]),
      [
        ['collection.created', id, admin.id, {}],
        ['collection.updated', id, admin.id, { fields: ['name'] }],
        ['collection.deleted', id, admin.id, {}],
      ],
    )
  })
}

test('a name is all that a collection needs', async () => {
  const { admin, id: businessId, collections } = await open()
  const { body } = await admin.post(collections, { name: 'Crème brûlée' })
  const { id, createdAt, statuses, ...rest } = body

  assert.deepEqual(rest, {
    businessId,
    name: 'Crème brûlée',
    slug: 'creme-brulee',
    description: '',
    type: 'STANDARD',
    blocks: [],
    schemaVersion: 1,
    updatedAt: createdAt,
  })
  const [{ id: statusId, ...status }, ...more] = statuses
  assert.ok(id && statusId)
  assert.deepEqual(more, [])
  assert.deepEqual(status, { status: 'DRAFT', changedBy: 'USER', userId: admin.id, timestamp: createdAt })
})

test('a slug made from the name gives way, one that was sent does not', async () => {
  const { admin, collections, collection } = await open()
  const other = await open()
  const first = await collection({ name: 'Blue notes' })
  const second = await collection({ name: 'Blue Notes!' })
  assert.equal(first.body.slug, 'blue-notes')
  assert.match(second.body.slug, /^blue-notes-[0-9a-z]{6}$/)
  assert.equal((await collection({ name: '!!!' })).body.slug, 'collection')

  const taken = '409 CONFLICT slug SLUG_EXISTS'
  assert.equal(refusal(await admin.post(collections, { name: 'x', slug: 'blue-notes' })), taken)
  assert.equal(refusal(await admin.put(second.path, { slug: 'blue-notes' })), taken)
  assert.equal((await admin.put(first.path, { slug: 'blue-notes' })).status, 200, 'its own')
  assert.equal((await other.collection({ slug: 'blue-notes' })).body.slug, 'blue-notes', 'of another business')
  await admin.delete(first.path)
  assert.equal((await admin.put(second.path, { slug: 'blue-notes' })).body.slug, 'blue-notes', 'free again')
})

test('two who want the same slug at once do not both get it', async () => {
  const { admin, collections } = await open()
  const sent = await Promise.all(['a', 'b', 'c'].map((name) => admin.post(collections, { name, slug: 'same' })))
  assert.deepEqual(sent.map(({ status }) => `${status}`).sort(), ['201', '409', '409'])
  const named = await Promise.all([1, 2, 3].map(() => admin.post(collections, { name: 'Twin' })))
  assert.equal(new Set(named.map(({ body }) => body.slug)).size, 3)
})

test('each field is changed alone, what is not sent stays, and a collection can be sent back as it was read', async () => {
  const { admin, collection } = await open()
  const { path } = await collection(complete)
  const changes = { name: 'Other', slug: 'other', description: '', blocks: [TITLE], plans: [PLAN] }
  for (const [field, value] of Object.entries(changes)) {
    const { staleEntries: _, ...before } = (await admin.get(path)).body
    const { status, body, text } = await admin.put(path, { [field]: value })
    assert.equal(status, 200, text)
    const schemaVersion = field === 'blocks' ? 2 : before.schemaVersion
    assert.deepEqual(body, { ...before, [field]: value, schemaVersion, updatedAt: body.updatedAt })
  }
  const before = (await admin.get(path)).body
  const sentBack = await admin.put(path, before)
  const { staleEntries: _, ...same } = before
  assert.deepEqual(sentBack.body, { ...same, updatedAt: sentBack.body.updatedAt }, 'the schema is still its second')
})

test('statuses only grow', async () => {
  const { admin, collection } = await open()
  const { path, body } = await collection({ statuses: [{ id: 'one', status: 'DRAFT' }] })
  assert.deepEqual(Object.keys(body.statuses[0]).sort(), ['changedBy', 'id', 'status', 'timestamp', 'userId'])
  const put = (statuses: object[]) => admin.put(path, { statuses })
  const history = async (statuses: object[]) =>
    (await put(statuses)).body.statuses.map(({ status }: { status: string }) => status).join(' ')

  assert.equal(await history([]), 'DRAFT')
  assert.equal(await history(DRAFT), 'DRAFT', 'without an id, the current one is not repeated')
  assert.equal(await history(PUBLISHED), 'DRAFT PUBLISHED')
  assert.equal(await history([{ id: 'one', status: 'DRAFT' }]), 'DRAFT PUBLISHED')
  assert.equal(
    await history([{ status: 'ARCHIVED' }, { id: 'four', status: 'DRAFT', changedBy: 'SYSTEM' }]),
    'DRAFT PUBLISHED ARCHIVED DRAFT',
  )
  assert.equal(refusal(await put([{ id: 'one', status: 'PUBLISHED' }])), '409 CONFLICT statuses.0.id STATUS_EXISTS')
  const ahead = Math.floor(Date.now() / 1000) + 400
  assert.equal(
    refusal(await put([{ status: 'PUBLISHED', timestamp: ahead }])),
    '422 VALIDATION_FAILED statuses.0.timestamp INVALID',
  )
  assert.equal(refusal(await put([{ status: 'ACTIVE' }])), '422 VALIDATION_FAILED statuses.0.status INVALID')
  assert.equal((await admin.get(path)).body.statuses.length, 4, 'what was refused left nothing')
})

test('only a newsletter has plans', async () => {
  const { admin, collections, collection } = await open()
  const refused = '422 VALIDATION_FAILED plans NOT_A_NEWSLETTER'
  assert.equal(refusal(await admin.post(collections, { name: 'x', plans: [PLAN] })), refused)
  const plain = await collection({ plans: [] })
  assert.ok(!('plans' in plain.body))
  assert.equal(refusal(await admin.put(plain.path, { plans: [PLAN] })), refused)
  const letters = await admin.put(plain.path, { type: 'NEWSLETTER', plans: [PLAN] })
  assert.deepEqual([letters.status, letters.body.plans], [200, [PLAN]])
  assert.equal(refusal(await admin.put(plain.path, { type: 'STANDARD' })), refused)
  assert.equal((await admin.put(plain.path, { type: 'STANDARD', plans: [] })).status, 200)
})

test('a plan has an id of its own, and a price in a currency that there is, or none', async () => {
  const { admin, collections, collection } = await open()
  const { body } = await collection({
    type: 'NEWSLETTER',
    plans: [{ name: 'Reader' }, { ...PLAN, price: { ...PLAN.price, amount: 0 } }],
  })
  assert.match(body.plans[0].id, /^pln_[0-9a-z]{26}$/)
  assert.equal(body.plans[1].price.amount, 0)

  const priced = (price: object) => [{ ...PLAN, price: { ...PLAN.price, ...price } }]
  const cases: [plans: object[], ...complaints: string[]][] = [
    [[PLAN, PLAN], 'plans.1.id DUPLICATE'],
    [[{ id: 'x' }], 'plans.0.name REQUIRED'],
    [[{ ...PLAN, id: 'a b' }], 'plans.0.id INVALID'],
    [priced({ currency: 'xyz' }), 'plans.0.price.currency INVALID'],
    [priced({ currency: 'kwd', amount: 1_002 }), 'plans.0.price.amount STEP'],
    [priced({ currency: 'USD' }), 'plans.0.price.currency INVALID'],
    [priced({ amount: -1 }), 'plans.0.price.amount TOO_SMALL'],
    [priced({ amount: 1.5 }), 'plans.0.price.amount INVALID'],
    [priced({ interval: 'DAILY' }), 'plans.0.price.interval INVALID'],
    [Array.from({ length: 51 }, (_, n) => ({ ...PLAN, id: `p${n}` })), 'plans TOO_MANY'],
  ]
  for (const [plans, ...complaints] of cases) {
    const answer = refusal(await admin.post(collections, { name: 'x', type: 'NEWSLETTER', plans }))
    assert.equal(answer, ['422 VALIDATION_FAILED', ...complaints].join(' '))
  }
})

test('a schema says what is wrong with it', async () => {
  const { admin, collections, collection } = await open()
  const { path, body } = await collection({ blocks: EVERY_TYPE })
  const select = { type: 'SELECT', settings: { options: ['S'] } }
  const choices = (count: number, word = '') => ({
    ...select,
    settings: { options: Array.from({ length: count }, (_, n) => `${word}${n}`) },
  })
  const cases: [blocks: object[], ...complaints: string[]][] = [
    [[TITLE, { ...TITLE }], 'blocks.1.id DUPLICATE'],
    [[{ ...TITLE, value: 'x' }], 'blocks.0.value INVALID'],
    [[TITLE, { type: 'SELECT' }], 'blocks.1.settings.options REQUIRED'],
    [[{ type: 'MULTI_SELECT', settings: { options: [] } }], 'blocks.0.settings.options REQUIRED'],
    [[{ ...select, settings: { options: ['S', 'S'] } }], 'blocks.0.settings.options DUPLICATE'],
    [[{ type: 'RELATIONSHIP' }], 'blocks.0.settings.targetType REQUIRED'],
    [[{ type: 'RELATIONSHIP', settings: { targetType: 'SHOP' } }], 'blocks.0.settings.targetType INVALID'],
    [[{ type: 'NUMBER', settings: { min: 2, max: 1 } }], 'blocks.0.settings.min INVALID'],
    [[{ type: 'NUMBER', settings: { maxLength: 1 } }], 'blocks.0.settings.maxLength INVALID'],
    [[{ type: 'TEXT', settings: { maxLength: 0 } }], 'blocks.0.settings.maxLength TOO_SMALL'],
    [[{ type: 'TEXT', settings: { variant: 'MARKDOWN' } }], 'blocks.0.settings.variant INVALID'],
    [
      [{ type: 'BOOLEAN', settings: { options: ['S'], integer: true } }],
      'blocks.0.settings.integer INVALID',
      'blocks.0.settings.options INVALID',
    ],
    [[{ type: 'MEDIA', settings: { accept: ['image'] } }], 'blocks.0.settings.accept.0 INVALID'],
    [[{ type: 'COLOUR' }], 'blocks.0.type INVALID'],
    [[{ id: 'x' }], 'blocks.0.type REQUIRED'],
    [[{ id: 'a.b', type: 'TEXT' }], 'blocks.0.id INVALID'],
    [Array.from({ length: 201 }, () => ({ type: 'TEXT' })), 'blocks TOO_MANY'],
    [[...Array.from({ length: 10 }, () => choices(500)), choices(1)], 'blocks TOO_MANY'],
    [Array.from({ length: 10 }, () => choices(260, 'x'.repeat(195))), 'blocks TOO_LARGE'],
  ]
  for (const [blocks, ...complaints] of cases) {
    const expected = ['422 VALIDATION_FAILED', ...complaints].join(' ')
    assert.equal(refusal(await admin.post(collections, { name: 'x', blocks })), expected)
    assert.equal(refusal(await admin.put(path, { blocks })), expected)
  }
  assert.deepEqual((await admin.get(path)).body.blocks, body.blocks)
  const kept = await admin.put(path, { blocks: [{ ...TITLE, value: null }] })
  assert.deepEqual(kept.body.blocks, [TITLE], 'null is no value')
  const named = await admin.put(path, { blocks: [{ type: 'TEXT' }] })
  assert.match(named.body.blocks[0].id, /^blk_/)
})

test('wrong fields are refused, unknown ones ignored', async () => {
  const { admin, collections, id } = await open()
  const cases: [body: object, complaint: string][] = [
    [{}, 'name REQUIRED'],
    [{ name: '' }, 'name TOO_SHORT'],
    [{ name: ' ' }, 'name INVALID'],
    [{ name: 'x'.repeat(201) }, 'name TOO_LONG'],
    [{ name: 5 }, 'name INVALID'],
    [{ name: 'x', slug: 'No Slug' }, 'slug INVALID'],
    [{ name: 'x', description: 'x'.repeat(10_001) }, 'description TOO_LONG'],
    [{ name: 'x', type: 'BLOG' }, 'type INVALID'],
    [{ name: 'x', blocks: {} }, 'blocks INVALID'],
    [{ name: 'x', businessId: 'biz_other' }, 'businessId INVALID'],
  ]
  for (const [body, complaint] of cases) {
    assert.equal(refusal(await admin.post(collections, body)), `422 VALIDATION_FAILED ${complaint}`)
  }
  const made = await admin.post(collections, { name: 'x', businessId: id, id: 'mine', version: 7, createdAt: 1 })
  assert.equal(made.status, 201)
  assert.ok(made.body.id !== 'mine' && made.body.createdAt > 1 && !('version' in made.body))
})

test('an Idempotency-Key makes one collection of two requests', async () => {
  const { admin, collections } = await open()
  const post = (body: object) => admin.post(collections, body, { 'idempotency-key': 'k' })
  const first = await post({ name: 'Once' })
  const again = await post({ name: 'Once' })
  assert.deepEqual([again.status, again.text], [201, first.text])
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.equal(refusal(await post({ name: 'Twice' })), '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED')
  assert.equal((await admin.get(collections)).body.items.length, 1)
})

test('the ETag counts changes: If-Match guards against lost updates, If-None-Match spares the body', async () => {
  const { admin, collection } = await open()
  const { path } = await collection()
  const guest = await used.make.guest()
  const stale = { 'if-match': '"1"' }
  assert.equal((await guest.get(path)).headers.get('etag'), '"1-read"')
  assert.equal((await admin.get(path)).headers.get('etag'), '"1.0"', 'with the number of its stale entries')
  assert.deepEqual(
    [
      (await guest.get(path, { 'if-none-match': '"1-read"' })).status,
      (await guest.get(path, { 'if-none-match': '"2-read"' })).status,
    ],
    [304, 200],
  )
  const changed = await admin.put(path, { name: 'Two' }, stale)
  assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"'])
  assert.equal((await guest.get(path, { 'if-none-match': '"1-read"' })).status, 200)
  assertError(await admin.put(path, { name: 'Three' }, stale), 412, 'PRECONDITION_FAILED')
  assertError(await admin.delete(path, stale), 412, 'PRECONDITION_FAILED')
  assert.equal((await admin.get(path)).body.name, 'Two')
  assert.equal((await admin.put(path, {}, { 'if-match': '*' })).headers.get('etag'), '"3"')
  assert.equal((await admin.delete(path, { 'if-match': '"3"' })).status, 200)
})

test('a list is paged newest first, and filtered by slug and status', async () => {
  const { admin, collections, collection } = await open()
  const ids: string[] = []
  for (const statuses of [PUBLISHED, DRAFT, ARCHIVED, PUBLISHED, DRAFT]) {
    ids.unshift((await collection({ name: 'Same', statuses })).id)
  }
  assert.deepEqual(await readAll(admin, collections, { limit: '2' }), ids)
  assert.deepEqual(await readAll(admin, collections, { limit: '1', status: 'DRAFT' }), [ids[0], ids[3]])
  assert.deepEqual(await readAll(admin, collections, { slug: 'same' }), [ids[4]])
  assert.deepEqual(await readAll(admin, collections, { slug: 'same', status: 'DRAFT' }), [])

  const { cursor } = (await admin.get(`${collections}?limit=2`)).body
  const foreign = '422 VALIDATION_FAILED cursor INVALID'
  for (const query of [`status=DRAFT&cursor=${cursor}`, `slug=same&cursor=${cursor}`, 'cursor=x']) {
    assert.equal(refusal(await admin.get(`${collections}?${query}`)), foreign)
  }
  const other = await open()
  assert.equal(refusal(await other.admin.get(`${other.collections}?cursor=${cursor}`)), foreign)
  for (const limit of ['0', '101', 'x']) {
    assert.match(refusal(await admin.get(`${collections}?limit=${limit}`)), /^422 VALIDATION_FAILED limit /)
  }
  assert.equal(refusal(await admin.get(`${collections}?status=GONE`)), '422 VALIDATION_FAILED status INVALID')
})

test('guests and users without a role see PUBLISHED collections only', async () => {
  const { id, admin, collections, collection } = await open()
  const hidden = [await collection({ statuses: DRAFT }), await collection({ statuses: [...PUBLISHED, ...ARCHIVED] })]
  const shown = await collection({ name: 'Shown' })
  const readers = [
    await used.make.guest(),
    await used.make.user(),
    await used.make.member(id, 'PRODUCTS_WRITE', 'ORDERS_READ', 'SUBSCRIBERS_READ'),
    (await used.make.business()).admin,
    await used.make.apiKey(admin.id, (await used.make.business()).id),
  ]
  for (const reader of readers) {
    assert.deepEqual((await reader.get(collections)).body.items, [asRead(shown.body)])
    assert.deepEqual((await reader.get(`${collections}?status=PUBLISHED`)).body.items, [asRead(shown.body)])
    assert.deepEqual((await reader.get(shown.path)).body, asRead(shown.body), 'without staleEntries')
    for (const status of ['DRAFT', 'ARCHIVED'])
      assertError(await reader.get(`${collections}?status=${status}`), 403, 'FORBIDDEN')
    for (const { path, body } of hidden) {
      assertError(await reader.get(path), 404, 'NOT_FOUND')
      assertError(await reader.get(path, { 'if-none-match': '*' }), 404, 'NOT_FOUND')
      assert.deepEqual((await reader.get(`${collections}?slug=${body.slug}`)).body.items, [])
    }
  }
  for (const permission of ['CONTENT_READ_DRAFTS', 'CONTENT_WRITE', 'ADMIN'] as const) {
    const member = await used.make.member(id, permission)
    assert.equal((await member.get(collections)).body.items.length, 3)
    const told = (record: Parameters<typeof asRead>[0]) =>
      permission === 'CONTENT_READ_DRAFTS' ? asRead(record) : record
    for (const { path, body } of hidden)
      assert.deepEqual((await member.get(path)).body, told({ ...body, staleEntries: 0 }))
  }
})

test('only who holds CONTENT_WRITE writes; without a token nobody reads', async () => {
  const { id, admin, collections, collection } = await open()
  const { path, body } = await collection()
  const calls = (caller: typeof admin | ReturnType<typeof used.make.anonymous>) => [
    caller.post(collections, { name: 'x' }),
    caller.put(path, { name: 'x' }),
    caller.delete(path),
    caller.get(`${path}/stale-entries`),
  ]
  const readers = [await used.make.guest(), await used.make.user(), await used.make.member(id, 'CONTENT_READ_DRAFTS')]
  for (const reader of readers)
    for (const answer of await Promise.all(calls(reader))) assertError(answer, 403, 'FORBIDDEN')
  const nobody = used.make.anonymous()
  const answers = await Promise.all([...calls(nobody), nobody.get(collections), nobody.get(path)])
  for (const answer of answers) assertError(answer, 401, 'UNAUTHENTICATED')
  assert.deepEqual((await admin.get(path)).body, { ...body, staleEntries: 0 })
  const writer = await used.make.member(id, 'CONTENT_WRITE')
  assert.equal((await writer.post(collections, { name: 'x' })).status, 201)
  assert.equal((await writer.put(path, { name: 'x' })).status, 200)
  assert.equal((await writer.get(`${path}/stale-entries`)).status, 200)
  assert.equal((await writer.delete(path)).status, 200)
})

test('another business’s collection is not there', async () => {
  const [here, there] = [await open(), await open()]
  const { id } = await there.collection()
  const path = `${here.collections}/${id}`
  const answers = [
    await here.admin.get(path),
    await here.admin.put(path, { name: 'x' }),
    await here.admin.delete(path),
    await here.admin.get(`${path}/stale-entries`),
  ]
  for (const answer of answers) assertError(answer, 404, 'NOT_FOUND')
  assert.equal((await there.admin.get(`${there.collections}/${id}`)).status, 200)
})

test('a collection that has entries cannot be deleted', async () => {
  const { admin, collection, entry } = await open()
  const full = await collection()
  const { path } = await entry(full, { statuses: DRAFT })
  assert.equal(refusal(await admin.delete(full.path)), '409 CONFLICT id IN_USE')
  assert.equal((await admin.get(full.path)).status, 200)
  await admin.delete(path)
  assert.equal((await admin.delete(full.path)).status, 200)
})

test('an entry that is made while its collection is deleted ends with it, or keeps it', async () => {
  const { admin, entries, collection } = await open()
  for (let round = 0; round < 5; round++) {
    const { id, path } = await collection()
    const [made, deleted] = await Promise.all([admin.post(entries, { collectionId: id }), admin.delete(path)])
    const outcome = `${refusal(made)}, ${refusal(deleted)}`
    const fine = ['201, 409 CONFLICT id IN_USE', '422 VALIDATION_FAILED collectionId NOT_FOUND, 200']
    assert.ok(fine.includes(outcome), outcome)
  }
})
