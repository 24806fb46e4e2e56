import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { encodeCursor } from '#vocabulary/paging.ts'
import { assertError } from '../../support/assert-error.ts'
import { ARCHIVED, BODY, contentOf, DRAFT, PUBLISHED, TITLE, text, titled } from '../../support/content.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

async function makeEntry(body: object = {}) {
  const content = contentOf(await used.make.business())
  const place = await content.collection()
  const entry = await content.entry(place, { blocks: titled('One'), ...body })
  const { admin } = content
  const put = async (change: object) => {
    const answer = await admin.put(entry.path, change)
    assert.equal(answer.status, 200, answer.text)
  }
  const restore = (number: number | string, headers: Record<string, string> = {}) =>
    admin.send('POST', `${entry.path}/versions/${number}/restore`, { headers })
  const versions = async () => (await admin.get(`${entry.path}/versions?limit=100`)).body.items as { number: number }[]
  return { ...content, place, entry, versions: `${entry.path}/versions`, put, restore, list: versions }
}

test('every change is kept as a version, newest first, and can be read', async () => {
  const { id, admin, entry, versions, put } = await makeEntry({ statuses: DRAFT, locale: 'de' })
  const writer = await used.make.member(id, 'CONTENT_WRITE')
  await writer.put(entry.path, { blocks: titled('Two'), statuses: PUBLISHED })
  await put({ locale: 'en' })
  const { items, cursor } = (await admin.get(versions)).body
  assert.equal(cursor, null)
  const shown = items.map(({ number, locale, status, userId, createdAt }: Record<string, unknown>) => {
    assert.ok(Number.isInteger(createdAt))
    return [number, locale, status, userId]
  })
  assert.deepEqual(shown, [
    [3, 'en', 'PUBLISHED', admin.id],
    [2, 'de', 'PUBLISHED', writer.id],
    [1, 'de', 'DRAFT', admin.id],
  ])
  assert.deepEqual(Object.keys(items[0]).sort(), ['createdAt', 'locale', 'number', 'status', 'userId'])
  const one = (await admin.get(`${versions}/1`)).body
  assert.deepEqual(one, { ...items[2], blocks: [{ ...TITLE, value: 'One' }] })

  const first = (await admin.get(`${versions}?limit=2`)).body
  const next = (await admin.get(`${versions}?limit=2&cursor=${first.cursor}`)).body
  assert.deepEqual([...first.items, ...next.items], items)
  assert.equal(next.cursor, null)
  assert.equal(refusal(await admin.get(`${versions}?cursor=x`)), '422 VALIDATION_FAILED cursor INVALID')
  assertError(await admin.get(`${versions}/4`), 404, 'NOT_FOUND')
  for (const number of ['0', '-1', '1.5', 'x', '2147483648']) {
    assert.match(refusal(await admin.get(`${versions}/${number}`)), /^422 VALIDATION_FAILED number /, number)
  }
})

test('a forged cursor is the beginning or the end of the list', async () => {
  const { id: businessId, admin, entry, versions } = await makeEntry()
  const filters = { list: 'entry-versions', businessId, entryId: entry.id }
  for (const number of [2 ** 31, 2 ** 53 - 1, 0, -(2 ** 31) - 1, -(2 ** 53) + 1]) {
    const { status, body, text } = await admin.get(`${versions}?cursor=${encodeCursor(filters, [number])}`)
    assert.equal(status, 200, text)
    assert.equal(body.items.length, number > 0 ? 1 : 0, String(number))
  }
})

test('a version is restored with its blocks and locale, as a new one; the status stays', async () => {
  const { admin, entry, put, restore, list } = await makeEntry({ statuses: DRAFT, locale: 'de' })
  await put({ blocks: [text('title', 'Two'), text('body', '<p>x</p>')], locale: 'en', statuses: PUBLISHED })
  const { status, body, headers } = await restore(1)
  assert.deepEqual([status, headers.get('etag')], [200, '"3"'])
  assert.deepEqual(body.blocks, entry.body.blocks)
  assert.equal(body.locale, 'de')
  assert.equal(body.statuses.at(-1).status, 'PUBLISHED')
  assert.deepEqual((await admin.get(entry.path)).body, body)
  assert.deepEqual(
    (await list()).map(({ number }) => number),
    [3, 2, 1],
  )
  assertError(await restore(4), 404, 'NOT_FOUND')
  assert.match(refusal(await restore('x')), /^422/)
})

test('what is restored must fit the schema of today', async () => {
  const { admin, place, entry, put, restore } = await makeEntry({ blocks: [text('title', 'One'), text('body', 'x')] })
  await put({ blocks: titled('Two') })
  assert.equal((await admin.put(place.path, { blocks: [TITLE] })).status, 200)
  assert.equal(refusal(await restore(1)), '422 VALIDATION_FAILED blocks.1.id NOT_FOUND')
  assert.equal((await admin.get(entry.path)).body.blocks[0].value, 'Two')
  await admin.put(place.path, { blocks: [TITLE, { ...BODY, required: true, label: 'Text' }] })
  assert.equal(refusal(await restore(2)), '422 VALIDATION_FAILED blocks.body REQUIRED')
  const restored = await restore(1)
  assert.deepEqual([restored.status, restored.body.blocks[1].label, restored.body.schemaVersion], [200, 'Text', 3])
  await put({ statuses: ARCHIVED })
  assert.equal((await restore(2)).status, 200, 'what is not public may be incomplete')
})

