import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelAnswer } from '#platform/ai/model.ts'
import { readAnswer, repairOf, schemaOf } from './question.ts'
import type { WantedBlock } from './schemas.ts'

const WANTED: WantedBlock[] = [
  { id: 'title', type: 'TEXT', settings: { maxLength: 20 } },
  { id: 'body', type: 'TEXT', settings: { variant: 'HTML', maxLength: 500 } },
  { id: 'stars', type: 'NUMBER', settings: { min: 1, max: 5, integer: true } },
  { id: 'price', type: 'NUMBER' },
  { id: 'isNew', type: 'BOOLEAN' },
  { id: 'opens', type: 'DATE' },
  { id: 'place', type: 'GEO_LOCATION' },
  { id: 'colour', type: 'SELECT', settings: { options: ['Red', 'Blue'] } },
  { id: 'tags', type: 'MULTI_SELECT', settings: { options: ['Sea', 'Salt'] } },
]
const RIGHT = {
  block_title: 'Stoneware',
  block_body: '<p>From the coast.</p>',
  block_stars: 5,
  block_price: 12.5,
  block_isNew: false,
  block_opens: 1_789_000_000,
  block_place: { latitude: 54.3, longitude: 10.1 },
  block_colour: 'Blue',
  block_tags: ['Salt'],
}

const answered = (value: unknown, end: ModelAnswer['end'] = 'COMPLETE'): ModelAnswer => ({
  text: JSON.stringify(value) ?? '',
  value,
  end,
  tokens: 1,
})
const problemsWith = (changes: object) => {
  const reading = readAnswer(WANTED, answered({ ...RIGHT, ...changes }))
  return 'problems' in reading ? reading.problems : []
}

test('each type of block asks for its own kind of value, in keywords that strict servers take', () => {
  assert.deepEqual(schemaOf(WANTED), {
    type: 'object',
    properties: {
      block_title: { type: 'string', description: 'Plain text. At most 20 characters.' },
      block_body: {
        type: 'string',
        description:
          'Simple HTML: paragraphs, headings, lists, emphasis, links. At most 500 characters, tags included.',
      },
      block_stars: { type: 'integer', minimum: 1, maximum: 5 },
      block_price: { type: 'number' },
      block_isNew: { type: 'boolean' },
      block_opens: { type: 'integer', description: 'A point in time, in seconds since 1970-01-01 UTC.' },
      block_place: {
        type: 'object',
        properties: {
          latitude: { type: 'number', minimum: -90, maximum: 90 },
          longitude: { type: 'number', minimum: -180, maximum: 180 },
        },
        required: ['latitude', 'longitude'],
        additionalProperties: false,
      },
      block_colour: { type: 'string', enum: ['Red', 'Blue'] },
      block_tags: {
        type: 'array',
        items: { type: 'string', enum: ['Sea', 'Salt'] },
        description: 'Each at most once.',
      },
    },
    required: WANTED.map(({ id }) => `block_${id}`),
    additionalProperties: false,
  })
})

test('a right answer becomes the blocks that were wanted, in their order, and nothing else', () => {
  const reading = readAnswer(WANTED, answered({ extra: 'x', ...RIGHT, block_other: 'y' }))
  assert.ok('blocks' in reading)
  assert.deepEqual(
    reading.blocks.map(({ id, type, value }) => [id, type, value]),
    WANTED.map(({ id, type }) => [id, type, (RIGHT as Record<string, unknown>)[`block_${id}`]]),
  )
  assert.ok(reading.blocks.every((block) => Object.keys(block).length === 3))
})

test('what breaks the rules of a block is told by the name that the model knows', () => {
  assert.deepEqual(problemsWith({ block_title: 'x'.repeat(21) }), ['block_title cannot be longer than 20 characters.'])
  const wrong: object[] = [
    { block_stars: 6 },
    { block_stars: 1.5 },
    { block_stars: '5' },
    { block_isNew: 'yes' },
    { block_opens: 1e15 },
    { block_place: { latitude: 91, longitude: 0 } },
    { block_colour: 'Green' },
    { block_tags: ['Sea', 'Sea'] },
    { block_tags: 'Sea' },
    { block_price: null },
    { block_title: '' },
    { block_title: undefined },
    { block_title: 'a\0b' },
    { block_title: '\ud800' },
    { block_body: '<script>alert(1)</script>' }, // sanitising leaves nothing of it
  ]
  for (const changes of wrong) assert.equal(problemsWith(changes).length, 1, JSON.stringify(changes))
})

test('an answer of endless depth is wrong, and no more', () => {
  const deep = `{"block_title":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const reading = readAnswer(WANTED, { text: deep, value: JSON.parse(deep), end: 'COMPLETE', tokens: 1 })
  assert.deepEqual(reading, { problems: ['It is nested too deeply.'] })
})

test('to choose none of several is an answer', () => {
  assert.deepEqual(problemsWith({ block_tags: [] }), [])
})

test('what is no object is told so, and what was cut off to be briefer', () => {
  for (const value of [undefined, null, [], 'text', 5]) {
    assert.deepEqual(readAnswer(WANTED, answered(value)), { problems: ['It is no JSON object.'] })
  }
  assert.deepEqual(readAnswer(WANTED, answered(undefined, 'CUT_OFF')), {
    problems: ['It was too long and was cut off: be briefer.'],
  })
})

test('names that mean something to JavaScript are names like any other', () => {
  const wanted: WantedBlock[] = ['__proto__', 'constructor', 'toString'].map((id) => ({ id, type: 'TEXT' }))
  const none = readAnswer(wanted, answered({}))
  assert.equal('problems' in none && none.problems.length, 3)
  const value = JSON.parse('{"block___proto__":"a","block_constructor":"b","block_toString":"c","__proto__":{"d":1}}')
  const reading = readAnswer(wanted, answered(value))
  assert.ok('blocks' in reading)
  assert.deepEqual(
    reading.blocks.map(({ value }) => value),
    ['a', 'b', 'c'],
  )
})

test('the second question quotes the first answer, what was wrong with it, and the schema', () => {
  const [said, told] = repairOf('{"x":1}', ['block_title is required.'], schemaOf(WANTED))
  assert.deepEqual(said, { role: 'assistant', content: '{"x":1}' })
  assert.match(told?.content ?? '', /- block_title is required\.\n[^]*"block_colour"/)
  assert.equal(repairOf('', ['It is no JSON object.'], schemaOf(WANTED)).length, 1)
})
