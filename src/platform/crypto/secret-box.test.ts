import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSecretBox, hashToken, newToken } from './secret-box.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]
const box = createSecretBox([first])

test('what is sealed can be opened again, whatever it is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (plain) => {
      assert.deepEqual(box.open(box.seal(plain)), Buffer.from(plain))
    }),
  )
})

test('sealing the same twice looks different, and shows nothing of it', () => {
  const plain = Buffer.from('the same secret')
  const [one, two] = [box.seal(plain), box.seal(plain)]
  assert.notDeepEqual(one, two)
  assert.ok(!one.includes(plain))
})

test('another key opens nothing', () => {
  assert.equal(createSecretBox([second]).open(box.seal(Buffer.from('x'))), undefined)
})

test('a single changed bit, or a missing byte, opens nothing', () => {
  const sealed = box.seal(Buffer.from('secret'))
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const forged = Buffer.from(sealed)
    forged.writeUInt8(forged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    assert.equal(box.open(forged), undefined)
  }
  for (let length = 0; length < sealed.length; length++) {
    assert.equal(box.open(sealed.subarray(0, length)), undefined, `${length} bytes`)
  }
})

test('while keys rotate the first seals and both open', () => {
  const rotating = createSecretBox([second, first])
  assert.equal(rotating.open(box.seal(Buffer.from('old')))?.toString(), 'old')
  const sealed = rotating.seal(Buffer.from('new'))
  assert.equal(createSecretBox([second]).open(sealed)?.toString(), 'new')
  assert.equal(box.open(sealed), undefined)
})

test('a keyed hash tells key, purpose and text apart, the current key first', () => {
  const [hash] = box.hashes('api-key', 'text')
  assert.deepEqual(box.hashes('api-key', 'text'), [hash])
  assert.notDeepEqual(box.hashes('other', 'text'), [hash])
  assert.notDeepEqual(box.hashes('api-key', 'text2'), [hash])
  assert.notDeepEqual(createSecretBox([second]).hashes('api-key', 'text'), [hash])
  assert.deepEqual(createSecretBox([second, first]).hashes('api-key', 'text')[1], hash)
  assert.notDeepEqual(hash, hashToken('text'))
})

test('tokens are long, new each time, and fit into an address', () => {
  const tokens = Array.from({ length: 100 }, newToken)
  assert.equal(new Set(tokens).size, 100)
  for (const token of tokens) assert.match(token, /^[\w-]{43}$/)
  assert.equal(hashToken(tokens[0] ?? '').length, 32)
})
