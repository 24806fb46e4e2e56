import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingIn, toChanges, toImage, toTexts } from './texts.ts'

const CATEGORY = {
  id: 'cat_1',
  businessId: 'biz_1',
  name: 'Shirts',
  slug: 'shirts',
  parentId: null,
  position: 0,
  description: '',
  image: null,
  seo: { title: 'Soft', description: '' },
  translations: { de: { name: 'Hemden', seo: { title: 'Weich' } }, fr: { name: 'Chemises' } },
  createdAt: 0,
  updatedAt: 0,
}

test('what was not changed is not written, and nothing of other locales is lost', () => {
  const before = toTexts(CATEGORY, ['de', 'sv'])
  assert.deepEqual(toChanges(before, before), {})
  assert.deepEqual(toChanges(before, { ...before, 'de:slug': 'hemden' }), {
    translations: { de: { name: 'Hemden', slug: 'hemden', seo: { title: 'Weich' } }, fr: { name: 'Chemises' } },
  })
  assert.deepEqual(toChanges(before, { ...before, 'fr:name': '', name: 'Tops' }), {
    name: 'Tops',
    translations: { de: { name: 'Hemden', seo: { title: 'Weich' } } },
  })
  assert.deepEqual(toChanges(before, { ...before, 'seo.description': 'Cotton' }), {
    seo: { title: 'Soft', description: 'Cotton' },
  })
})

test('a locale lacks what the category has and it has not', () => {
  const texts = toTexts(CATEGORY, ['de', 'sv'])
  assert.deepEqual(missingIn(texts, 'de'), ['slug'])
  assert.deepEqual(missingIn(texts, 'sv'), ['name', 'slug', 'seo.title'])
})

test('its picture is written as a file of the library, by its address, or taken away', () => {
  const file = { id: 'med_1', mediaId: 'med_1', url: 'https://media.example/1280.jpg', mimeType: 'image/jpeg' }
  const { mediaId: _mediaId, ...elsewhere } = file
  const before = toTexts(CATEGORY, [])
  const after = { ...before, image: toImage(file) }
  assert.deepEqual(toChanges(before, after), { image: { id: 'med_1', mediaId: 'med_1' } })
  assert.deepEqual(toChanges(before, { ...before, image: toImage(elsewhere) }), { image: elsewhere })
  assert.deepEqual(toChanges(after, before), { image: null })
})
