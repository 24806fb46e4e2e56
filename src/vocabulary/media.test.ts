import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { type KnownMedia, NewMedia, toMedia } from './media.ts'

const takes = new Ajv({ strict: false }).compile(NewMedia)
const fail = () => assert.fail()
const png = (url: unknown) => ({ url, mimeType: 'image/png' })

test('media live at absolute web addresses', () => {
  for (const url of [
    'https://cdn.example.com/mug.png',
    'http://127.0.0.1:9000/a?b=c#d',
    'https://example.com/größe%20(1).png',
    'https://example.com',
  ]) {
    assert.ok(takes(png(url)), url)
  }
})

test('any other address is refused', () => {
  for (const url of [
    'javascript:alert(1)',
    'data:image/png;base64,AA==',
    'ftp://example.com/a',
    '//example.com/a',
    '/mug.png',
    'https://',
    'https:///a',
    'https://example.com/a b',
    'https://example.com/"><script>',
    ' https://example.com',
    'x\nhttps://example.com',
    `https://example.com/${'a'.repeat(2048)}`,
    '',
    7,
  ]) {
    assert.ok(!takes(png(url)), String(url))
  }
})

test('a kind of media is a type and a subtype', () => {
  const isTaken = (mimeType: string) => takes({ url: 'https://example.com/a', mimeType })
  for (const kind of ['image/png', 'image/svg+xml', 'video/mp4', 'application/vnd.ms-excel']) assert.ok(isTaken(kind))
  for (const kind of ['', 'image', 'image/', '/png', 'image/png; a=b', `image/${'a'.repeat(127)}`]) {
    assert.ok(!isTaken(kind), kind)
  }
})

test('an id is assigned where none was sent', () => {
  assert.match(toMedia({ url: 'https://example.com/a', mimeType: 'image/png' }, '', fail).id, /^med_/)
  assert.deepEqual(toMedia({ id: 'cover', url: 'https://example.com/a', mimeType: 'image/png' }, '', fail), {
    id: 'cover',
    url: 'https://example.com/a',
    mimeType: 'image/png',
  })
})

const file = {
  mediaId: 'med_1',
  url: 'https://media.example.com/1.jpg',
  mimeType: 'image/jpeg',
  width: 10,
  height: 5,
  alt: {},
  placeholder: null,
  focalPoint: null,
  renditions: [],
}

test('a file that was uploaded here is named by its id, and brings what is known of it', () => {
  const known = new Map([['med_1', file]])
  assert.deepEqual(toMedia({ mediaId: 'med_1', url: 'https://elsewhere.example/' }, '', fail, known), {
    id: 'med_1',
    ...file,
  })
  assert.equal(toMedia({ id: 'front', mediaId: 'med_1' }, '', fail, known).id, 'front')
})

test('a file that is not there, or not READY, is a mistake, and so is an item without any address', () => {
  const mistakesOf = (item: object, known?: KnownMedia) => {
    const found: string[] = []
    toMedia(item, 'gallery.0', ({ field, error }) => void found.push(`${field} ${error}`), known)
    return found
  }
  assert.deepEqual(mistakesOf({ mediaId: 'med_2' }, new Map()), ['gallery.0.mediaId NOT_FOUND'])
  assert.deepEqual(mistakesOf({ mediaId: 'med_2' }, new Map([['med_2', 'NOT_READY' as const]])), [
    'gallery.0.mediaId NOT_READY',
  ])
  assert.deepEqual(mistakesOf({ mimeType: 'image/png' }), ['gallery.0.url REQUIRED'])
  assert.deepEqual(mistakesOf({ url: 'https://example.com/a' }), ['gallery.0.mimeType REQUIRED'])
  assert.deepEqual(mistakesOf({ mediaId: 'med_1' }), ['gallery.0.url REQUIRED', 'gallery.0.mimeType REQUIRED'])
})
