import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { assertError } from '../../support/assert-error.ts'
import {
  ARCHIVED,
  BODY,
  contentOf,
  DRAFT,
  EVERY_TYPE,
  everyValue,
  openContentShop,
  PICTURE,
  PUBLISHED,
  readPage,
  type SentBlock,
  TITLE,
  text,
  titled,
} from '../../support/content.ts'
import { eventsOf } from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const open = async (cell?: string) => contentOf(await used.make.business(cell === undefined ? {} : { cell }))
const invalid = (...complaints: string[]) => ['422 VALIDATION_FAILED', ...complaints].join(' ')

/** A block of the schema, with a value. */
const filled = (schema: readonly SentBlock[], sent: SentBlock) => ({
  ...schema.find(({ id }) => id === sent.id),
  value: sent.value,
})

for (const cell of ['main', 'second']) {
  test(`in cell ${cell} an entry with every type of block is created, read, listed, changed and deleted`, async () => {
    const { admin, id: businessId, entries, collection, db } = await open(cell)
    const { id: collectionId } = await collection({ blocks: EVERY_TYPE })
    const values = everyValue(collectionId)
    const made = await admin.post(entries, { collectionId, locale: 'de-CH', blocks: values, statuses: PUBLISHED })
    assert.equal(made.status, 201, made.text)
    const { id, createdAt, statuses } = made.body
    const path = `${entries}/${id}`

    assert.match(id, /^ent_[0-9a-z]{26}$/)
    assert.equal(statuses[0].status, 'PUBLISHED')
    const whole = {
      id,
      businessId,
      owner: `collection:${collectionId}`,
      locale: 'de-CH',
      blocks: values.map((block) => filled(EVERY_TYPE, block)),
      statuses,
      schemaVersion: 1,
      createdAt,
      updatedAt: createdAt,
    }
    assert.deepEqual(made.body, whole)
    assert.deepEqual((await admin.get(path)).body, whole)
    assert.deepEqual(await readPage(admin, entries), { items: [whole], cursor: null })
    assert.deepEqual(await readPage(admin, entries, { collectionId }), { items: [whole], cursor: null })

    const changed = await admin.put(path, { locale: 'en' })
    assert.deepEqual(
      [changed.status, changed.body],
      [200, { ...whole, locale: 'en', updatedAt: changed.body.updatedAt }],
    )
    assert.deepEqual((await admin.get(path)).body, changed.body)

    const deleted = await admin.delete(path)
    assert.deepEqual([deleted.status, deleted.body], [200, { success: true }])
    const answers = [
      await admin.get(path),
      await admin.put(path, {}),
      await admin.delete(path),
      await admin.get(`${path}/versions`),
      await admin.get(`${path}/versions/1`),
      await admin.post(`${path}/versions/1/restore`, undefined),
    ]
    for (const answer of answers) assertError(answer, 404, 'NOT_FOUND')
    for (const query of [{}, { query: 'harbour' }, { 'block.size': 'M' }] as Record<string, string>[]) {
      assert.deepEqual(await readPage(admin, entries, query), { items: [], cursor: null })
    }

    const types = ['entry.created', 'entry.published', 'entry.updated', 'entry.deleted']
    const told = await eventsOf(db, businessId, ...types)
    assert.deepEqual(
      told.map(({ type, subject, actorId }) => [type, subject, actorId]),
      ['entry.created', 'entry.published', 'entry.updated', 'entry.deleted'].map((type) => [type, id, admin.id]),
    )
  })
}

