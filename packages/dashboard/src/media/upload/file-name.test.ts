import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileNameOf, typeOf } from './file-name.ts'

test('a name is one that the service takes', () => {
  assert.equal(fileNameOf('mug.jpg'), 'mug.jpg')
  assert.equal(fileNameOf('a/b\\c\u0000.png'), 'a_b_c_.png')
  assert.equal(fileNameOf('   '), 'file')
  assert.equal(fileNameOf(`${'x'.repeat(300)}.jpg`).length, 255)
})

test('a type is what the browser says, else what the ending says', () => {
  assert.equal(typeOf({ name: 'a.jpg', type: 'image/jpeg' }), 'image/jpeg')
  assert.equal(typeOf({ name: 'a.csv', type: 'text/csv;charset=utf-8' }), 'text/csv')
  assert.equal(typeOf({ name: 'PHOTO.AVIF', type: '' }), 'image/avif')
  assert.equal(typeOf({ name: 'unknown', type: '' }), 'application/octet-stream')
})