test('a restore minds If-Match', async () => {
  const { put, restore, list } = await makeEntry()
  await put({ blocks: titled('Two') })
  assertError(await restore(1, { 'if-match': '"1"' }), 412, 'PRECONDITION_FAILED')
  assert.equal((await list()).length, 2)
  assert.equal((await restore(1, { 'if-match': '"2"' })).status, 200)
})

test('the last hundred versions are kept', async () => {
  const { id, db, admin, entry, versions, restore, list } = await makeEntry()
  await sql`
    insert into content.entry_versions
    select business_id, entry_id, n, owner, locale, status, blocks, user_id, created_at
      from content.entry_versions, generate_series(2, 101) as n
     where business_id = ${id}`.execute(db)
  await sql`update content.entries set version = 101 where business_id = ${id}`.execute(db)
  await admin.put(entry.path, { blocks: titled('Newer') })
  await admin.put(entry.path, { blocks: titled('Newest') })
  const numbers = (await list()).map(({ number }) => number)
  assert.deepEqual([numbers.length, numbers[0], numbers[99]], [100, 103, 4])
  assertError(await admin.get(`${versions}/3`), 404, 'NOT_FOUND')
  assertError(await restore(3), 404, 'NOT_FOUND')
  assert.equal((await restore(4)).body.blocks[0].value, 'One')
})

test('twenty who add a word with If-Match, and try again when they are late, lose none', async () => {
  const { admin, entry, list } = await makeEntry({ blocks: titled('start') })
  const guest = await used.make.guest()
  async function addWord(word: string): Promise<void> {
    for (;;) {
      const { body, headers } = await guest.get(entry.path)
      const blocks = titled(`${body.blocks[0].value} ${word}`)
      const answer = await admin.put(entry.path, { blocks }, { 'if-match': headers.get('etag') ?? '' })
      if (answer.status === 200) return
      assertError(answer, 412, 'PRECONDITION_FAILED')
    }
  }
  const words = Array.from({ length: 20 }, (_, index) => `word${index}`)
  await Promise.all(words.map(addWord))
  const { body, headers } = await guest.get(entry.path)
  assert.deepEqual(body.blocks[0].value.split(' ').sort(), ['start', ...words].sort())
  assert.equal(headers.get('etag'), '"21-read"', 'as many versions as successes')
  assert.equal((await list()).length, 21)
})

test('without If-Match the last of twenty wins, and each has left its version', async () => {
  const { admin, entry, versions } = await makeEntry({ blocks: titled('start') })
  const words = Array.from({ length: 20 }, (_, index) => `word${index}`)
  const answers = await Promise.all(words.map((word) => admin.put(entry.path, { blocks: titled(word) })))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const kept: string[] = []
  for (let number = 2; number <= 21; number++)
    kept.push((await admin.get(`${versions}/${number}`)).body.blocks[0].value)
  assert.deepEqual(kept.toSorted(), words.toSorted())
  assert.equal((await admin.get(entry.path)).body.blocks[0].value, kept.at(-1))
})

test('versions from before an entry came into a collection are for who may see orders', async () => {
  const { id, admin, path, place } = await makeEntry()
  const made = await admin.post(`${path}/entries`, { owner: 'reservation:r1', blocks: [text('title', 'Private')] })
  const entry = `${path}/entries/${made.body.id}`
  assert.equal((await admin.put(entry, { collectionId: place.id, blocks: titled('Public') })).status, 200)
  const writer = await used.make.member(id, 'CONTENT_WRITE')
  const seen = await writer.get(`${entry}/versions`)
  assert.deepEqual(
    seen.body.items.map(({ number }: { number: number }) => number),
    [2],
  )
  assertError(await writer.get(`${entry}/versions/1`), 404, 'NOT_FOUND')
  assertError(await writer.post(`${entry}/versions/1/restore`, {}), 404, 'NOT_FOUND')
  assert.equal((await admin.get(`${entry}/versions/1`)).status, 200)
})

test('a change of nothing that a version keeps leaves none, and the last hundred are still kept', async () => {
  const { id, db, admin, entry, put, list } = await makeEntry({ locale: 'de', statuses: DRAFT })
  const numbers = async () => (await list()).map(({ number }) => number)
  const { blocks } = entry.body
  for (const change of [{}, { blocks }, { locale: 'de' }, { publishAt: Math.floor(Date.now() / 1000) + 3_600 }])
    await put(change)
  assert.deepEqual(await numbers(), [1])
  await put({ locale: 'en' })
  await put({ statuses: PUBLISHED })
  assert.equal((await admin.get(entry.path)).headers.get('etag'), '"7"')
  assert.deepEqual(await numbers(), [7, 6, 1])

  await sql`
    insert into content.entry_versions
    select business_id, entry_id, 2 * n, owner, locale, status, blocks, user_id, created_at
      from content.entry_versions, generate_series(4, 100) as n
     where business_id = ${id} and number = 1`.execute(db)
  await sql`update content.entries set version = 200 where business_id = ${id}`.execute(db)
  await put({})
  assert.deepEqual([(await numbers()).length, (await numbers()).at(-1)], [100, 1])
  await put({ locale: 'fr' })
  assert.deepEqual([(await numbers()).length, (await numbers())[0], (await numbers()).at(-1)], [100, 202, 6])
})
