import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBlank, missingOf, orphansOf, problemOf, toBlocks, toForm, untranslated } from './form.ts'

const SCHEMA = [
  { id: 'title', type: 'TEXT', label: 'Title', required: true },
  { id: 'body', type: 'TEXT', label: 'Text', settings: { variant: 'HTML' } },
  { id: 'rank', type: 'NUMBER', settings: { min: 1, max: 9, integer: true } },
  { id: 'cover', type: 'MEDIA', settings: { maxItems: 1 } },
  { id: 'place', type: 'GEO_LOCATION' },
  { id: 'tags', type: 'MULTI_SELECT', settings: { options: ['a', 'b'] } },
] as const satisfies readonly Parameters<typeof problemOf>[0][]

const PICTURE = { id: 'm', url: 'https://example.com/a.jpg', mimeType: 'image/jpeg', alt: 'A boat' }
const ENTRY = {
  locale: 'en',
  blocks: [
    { id: 'title', type: 'TEXT' as const, value: 'Boats' },
    { id: 'body', type: 'TEXT' as const, value: { en: '<p>One</p>', de: '<p>Eins</p>' } },
    { id: 'rank', type: 'NUMBER' as const, value: 3 },
    { id: 'cover', type: 'MEDIA' as const, value: [PICTURE] },
    { id: 'old', type: 'TEXT' as const, value: 'kept once' },
  ],
}
const LOCALES = ['en', 'de']

test('what nobody touched is written as it was stored, whatever its shape', () => {
  const form = toForm(SCHEMA, ENTRY, LOCALES)
  assert.deepEqual(toBlocks(SCHEMA, ENTRY, form, form), [
    { id: 'title', type: 'TEXT', value: 'Boats' },
    { id: 'body', type: 'TEXT', value: { en: '<p>One</p>', de: '<p>Eins</p>' } },
    { id: 'rank', type: 'NUMBER', value: 3 },
    { id: 'cover', type: 'MEDIA', value: [PICTURE] },
  ])
})

test('a text becomes one by language when a second language gets words, and stays one', () => {
  const form = toForm(SCHEMA, ENTRY, LOCALES)
  const written = toBlocks(SCHEMA, ENTRY, form, { ...form, 'title@de': 'Boote', 'body@de': '' })
  assert.deepEqual(written[0]?.value, { en: 'Boats', de: 'Boote' })
  assert.deepEqual(written[1]?.value, { en: '<p>One</p>' })
})

test('figures, places and files are written as the service has them', () => {
  const form = toForm(SCHEMA, ENTRY, LOCALES)
  const mine = {
    ...form,
    rank: '4',
    cover: [{ ...PICTURE, url: 'https://example.com/b.jpg' }],
    place: { latitude: '54,3', longitude: '10.1' },
  }
  const written = toBlocks(SCHEMA, ENTRY, form, mine)
  assert.deepEqual(written.map(({ id, value }) => [id, value]).slice(2), [
    ['rank', 4],
    ['cover', { id: 'm', url: 'https://example.com/b.jpg', mimeType: 'image/jpeg' }],
    ['place', { latitude: 54.3, longitude: 10.1 }],
  ])
  assert.equal(
    toBlocks(SCHEMA, ENTRY, form, { ...form, rank: '' }).some(({ id }) => id === 'rank'),
    false,
  )
})

test('what is missing, wrong or without a field is found', () => {
  const form = toForm(SCHEMA, ENTRY, LOCALES)
  assert.deepEqual(missingOf(SCHEMA, form), [])
  assert.deepEqual(
    missingOf(SCHEMA, { ...form, 'title@en': '' }).map(({ id }) => id),
    ['title'],
  )
  assert.deepEqual(
    untranslated(SCHEMA, form, 'en', 'de').map(({ id }) => id),
    ['title'],
  )
  assert.deepEqual(
    orphansOf(SCHEMA, ENTRY).map(({ id }) => id),
    ['old'],
  )
  assert.equal(problemOf(SCHEMA[2], '2.5'), 'number')
  assert.equal(problemOf(SCHEMA[2], '10'), 'bounds')
  assert.equal(problemOf(SCHEMA[4], { latitude: '91', longitude: '' }), 'place')
  assert.equal(problemOf(SCHEMA[0], 'x'.repeat(100_001)), 'long')
  assert.ok(isBlank({ latitude: '', longitude: '' }))
})
