import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { holdClock } from '../../support/clock.ts'
import { contentOf, DRAFT, TITLE, text, titled } from '../../support/content.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

async function openShop() {
  const business = await used.make.business()
  const answer = await business.admin.put(business.path, { storefront: { isPublic: true } })
  assert.equal(answer.status, 200, answer.text)
  return business
}

/** A draft, and how the shop reads it. */
async function open() {
  const content = contentOf(await openShop())
  const place = await content.collection({ statuses: DRAFT })
  const draft = await content.entry(place, { statuses: DRAFT, blocks: titled('Not yet') })
  const stranger = used.make.anonymous()
  const read = (token?: string, id = draft.id, business = content.id) =>
    stranger.get(`/v1/storefront/${business}/entries/${id}${token === undefined ? '' : `?preview=${token}`}`)
  const tokenOf = async (path = draft.path) => {
    const answer = await content.admin.post(`${path}/preview-token`, undefined)
    assert.equal(answer.status, 201, answer.text)
    return answer.body as { token: string; url: string | null; expiresAt: number }
  }
  return { ...content, place, draft, read, tokenOf }
}

test('a draft is shown in the shop to whoever holds its token, and is kept by no cache', async () => {
  const { admin, draft, read, tokenOf } = await open()
  assertError(await read(), 404, 'NOT_FOUND')
  const { token } = await tokenOf()
  const shown = await read(token)
  assert.deepEqual([shown.status, shown.headers.get('cache-control')], [200, 'no-store'], shown.text)
  assert.deepEqual([shown.headers.get('etag'), shown.headers.get('cache-tag')], [null, null])
  assert.equal(shown.body.blocks[0].value, 'Not yet')
  assert.ok(!('statuses' in shown.body), 'nothing about who wrote it')
  await admin.put(draft.path, { blocks: titled('Nearly') })
  assert.equal((await read(token)).body.blocks[0].value, 'Nearly', 'what is there now')
  assertError(await read(), 404, 'NOT_FOUND')
})

test('blocks that point at people are left out, as they would be', async () => {
  const { admin, entry, collection, read, tokenOf } = await open()
  const people = await collection({
    statuses: DRAFT,
    blocks: [TITLE, { id: 'by', type: 'RELATIONSHIP', settings: { targetType: 'USER' } }],
  })
  const one = await entry(people, {
    statuses: DRAFT,
    blocks: [text('title', 'x'), { id: 'by', type: 'RELATIONSHIP', value: admin.id }],
  })
  const { token } = await tokenOf(one.path)
  const { body } = await read(token, one.id)
  assert.deepEqual(
    body.blocks.map(({ id }: { id: string }) => id),
    ['title'],
  )
})

test('the answer is the page of the shop, if the business says where that is', async () => {
  const { admin, path, tokenOf, draft } = await open()
  assert.equal((await tokenOf()).url, null)
  const previewUrl = 'https://shop.example/journal/{entryId}?preview={token}'
  const wrong = await admin.put(path, { storefront: { previewUrl } })
  assert.equal(refusal(wrong), '422 VALIDATION_FAILED storefront.previewUrl INVALID')
  await admin.put(path, { allowedOrigins: ['https://shop.example'] })
  const { status, body } = await admin.put(path, { storefront: { previewUrl } })
  assert.deepEqual([status, body.storefront], [200, { isPublic: true, showQuantity: false, previewUrl }])
  const { token, url } = await tokenOf()
  assert.equal(url, `https://shop.example/journal/${draft.id}?preview=${token}`)
  await admin.put(path, { storefront: { previewUrl: null } })
  assert.equal((await tokenOf()).url, null)
})

test('the token is good for its entry alone, for an hour', async () => {
  const { id, entry, place, draft, read, tokenOf } = await open()
  const clock = holdClock()
  try {
    const { token, expiresAt } = await tokenOf()
    const other = await entry(place, { statuses: DRAFT, blocks: titled('Another') })
    assert.equal(refusal(await read(token, other.id)), '422 VALIDATION_FAILED preview TOKEN_INVALID')
    const elsewhere = await openShop()
    assert.equal(refusal(await read(token, draft.id, elsewhere.id)), '422 VALIDATION_FAILED preview TOKEN_INVALID')
    const later = token.replace(/^\d+/, String(expiresAt + 3_600))
    for (const forged of ['', 'x', later, `${token}x`, `${token.slice(0, -1)}${token.endsWith('A') ? 'Q' : 'A'}`]) {
      assert.equal(refusal(await read(forged)), '422 VALIDATION_FAILED preview TOKEN_INVALID', forged)
    }
    clock.advance(3_599)
    assert.equal((await read(token)).status, 200)
    clock.advance(1)
    const ended = await read(token)
    assert.equal(refusal(ended), '422 VALIDATION_FAILED preview TOKEN_EXPIRED')
    assert.equal(ended.headers.get('cache-control'), 'no-store')
  } finally {
    clock.release()
  }
  const writer = await used.make.member(id, 'CONTENT_WRITE')
  assert.equal((await writer.post(`${draft.path}/preview-token`, undefined)).status, 201)
  const reader = await used.make.member(id, 'CONTENT_READ_DRAFTS')
  assert.equal((await reader.post(`${draft.path}/preview-token`, undefined)).status, 201)
  const sender = await used.make.member(id, 'NEWSLETTER_SEND')
  assertError(await sender.post(`${draft.path}/preview-token`, undefined), 403, 'FORBIDDEN')
})

test('what no shop shows has no preview', async () => {
  const { admin, path, read, tokenOf, draft } = await open()
  assertError(await admin.post(`${path}/entries/ent_other/preview-token`, undefined), 404, 'NOT_FOUND')
  const { token } = await tokenOf()
  assert.equal((await admin.delete(draft.path)).status, 200)
  assertError(await read(token), 404, 'NOT_FOUND')
})