test('the owner is a collection, an order or a reservation, and must be there', async () => {
  const { admin, entries, collection, order } = await openContentShop(used.make)
  const { id } = await collection()
  const orderId = await order(await used.make.guest())
  const post = (body: object) => admin.post(entries, { blocks: [], ...body })

  for (const body of [
    { collectionId: id },
    { owner: `collection:${id}` },
    { collectionId: id, owner: `collection:${id}` },
  ]) {
    const made = await post(body)
    assert.deepEqual([made.status, made.body.owner], [201, `collection:${id}`], made.text)
  }
  for (const owner of [`order:${orderId}`, 'reservation:any-Id_1']) {
    const made = await post({ owner, blocks: [{ type: 'TEXT', value: 'x' }] })
    assert.deepEqual([made.status, made.body.owner], [201, owner])
    assert.ok(!('schemaVersion' in made.body) && made.body.blocks[0].id)
  }
  const there = await openContentShop(used.make)
  const foreign = await there.collection()
  const foreignOrder = await there.order(await used.make.guest())
  const cases: [body: object, ...complaints: string[]][] = [
    [{}, 'collectionId REQUIRED'],
    [{ collectionId: 'col_none' }, 'collectionId NOT_FOUND'],
    [{ collectionId: foreign.id }, 'collectionId NOT_FOUND'],
    [{ owner: 'collection:col_none' }, 'owner NOT_FOUND'],
    [{ owner: 'order:ord_none' }, 'owner NOT_FOUND'],
    [{ owner: `order:${foreignOrder}` }, 'owner NOT_FOUND'],
    [{ owner: 'shop:x' }, 'owner INVALID'],
    [{ owner: 'order:' }, 'owner INVALID'],
    [{ owner: 'order:a b' }, 'owner INVALID'],
    [{ collectionId: 'a b' }, 'collectionId INVALID'],
    [{ collectionId: id, owner: `order:${orderId}` }, 'owner INVALID'],
  ]
  const entry = await post({ collectionId: id })
  for (const [body, ...complaints] of cases) {
    assert.equal(refusal(await post(body)), invalid(...complaints))
    if (Object.keys(body).length === 0) continue
    assert.equal(refusal(await admin.put(`${entries}/${entry.body.id}`, body)), invalid(...complaints))
  }
})

test('entries of orders and reservations also need ORDERS_READ', async () => {
  const { id: businessId, admin, entries, collection, entry } = await open()
  const writer = await used.make.member(businessId, 'CONTENT_WRITE')
  const { id } = await collection()
  const owned = await entry('reservation:r1', { blocks: [] })
  const own = await entry({ id })
  assertError(await writer.post(entries, { owner: 'reservation:r1' }), 403, 'FORBIDDEN')
  assertError(await writer.put(own.path, { owner: 'reservation:r1' }), 403, 'FORBIDDEN')
  const answers = [
    await writer.get(owned.path),
    await writer.put(owned.path, { collectionId: id }),
    await writer.delete(owned.path),
    await writer.get(`${owned.path}/versions`),
    await writer.get(`${owned.path}/versions/1`),
    await writer.post(`${owned.path}/versions/1/restore`, undefined),
  ]
  for (const answer of answers) assertError(answer, 404, 'NOT_FOUND')
  assert.deepEqual((await admin.get(owned.path)).body, owned.body)
  const clerk = await used.make.member(businessId, 'CONTENT_WRITE', 'ORDERS_READ')
  assert.equal((await clerk.put(owned.path, { blocks: [{ type: 'TEXT', value: 'x' }] })).status, 200)
})

test('a DRAFT may be incomplete, what is PUBLISHED may not', async () => {
  const { admin, entries, collection } = await open()
  const required = ['TEXT', 'NUMBER', 'BOOLEAN', 'MULTI_SELECT'].map((type) => ({
    id: type.toLowerCase(),
    type,
    required: true,
    ...(type === 'MULTI_SELECT' && { settings: { options: ['a'] } }),
  }))
  const { id: collectionId } = await collection({ blocks: required })
  const made = await admin.post(entries, { collectionId })
  assert.deepEqual([made.status, made.body.blocks, made.body.statuses[0].status], [201, [], 'DRAFT'])
  const path = `${entries}/${made.body.id}`

  const lacks = (...ids: string[]) => invalid(...ids.map((id) => `blocks.${id} REQUIRED`).sort())
  assert.equal(
    refusal(await admin.put(path, { statuses: PUBLISHED })),
    lacks('text', 'number', 'boolean', 'multi_select'),
  )
  assert.equal(
    refusal(await admin.post(entries, { collectionId, statuses: PUBLISHED })),
    lacks('text', 'number', 'boolean', 'multi_select'),
  )
  const empty = [
    text('text', ''),
    { id: 'number', type: 'NUMBER', value: null },
    { id: 'boolean', type: 'BOOLEAN' },
    { id: 'multi_select', type: 'MULTI_SELECT', value: [] },
  ]
  assert.equal((await admin.put(path, { blocks: empty })).status, 200, 'empty values are fine in a DRAFT')
  const complaints = [0, 1, 2, 3].map((index) => `blocks.${index}.value REQUIRED`)
  assert.equal(refusal(await admin.put(path, { statuses: PUBLISHED })), invalid(...complaints))
  assert.equal((await admin.get(path)).body.statuses.length, 1)

  const full = [
    text('text', 'x'),
    { id: 'number', type: 'NUMBER', value: 0 },
    { id: 'boolean', type: 'BOOLEAN', value: false },
    { id: 'multi_select', type: 'MULTI_SELECT', value: ['a'] },
  ]
  assert.equal((await admin.put(path, { blocks: full, statuses: PUBLISHED })).status, 200, '0 and false are values')
  assert.equal(refusal(await admin.put(path, { blocks: full.slice(1) })), lacks('text'), 'and stays complete')
  assert.equal((await admin.put(path, { blocks: [], statuses: ARCHIVED })).status, 200)
})

