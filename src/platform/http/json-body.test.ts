import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isTooDeep } from './json-body.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('depth is counted as a parser would find it, in any valid JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(8), fc.constantFrom(0, 2), (value, limit, indent) => {
      assert.equal(isTooDeep(JSON.stringify(value, null, indent), limit), depthOf(value) > limit)
    }),
  )
})

test('brackets, quotes and backslashes inside strings do not count', () => {
  const awkward = fc.string({ unit: fc.constantFrom('[', '{', ']', '}', '"', '\\', 'u', ' ') })
  fc.assert(
    fc.property(fc.array(awkward), awkward, (texts, key) => {
      const json = JSON.stringify({ [key]: texts })
      assert.equal(isTooDeep(json, 2), false)
      assert.equal(isTooDeep(json, 1), true)
    }),
  )
})

test('32 levels are allowed and 33 are not', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  assert.equal(isTooDeep(nested(32)), false)
  assert.equal(isTooDeep(nested(33)), true)
  assert.equal(isTooDeep(`[${Array(10_000).fill(nested(31)).join()}]`), false)
})

test('what is not JSON at all is judged without trouble', () => {
  for (const text of ['', '"', '"\\', ']]]]', '}{', '"[[[[', `${']'.repeat(50)}${'['.repeat(10)}`]) {
    assert.equal(isTooDeep(text, 32), false, text)
  }
  assert.equal(isTooDeep('['.repeat(2_000_000)), true)
})
