import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { BODY, contentOf, DRAFT, PUBLISHED, type SentBlock, TITLE, text, titled } from '../../support/content.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

async function open() {
  const content = contentOf(await used.make.business())
  const place = await content.collection()
  const impactOf = async (blocks: SentBlock[]) => {
    const { status, body, text } = await content.admin.post(`${place.path}/schema-impact`, { blocks })
    assert.equal(status, 200, text)
    return body as {
      items: { entryId: string; details: { field: string; error: string }[] }[]
      checked: number
      isComplete: boolean
    }
  }
  return { ...content, place, impactOf }
}

const AUTHOR: SentBlock = { id: 'author', type: 'TEXT', required: true }

test('what a schema would break is said before it is saved, and nothing changes', async () => {
  const { admin, place, entry, impactOf } = await open()
  const shown = await entry(place, { statuses: PUBLISHED, blocks: [text('title', 'x'), text('body', 'y')] })
  const draft = await entry(place, { statuses: DRAFT, blocks: titled('only a title') })
  const before = await admin.get(place.path)

  assert.deepEqual(await impactOf([TITLE, BODY]), { items: [], checked: 2, isComplete: true })
  const required = await impactOf([TITLE, BODY, AUTHOR])
  assert.deepEqual(
    required.items.map(({ entryId, details }) => [entryId, details[0]?.error]),
    [[shown.id, 'REQUIRED']],
    'a draft may be incomplete',
  )
  const shorter = await impactOf([TITLE])
  assert.deepEqual(
    shorter.items.map(({ entryId }) => entryId),
    [shown.id],
  )
  const stricter = await impactOf([{ ...TITLE, settings: { maxLength: 5 } }, BODY])
  assert.deepEqual(
    stricter.items.map(({ entryId }) => entryId),
    [draft.id],
  )

  const after = await admin.get(place.path)
  assert.deepEqual([after.body, after.headers.get('etag')], [before.body, before.headers.get('etag')])
  await admin.put(place.path, { blocks: [TITLE] })
  assert.equal((await admin.get(place.path)).body.staleEntries, shorter.items.length, 'it was told the truth')
  assert.deepEqual((await impactOf([TITLE])).items, [], 'what does not fit today is not broken by it')
})

test('it names two hundred entries, published ones and the newest first, and says that there are more', async () => {
  const { admin, place, entry, impactOf } = await open()
  const first = await entry(place, { statuses: PUBLISHED, blocks: titled('published') })
  for (let made = 0; made < 204; made += 12) {
    await Promise.all(Array.from({ length: 12 }, () => entry(place, { statuses: DRAFT, blocks: titled('a draft') })))
  }
  const { items, checked, isComplete } = await impactOf([{ ...TITLE, settings: { maxLength: 3 } }])
  assert.deepEqual([items.length, checked, isComplete], [200, 200, false])
  assert.equal(items[0]?.entryId, first.id)
  const drafts = items.slice(1).map(({ entryId }) => entryId)
  assert.deepEqual(drafts, drafts.toSorted().toReversed())
  const all = await impactOf([TITLE, BODY])
  assert.deepEqual(all, { items: [], checked: 205, isComplete: true })
  assert.equal((await admin.get(place.path)).body.staleEntries, 0)
})

test('a schema that could not be saved, or one of no collection, is refused', async () => {
  const { id, admin, place, path } = await open()
  const at = `${place.path}/schema-impact`
  assert.match(refusal(await admin.post(at, { blocks: [{ id: 'size', type: 'SELECT' }] })), /^422 .*REQUIRED/)
  assert.match(refusal(await admin.post(at, { blocks: [TITLE, TITLE] })), /^422 .*DUPLICATE/)
  assert.match(refusal(await admin.post(at, {})), /^422 VALIDATION_FAILED blocks REQUIRED/)
  assertError(await admin.post(`${path}/collections/col_other/schema-impact`, { blocks: [TITLE] }), 404, 'NOT_FOUND')
  const reader = await used.make.member(id, 'CONTENT_READ_DRAFTS')
  assertError(await reader.post(at, { blocks: [TITLE] }), 403, 'FORBIDDEN')
})
