import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingAlt, positionOf, sourceFor, toNewMedia } from './picture.ts'

const rung = (width: number, type = 'webp') => ({
  width,
  height: width,
  mimeType: `image/${type}`,
  url: `https://media.example/${width}.${type}`,
})
const renditions = [rung(320, 'avif'), rung(640, 'avif'), rung(320), rung(640), rung(1280, 'jpeg')]

test('the smallest rendition that is wide enough is shown, else the widest', () => {
  assert.equal(sourceFor({ url: 'plain', renditions }, 200), 'https://media.example/320.webp')
  assert.equal(sourceFor({ url: 'plain', renditions }, 321), 'https://media.example/640.webp')
  assert.equal(sourceFor({ url: 'plain', renditions }, 5_000), 'https://media.example/640.webp')
  assert.equal(sourceFor({ url: 'https://elsewhere.example/a.png' }, 200), 'https://elsewhere.example/a.png')
  assert.equal(sourceFor({ url: null, renditions: [] }, 200), undefined)
})

test('the focal point is where CSS wants it', () => {
  assert.equal(positionOf({ x: 0.333, y: 1 }), '33.3% 100%')
  assert.equal(positionOf(null), '50% 50%')
})

test('an alternative text of blanks is none', () => {
  assert.deepEqual(missingAlt({ en: 'A mug', de: '  ' }, ['en', 'de', 'fr']), ['de', 'fr'])
})

test('a file is sent by its id, another picture by its address', () => {
  const file = { id: 'med_1', mediaId: 'med_1', url: 'https://a.example/b.jpg', mimeType: 'image/jpeg', renditions }
  assert.deepEqual(toNewMedia(file), { id: 'med_1', mediaId: 'med_1' })
  assert.deepEqual(toNewMedia({ url: 'https://a.example/b.jpg', mimeType: 'image/jpeg' }), {
    url: 'https://a.example/b.jpg',
    mimeType: 'image/jpeg',
  })
})