test('each block is checked against the schema', async () => {
  const { admin, entries, collection, entry } = await open()
  const schema = await collection({ blocks: EVERY_TYPE })
  const { path, body } = await entry(schema)
  const cases: [blocks: object[], ...complaints: string[]][] = [
    [[text('title', 'x'.repeat(101))], 'blocks.0.value TOO_LONG'],
    [[text('title', { en: 'ok', de: 'x'.repeat(101) })], 'blocks.0.value.de TOO_LONG'],
    [
      [
        text('title', 'ok'),
        { id: 'open', type: 'BOOLEAN' },
        { id: 'day', type: 'DATE' },
        text('body', { en: 5, nope_: 'x' }),
      ],
      'blocks.3.value.en INVALID',
      'blocks.3.value.nope_ INVALID',
    ],
    [[{ id: 'stars', type: 'NUMBER', value: 11 }], 'blocks.0.value INVALID'],
    [[{ id: 'stars', type: 'NUMBER', value: '4' }], 'blocks.0.value INVALID'],
    [[{ id: 'open', type: 'BOOLEAN', value: 'true' }], 'blocks.0.value INVALID'],
    [[{ id: 'day', type: 'DATE', value: 1.5 }], 'blocks.0.value INVALID'],
    [[{ id: 'link', type: 'RELATIONSHIP', value: 'a b' }], 'blocks.0.value INVALID'],
    [[{ id: 'link', type: 'RELATIONSHIP', value: 'col_none' }], 'blocks.0.value NOT_FOUND'],
    [
      [{ id: 'place', type: 'GEO_LOCATION', value: { latitude: 91 } }],
      'blocks.0.value.latitude INVALID',
      'blocks.0.value.longitude REQUIRED',
    ],
    [[{ id: 'pictures', type: 'MEDIA', value: [PICTURE, PICTURE, PICTURE] }], 'blocks.0.value INVALID'],
    [
      [{ id: 'pictures', type: 'MEDIA', value: { ...PICTURE, mimeType: 'video/mp4' } }],
      'blocks.0.value.mimeType INVALID',
    ],
    [[{ id: 'pictures', type: 'MEDIA', value: [{ ...PICTURE, url: 'javascript:x' }] }], 'blocks.0.value.0.url INVALID'],
    [[{ id: 'size', type: 'SELECT', value: 'XL' }], 'blocks.0.value INVALID'],
    [
      [{ id: 'colours', type: 'MULTI_SELECT', value: ['red', 'pink', 'red'] }],
      'blocks.0.value.1 INVALID',
      'blocks.0.value.2 DUPLICATE',
    ],
    [[{ id: 'unknown', type: 'TEXT' }], 'blocks.0.id NOT_FOUND'],
    [[{ type: 'TEXT' }], 'blocks.0.id REQUIRED'],
    [[{ id: 'title', type: 'NUMBER', value: 1 }], 'blocks.0.type INVALID'],
    [[text('title', 'a'), text('title', 'b')], 'blocks.1.id DUPLICATE'],
  ]
  for (const [blocks, ...complaints] of cases) {
    const draft = { collectionId: schema.id, blocks, statuses: DRAFT }
    assert.equal(refusal(await admin.post(entries, draft)), invalid(...complaints))
    assert.equal(refusal(await admin.put(path, { blocks, statuses: DRAFT })), invalid(...complaints))
  }
  assert.deepEqual((await admin.get(path)).body, body, 'what was refused changed nothing')
})

test('label, required and settings are the schema’s, whatever was sent; null is kept', async () => {
  const { admin, entries, collection } = await open()
  const { id: collectionId } = await collection({ blocks: EVERY_TYPE })
  const sent = [
    { id: 'stars', type: 'NUMBER', label: 'Mine', required: true, settings: { max: 1_000 }, value: null },
    { ...text('title', 'x'), settings: { maxLength: 1, variant: 'HTML' }, label: 'Mine' },
    { id: 'place', type: 'GEO_LOCATION', value: { latitude: 1, longitude: 2, altitude: 3 } },
  ]
  const { body } = await admin.post(entries, { collectionId, blocks: sent })
  assert.deepEqual(body.blocks, [
    { id: 'stars', type: 'NUMBER', settings: { min: -10, max: 10 }, value: null },
    { ...EVERY_TYPE[0], value: 'x' },
    { id: 'place', type: 'GEO_LOCATION', value: { latitude: 1, longitude: 2 } },
  ])
})

