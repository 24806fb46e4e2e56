import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('the slugs of all locales are one namespace', async () => {
  const { admin, products } = await used.make.shop()
  const mug = await admin.post(products, { name: 'Mug', slug: 'mug', translations: { de: { slug: 'becher' } } })
  assert.equal(mug.status, 201, mug.text)
  const taken = '409 CONFLICT slug SLUG_EXISTS'
  assert.equal(refusal(await admin.post(products, { name: 'Other', slug: 'becher' })), taken)
  const other = await admin.post(products, { name: 'Other', translations: { fr: { slug: 'tasse' } } })
  const path = `${products}/${other.body.id}`
  assert.equal(refusal(await admin.put(path, { translations: { fr: { slug: 'mug' } } })), taken)
  assert.equal(refusal(await admin.put(path, { slug: 'becher' })), taken)

  const cup = await admin.post(products, { name: 'Becher' })
  assert.match(cup.body.slug, /^becher-/, 'a slug that is made from the name gets a suffix')
  assert.equal((await admin.put(`${products}/${mug.body.id}`, { translations: {} })).status, 200)
  assert.equal((await admin.put(path, { slug: 'becher' })).status, 200, 'what nobody has any more is free')
  await admin.delete(`${products}/${mug.body.id}`)
  assert.equal((await admin.put(path, { translations: { de: { slug: 'mug' } } })).status, 200)
})

test('a product is found by words of all its locales, by its tags, and by translated attributes', async () => {
  const { admin, products } = await used.make.shop()
  const made = await admin.post(products, {
    name: 'Mug',
    tags: ['Geschenk'],
    translations: { de: { name: 'Becher', description: 'Zweimal gebrannt' } },
    variants: [
      { id: 'blue', translations: { de: { name: 'Blau', attributes: [{ name: 'Farbe', value: 'Himmel' }] } } },
    ],
  })
  for (const word of ['mug', 'becher', 'gebrannt', 'blau', 'himmel', 'geschenk']) {
    const { body } = await admin.get(`${products}?query=${word}`)
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      [made.body.id],
      word,
    )
  }
})

test('a key that is no locale is refused, and tags stand once each', async () => {
  const { admin, products } = await used.make.shop()
  assert.deepEqual(
    [
      refusal(await admin.post(products, { name: 'A', translations: { de_CH: { name: 'B' } } })),
      refusal(await admin.post(products, { name: 'A', variants: [{ translations: { 'no way': { name: 'B' } } }] })),
      refusal(await admin.post(products, { name: 'A', tags: ['x', 'x'] })),
    ],
    [
      '422 VALIDATION_FAILED translations.de_CH INVALID',
      '422 VALIDATION_FAILED variants.0.translations.no way INVALID',
      '422 VALIDATION_FAILED tags DUPLICATE',
    ],
  )
})

test('options are the attributes of all variants, each value once, in their order', async () => {
  const { admin, products } = await used.make.shop()
  const variant = (colour: string, size: string) => ({
    attributes: [
      { name: 'Colour', value: colour },
      { name: 'Size', value: size },
    ],
  })
  const { body } = await admin.post(products, {
    name: 'Shirt',
    variants: [variant('Red', 'M'), variant('Red', 'L'), variant('Blue', 'M')],
    options: [{ name: 'ignored', values: [] }],
  })
  assert.deepEqual(body.options, [
    { name: 'Colour', values: ['Red', 'Blue'] },
    { name: 'Size', values: ['M', 'L'] },
  ])
})
