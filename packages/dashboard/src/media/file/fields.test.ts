import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '@kontor/sdk'
import { toChanges, toFields, toPoint } from './fields.ts'

const file = { fileName: 'mug.jpg', tags: ['autumn'], focalPoint: null, alt: { en: 'A mug', it: 'Una tazza' } }
const before = toFields(file as unknown as Answer<'getMedia'>, ['en', 'de'])

test('every locale of the business is a field, and every other that has a text', () => {
  assert.deepEqual(before, {
    fileName: 'mug.jpg',
    tags: ['autumn'],
    focalPoint: null,
    'alt:en': 'A mug',
    'alt:de': '',
    'alt:it': 'Una tazza',
  })
})

test('only what has changed is written; alternative texts as a whole, without empty ones', () => {
  assert.deepEqual(toChanges(before, before), {})
  assert.deepEqual(toChanges(before, { ...before, 'alt:de': ' Eine Tasse ', 'alt:it': ' ' }), {
    alt: { en: 'A mug', de: 'Eine Tasse' },
  })
  assert.deepEqual(toChanges(before, { ...before, focalPoint: { x: 0.2, y: 1 }, fileName: ' cup.jpg' }), {
    fileName: 'cup.jpg',
    focalPoint: { x: 0.2, y: 1 },
  })
})

test('a point stays inside of the picture', () => {
  assert.deepEqual(toPoint(-0.2, 1.7), { x: 0, y: 1 })
  assert.deepEqual(toPoint(0.33333, 0.5), { x: 0.333, y: 0.5 })
})