test('HTML is cleaned in every locale, plain text is left alone', async () => {
  const { collection, entry } = await open()
  const schema = await collection()
  const dirty = '<p onclick="x()">Hi <script>alert(1)</script><b>there</b></p>'
  const { body } = await entry(schema, { blocks: [text('title', dirty), text('body', { en: dirty, de: 'a & b' })] })
  assert.deepEqual(
    body.blocks.map(({ value }: SentBlock) => value),
    [dirty, { en: '<p>Hi <b>there</b></p>', de: 'a &amp; b' }],
  )
})

test('a PUT keeps what is not sent, and blocks are replaced whole', async () => {
  const { admin, collection, entry } = await open()
  const { path, body } = await entry(await collection(), {
    blocks: [text('title', 'One'), text('body', 'Two')],
    locale: 'fr',
  })
  assert.deepEqual((await admin.put(path, {})).body.blocks, body.blocks)
  const changed = await admin.put(path, { blocks: titled('Three') })
  assert.deepEqual(changed.body, { ...body, blocks: [{ ...TITLE, value: 'Three' }], updatedAt: changed.body.updatedAt })
  const back = await admin.put(path, body)
  assert.deepEqual(back.body, { ...body, updatedAt: back.body.updatedAt }, 'as it was read it can be sent back')
})

test('moving to another collection checks against that one’s schema', async () => {
  const { admin, entries, collection, entry } = await open()
  const [journal, notes] = [await collection(), await collection({ name: 'Notes', blocks: [TITLE] })]
  const { id, path } = await entry(journal, { blocks: [text('title', 'Wandering'), text('body', '<b>x</b>')] })
  assert.equal(refusal(await admin.put(path, { collectionId: notes.id })), invalid('blocks.1.id NOT_FOUND'))
  assert.equal((await admin.put(path, { collectionId: notes.id, blocks: titled('Wandering') })).status, 200)
  const where = async (query: Record<string, string>) =>
    (await readPage(admin, entries, query)).items.map((one) => one.id)
  for (const query of [{}, { query: 'wandering' }, { 'block.title': 'Wandering' }] as Record<string, string>[]) {
    assert.deepEqual(await where({ ...query, collectionId: journal.id }), [])
    assert.deepEqual(await where({ ...query, collectionId: notes.id }), [id])
  }
  assert.equal((await admin.delete(journal.path)).status, 200, 'nothing is left there')
  assert.equal((await admin.put(path, { owner: 'reservation:r1' })).status, 200)
  for (const query of [{}, { query: 'wandering' }, { 'block.title': 'Wandering' }] as Record<string, string>[]) {
    assert.deepEqual(await where(query), [])
  }
  assert.deepEqual(await where({ owner: 'reservation:r1' }), [id])
})

test('what came from a reservation is found in its collection, also by a typo', async () => {
  const { admin, entries, collection, entry } = await open()
  const { id: collectionId } = await collection()
  const { id, path } = await entry('reservation:r1', { blocks: titled('Marmalade') })
  assert.equal((await admin.put(path, { collectionId })).status, 200)
  for (const query of ['marmalade', 'marmelade']) {
    assert.deepEqual(
      (await readPage(admin, entries, { query })).items.map((one) => one.id),
      [id],
      query,
    )
  }
})

test('statuses only grow', async () => {
  const { admin, collection, entry } = await open()
  const { path } = await entry(await collection(), { statuses: [{ id: 'one', status: 'DRAFT' }] })
  const put = async (...statuses: object[]) => admin.put(path, { statuses })
  const history = async (...statuses: object[]) => {
    const { body } = await put(...statuses)
    return body.statuses.map(({ status }: { status: string }) => status).join(' ')
  }
  assert.equal(await history(...DRAFT), 'DRAFT')
  assert.equal(await history(...PUBLISHED), 'DRAFT PUBLISHED')
  assert.equal(await history({ id: 'one', status: 'DRAFT' }), 'DRAFT PUBLISHED')
  assert.equal(await history(...ARCHIVED, ...DRAFT), 'DRAFT PUBLISHED ARCHIVED DRAFT')
  assert.equal(refusal(await put({ id: 'one', status: 'ARCHIVED' })), '409 CONFLICT statuses.0.id STATUS_EXISTS')
  assert.equal(refusal(await put({ status: 'GONE' })), invalid('statuses.0.status INVALID'))
})

