import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { Nullable } from '#vocabulary/schemas.ts'
import { serializerCompiler } from './serialization.ts'

const serialize = (schema: TSchema, value: unknown) =>
  JSON.parse(serializerCompiler({ schema, method: 'GET', url: '/', httpStatus: '200' })(value))

const FORMATS = 'email uri url date date-time time duration hostname ipv4 ipv6 uuid regex country json-pointer binary'

test('a response › contains values that fit no format', () => {
  for (const format of FORMATS.split(' ')) {
    const text = Type.String({ format })
    const schema = Type.Object({ text, nullable: Nullable(text), list: Nullable(Type.Array(text)) })
    const odd = { text: 'odd one', nullable: 'odd one', list: ['odd one'] }
    assert.deepEqual(serialize(schema, odd), odd, format)
  }
})

test('a response › contains values out of bounds', () => {
  const [text, number] = [
    Type.String({ minLength: 3, maxLength: 4, pattern: '^b+$' }),
    Type.Integer({ minimum: 1, maximum: 2 }),
  ]
  const list = Type.Array(text, { minItems: 1, maxItems: 1, uniqueItems: true })
  const schema = Type.Object({ text: Nullable(text), number: Nullable(number), list: Nullable(list) })
  for (const odd of [
    { text: '', number: -1, list: [] },
    { text: 'aaaaa', number: 9, list: ['a', 'a'] },
  ])
    assert.deepEqual(serialize(schema, odd), odd)
})

test('a response › keeps fields that are named like keywords', () => {
  const schema = Nullable(
    Type.Object({ format: Type.String(), pattern: Type.Integer(), maximum: Nullable(Type.Number()) }),
  )
  const value = { format: 'csv', pattern: 1, maximum: 2.5 }
  assert.deepEqual(serialize(schema, value), value)
})
