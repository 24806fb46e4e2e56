import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { Clean } from 'typebox/value'
import { createCleaner } from './clean.ts'

const Inner = Type.Object({ a: Type.Number(), b: Type.Optional(Type.String()) })
const Schema = Type.Object({
  plain: Type.Number(),
  inner: Inner,
  list: Type.Array(Inner),
  maybe: Type.Optional(Type.Union([Inner, Type.Null()])),
  lists: Type.Union([Type.Array(Inner), Type.Null()]),
  either: Type.Union([Inner, Type.Object({ c: Type.Number() })]),
  map: Type.Record(Type.String(), Type.Number()),
  anything: Type.Unknown(),
})

test('what the schema knows stays, the rest goes, at every depth', () => {
  const noise = fc.dictionary(fc.constantFrom('x', 'y', '__proto__', 'constructor'), fc.jsonValue())
  const inner = fc
    .tuple(fc.record({ a: fc.integer(), b: fc.string() }, { requiredKeys: ['a'] }), noise)
    .map(([known, more]) => ({ ...more, ...known }))
  const body = fc.record({
    plain: fc.integer(),
    inner,
    list: fc.array(inner),
    maybe: fc.option(inner),
    lists: fc.option(fc.array(inner)),
    either: inner,
    map: fc.dictionary(fc.string(), fc.integer()),
    anything: fc.jsonValue(),
    unknown: fc.jsonValue(),
  })
  const clean = createCleaner(Schema)
  fc.assert(
    fc.property(body, (value) => {
      const text = JSON.stringify(value)
      assert.deepEqual(clean?.(JSON.parse(text)), Clean(Schema, JSON.parse(text)))
    }),
  )
})

test('nothing is put together for what holds nothing that could have to go', () => {
  assert.equal(createCleaner(Type.Array(Type.String())), undefined)
  assert.equal(createCleaner(Type.Union([Type.String(), Type.Null()])), undefined)
})