test('a locale is a language tag, the business’s if none is sent', async () => {
  const { admin, path, entries, collection } = await open()
  const { id: collectionId } = await collection()
  assert.equal((await admin.put(path, { defaultLocale: 'pl', locales: ['pl', 'en'] })).status, 200)
  const localeOf = async (locale?: string) => (await admin.post(entries, { collectionId, locale })).body.locale
  assert.deepEqual([await localeOf(), await localeOf('zh-Hant-TW'), await localeOf('en')], ['pl', 'zh-Hant-TW', 'en'])
  for (const locale of ['EN', 'de_CH', 'de-ch', 'english!', 'xx-']) {
    assert.equal(refusal(await admin.post(entries, { collectionId, locale })), invalid('locale INVALID'), locale)
  }
  assert.equal(refusal(await admin.post(entries, { collectionId, locale: 'e' })), invalid('locale TOO_SHORT'))
})

test('an Idempotency-Key makes one entry of two requests', async () => {
  const { admin, entries, collection } = await open()
  const { id: collectionId } = await collection()
  const post = (body: object) => admin.post(entries, { collectionId, ...body }, { 'idempotency-key': 'k' })
  const [first, again] = [await post({}), await post({})]
  assert.deepEqual([again.status, again.text, again.headers.get('idempotency-replayed')], [201, first.text, 'true'])
  assert.equal(refusal(await post({ locale: 'fr' })), invalid('Idempotency-Key IDEMPOTENCY_KEY_REUSED'))
  assert.equal((await readPage(admin, entries)).items.length, 1)
})

test('the ETag counts changes: If-Match guards against lost updates, If-None-Match spares the body', async () => {
  const { admin, collection, entry } = await open()
  const { path } = await entry(await collection())
  const guest = await used.make.guest()
  assert.equal((await guest.get(path)).headers.get('etag'), '"1-read"')
  assert.equal((await guest.get(path, { 'if-none-match': '"1-read"' })).status, 304)
  assert.equal((await guest.get(path, { 'if-none-match': '"2-read"' })).status, 200)
  const changed = await admin.put(path, { locale: 'fr' }, { 'if-match': '"1"' })
  assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"'])
  for (const answer of [
    await admin.put(path, { locale: 'it' }, { 'if-match': '"1"' }),
    await admin.delete(path, { 'if-match': '"1"' }),
    await admin.send('POST', `${path}/versions/1/restore`, { headers: { 'if-match': '"1"' } }),
  ]) {
    assertError(answer, 412, 'PRECONDITION_FAILED')
  }
  assert.equal((await guest.get(path)).body.locale, 'fr')
  assert.equal((await admin.delete(path, { 'if-match': '"2"' })).status, 200)
})

test('only who holds CONTENT_WRITE writes; another business’s entry is not there', async () => {
  const { id, admin, entries, collection, entry } = await open()
  const { id: collectionId } = await collection()
  const { id: entryId, path, body } = await entry({ id: collectionId })
  type Caller = Pick<typeof admin, 'get' | 'post' | 'put' | 'delete'>
  const calls = (caller: Caller, at = path) => [
    caller.put(at, {}),
    caller.delete(at),
    caller.get(`${at}/versions`),
    caller.get(`${at}/versions/1`),
    caller.post(`${at}/versions/1/restore`, undefined),
  ]
  for (const caller of [
    await used.make.guest(),
    await used.make.user(),
    await used.make.member(id, 'CONTENT_READ_DRAFTS', 'ORDERS_READ'),
  ]) {
    const answers = await Promise.all([...calls(caller), caller.post(entries, { collectionId })])
    for (const answer of answers) assertError(answer, 403, 'FORBIDDEN')
  }
  const nobody = used.make.anonymous()
  const answers = await Promise.all([...calls(nobody), nobody.get(path), nobody.get(entries), nobody.post(entries, {})])
  for (const answer of answers) assertError(answer, 401, 'UNAUTHENTICATED')

  const other = await open()
  const there = `${other.entries}/${entryId}`
  for (const answer of await Promise.all([...calls(other.admin, there), other.admin.get(there)]))
    assertError(answer, 404, 'NOT_FOUND')
  assert.deepEqual((await admin.get(path)).body, body)
})

