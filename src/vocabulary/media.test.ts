import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { NewMedia, toMedia } from './media.ts'

const takes = new Ajv({ strict: false }).compile(NewMedia)
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
  assert.match(toMedia({ url: 'https://example.com/a', mimeType: 'image/png' }).id, /^med_/)
  assert.deepEqual(toMedia({ id: 'cover', url: 'https://example.com/a', mimeType: 'image/png' }), {
    id: 'cover',
    url: 'https://example.com/a',
    mimeType: 'image/png',
  })
})