test('an entry of a megabyte is kept and found, one that is larger is refused', async () => {
  const { admin, entries, collection } = await open()
  const blocks = Array.from({ length: 16 }, (_, index) => ({ id: `part${index}`, type: 'TEXT' }))
  const { id: collectionId } = await collection({
    blocks: [...blocks, { id: 'huge', type: 'TEXT', settings: { maxLength: 1_000_000 } }],
  })
  const parts = (count: number) =>
    blocks.slice(0, count).map(({ id }) => text(id, `${id} `.repeat(90_000 / (id.length + 1))))
  const made = await admin.post(entries, { collectionId, blocks: parts(11), statuses: PUBLISHED })
  assert.equal(made.status, 201, made.text.slice(0, 300))
  assert.ok(made.text.length > 900_000)
  assert.deepEqual((await admin.get(`${entries}/${made.body.id}`)).body, made.body)
  assert.equal((await readPage(admin, entries, { query: 'part7' })).items.length, 1)
  const huge = await admin.post(entries, { collectionId, blocks: [text('huge', 'x'.repeat(1_000_000))] })
  assert.equal(huge.status, 201, huge.text.slice(0, 300))
  const tooMuch = [...parts(16), text('huge', 'x'.repeat(300_000))]
  assert.equal(refusal(await admin.post(entries, { collectionId, blocks: tooMuch })), invalid('blocks TOO_LARGE'))
  assert.equal(
    refusal(await admin.post(entries, { collectionId, blocks: [text('huge', 'x'.repeat(2_100_000))] })),
    '413 PAYLOAD_TOO_LARGE',
  )
})

test('a hundred blocks in fifty locales each are kept, found and taken away again', async () => {
  const { admin, entries, collection, entry, db, id: businessId } = await open()
  const schema = Array.from({ length: 100 }, (_, index) => ({ id: `b${index}`, type: 'TEXT' }))
  const locales = Array.from(
    { length: 50 },
    (_, index) => `en-${String.fromCharCode(65 + (index % 25))}${index < 25 ? 'A' : 'B'}`,
  )
  const blocks = schema.map(({ id }) =>
    text(id, Object.fromEntries(locales.map((locale) => [locale, `${id} in ${locale}`]))),
  )
  const made = await entry(await collection({ blocks: schema }), { blocks })
  assert.deepEqual((await admin.get(made.path)).body.blocks, blocks)
  const found = await readPage(admin, entries, { 'block.b99': 'b99 in en-YB', 'block.b0': 'b0 in en-AA', query: 'b50' })
  assert.equal(found.items.length, 1)
  const count = async () => {
    const values = db.selectFrom('content.entryValues').select('value')
    return (await values.where('businessId', '=', businessId).where('blockId', 'like', 'b%').execute()).length
  }
  assert.equal(await count(), 5_000)
  const more = blocks.map((block) =>
    block.id === 'b0' ? text('b0', { ...Object(block.value), fr: 'b0 in fr' }) : block,
  )
  assert.equal(refusal(await admin.put(made.path, { blocks: more })), invalid('blocks TOO_MANY'))
  assert.equal((await admin.put(made.path, { blocks: [] })).status, 200)
  assert.equal(await count(), 0)
})

test('a hundred mistakes are told at most', async () => {
  const { admin, entries, collection } = await open()
  const { id: collectionId } = await collection({ blocks: [BODY] })
  const blocks = Array.from({ length: 150 }, (_, index) => text(`none${index}`, 'x'))
  const { status, body } = await admin.post(entries, { collectionId, blocks })
  assert.deepEqual([status, body.details.length], [422, 100])
  assert.deepEqual(body.details[99].field, 'blocks.99.id')
  const many = Array.from({ length: 201 }, () => text('body', 'x'))
  assert.equal(refusal(await admin.post(entries, { collectionId, blocks: many })), invalid('blocks TOO_MANY'))
})

test('a column that a later migration adds has its default in what is written before the code knows it', async () => {
  const { db, collection, entry, admin } = await open('second')
  const tables = ['entries', 'entry_versions', 'entry_values', 'search'].map((name) => sql.table(`content.${name}`))
  for (const table of tables) await sql`alter table ${table} add column later integer not null default 7`.execute(db)
  try {
    const { path } = await entry(await collection(), { blocks: titled('Early') })
    assert.equal((await admin.put(path, { blocks: titled('Earlier') })).status, 200)
  } finally {
    for (const table of tables) await sql`alter table ${table} drop column later`.execute(db)
  }
})
