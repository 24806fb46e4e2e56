import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import {
  BLOCK_TYPES,
  type Block,
  checkBlocksAgainst,
  checkFreeBlocks,
  checkSchemaBlocks,
  NewBlock,
  referencesOf,
} from './blocks.ts'
import { AppError } from './errors.ts'

/** `field: CODE` of each detail. */
function problemsOf(work: () => unknown): string[] {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    assert.equal(error.status, 422)
    return error.details.map(({ field, error }) => `${field}: ${error}`)
  }
}

const one = (type: Block['type'], value: unknown, settings?: Block['settings']) => checkFreeBlocks([{ id: 'a', type, settings, value }])[0]?.value // biome-ignore format: one line
const problemsWith = (...block: Parameters<typeof one>) => problemsOf(() => one(...block))

test('every type takes its own values', () => {
  const media = { id: 'm', url: 'https://example.com/a.png', mimeType: 'image/png' }
  for (const [type, ...values] of [
    ['TEXT', '', 'Hello 😀', {}, { en: 'Hello', 'de-CH': 'Grüezi' }],
    ['NUMBER', 0, -1.5, 1e300],
    ['BOOLEAN', true, false],
    ['DATE', 0, 1_789_000_000, -86_400],
    ['RELATIONSHIP', 'usr_1'],
    ['GEO_LOCATION', { latitude: 52.5, longitude: 13.4 }, { latitude: -90, longitude: 180 }],
    ['MEDIA', media, [media, { ...media, id: 'n' }], []],
    ['SELECT', 'anything'],
    ['MULTI_SELECT', ['any', 'thing'], []],
  ] as const) {
    for (const value of [...values, null]) assert.deepEqual(one(type, value), value)
    assert.equal(one(type, undefined), undefined)
  }
})

test('what is of another type is refused, and the detail says where', () => {
  for (const [type, value, ...problems] of [
    ['TEXT', 7, ': INVALID'],
    ['TEXT', ['a'], ': INVALID'],
    ['TEXT', { 'de-ch': 'a', en: 7, xx_1: '' }, '.de-ch: INVALID', '.en: INVALID', '.xx_1: INVALID'],
    ['TEXT', { __proto__x: '' }, '.__proto__x: INVALID'],
    ['TEXT', Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a${index}`, ''])), ': INVALID'],
    ['NUMBER', '7', ': INVALID'],
    ['NUMBER', Number.POSITIVE_INFINITY, ': INVALID'],
    ['BOOLEAN', 'true', ': INVALID'],
    ['DATE', 1.5, ': INVALID'],
    ['DATE', 1_789_000_000_000, ': INVALID'],
    ['DATE', '2026-01-01', ': INVALID'],
    ['RELATIONSHIP', { id: 'usr_1' }, ': INVALID'],
    ['RELATIONSHIP', 'usr 1', ': INVALID'],
    ['RELATIONSHIP', 'a'.repeat(65), ': TOO_LONG'],
    ['GEO_LOCATION', { latitude: 91, longitude: -181 }, '.latitude: INVALID', '.longitude: INVALID'],
    ['GEO_LOCATION', { latitude: '1' }, '.longitude: REQUIRED', '.latitude: INVALID'],
    ['GEO_LOCATION', [1, 2], ': INVALID'],
    ['MEDIA', { url: 'javascript:alert(1)' }, '.mimeType: REQUIRED', '.url: INVALID'],
    ['MEDIA', [{ url: 'https://example.com', mimeType: 'image/png' }, 'x'], '.1: INVALID'],
    ['MEDIA', [[]], '.0: INVALID'],
    ['SELECT', ['a'], ': INVALID'],
    ['SELECT', 'a'.repeat(201), ': TOO_LONG'],
    ['MULTI_SELECT', 'a', ': INVALID'],
    ['MULTI_SELECT', ['a', 'b', 'a', 7], '.2: DUPLICATE', '.3: INVALID'],
  ] as const) {
    assert.deepEqual(problemsWith(type, value), problems.map((problem) => `blocks.0.value${problem}`)) // biome-ignore format: one line
  }
})

test('all mistakes are told at once, up to a hundred', () => {
  const blocks: NewBlock[] = [
    { id: 'a', type: 'NUMBER', value: 'x' },
    { id: 'b', type: 'TEXT', value: 'fine' },
    { id: 'a', type: 'GEO_LOCATION', value: { latitude: 0, longitude: 999 } },
  ]
  assert.deepEqual(problemsOf(() => checkFreeBlocks(blocks, 'items')), ['items.2.id: DUPLICATE', 'items.0.value: INVALID', 'items.2.value.longitude: INVALID']) // biome-ignore format: one line
  assert.equal(
    problemsWith(
      'MULTI_SELECT',
      Array.from({ length: 500 }, () => 7),
    ).length,
    100,
  )
})

test('maxLength counts code points, in every language', () => {
  assert.equal(one('TEXT', '😀😀', { maxLength: 2 }), '😀😀')
  assert.deepEqual(problemsWith('TEXT', '😀😀😀', { maxLength: 2 }), ['blocks.0.value: TOO_LONG'])
  assert.deepEqual(problemsWith('TEXT', { en: 'ab', de: 'abc' }, { maxLength: 2 }), ['blocks.0.value.de: TOO_LONG'])
  assert.deepEqual(problemsWith('TEXT', 'a'.repeat(100_000)), [])
  assert.deepEqual(problemsWith('TEXT', 'a'.repeat(100_001)), ['blocks.0.value: TOO_LONG'])
})

test('rich text is cleaned, plain text is left alone', () => {
  const hostile = '<p onclick="x()">Hi<script>alert(1)</script></p>'
  assert.equal(one('TEXT', hostile, { variant: 'HTML' }), '<p>Hi</p>')
  assert.deepEqual(one('TEXT', { en: hostile }, { variant: 'HTML' }), { en: '<p>Hi</p>' })
  assert.equal(one('TEXT', hostile), hostile)
  assert.equal(one('TEXT', hostile, { variant: 'PLAIN' }), hostile)
})

test('rich text has to fit as it is stored', () => {
  assert.deepEqual(problemsWith('TEXT', 'a & b', { variant: 'HTML', maxLength: 5 }), ['blocks.0.value: TOO_LONG'])
})

test('with options, only these can be chosen', () => {
  const options = ['Red', 'Blue']
  assert.equal(one('SELECT', 'Red', { options }), 'Red')
  assert.deepEqual(problemsWith('SELECT', 'red', { options }), ['blocks.0.value: INVALID'])
  assert.deepEqual(one('MULTI_SELECT', ['Blue', 'Red'], { options }), ['Blue', 'Red'])
  assert.deepEqual(problemsWith('MULTI_SELECT', ['Blue', 'Green'], { options }), ['blocks.0.value.1: INVALID'])
})

test('ids are assigned to blocks and media, and unknown parts of a value are dropped', () => {
  const [block] = checkFreeBlocks([
    { type: 'MEDIA', value: [{ url: 'https://example.com/a', mimeType: 'image/png', size: 7 }] },
  ])
  assert.match(block?.id ?? '', /^blk_/)
  const [media] = (block?.value ?? []) as { id: string }[]
  assert.match(media?.id ?? '', /^med_/)
  assert.deepEqual(media, { id: media?.id, url: 'https://example.com/a', mimeType: 'image/png' })
  assert.deepEqual(one('GEO_LOCATION', { latitude: 1, longitude: 2, altitude: 3 }), { latitude: 1, longitude: 2 })
})

test('a free block that calls itself required has a value', () => {
  for (const value of [undefined, null, '', {}, { en: '' }, '<script>x</script>']) {
    const block: NewBlock = { id: 'a', type: 'TEXT', required: true, settings: { variant: 'HTML' }, value }
    assert.deepEqual(problemsOf(() => checkFreeBlocks([block])), ['blocks.0.value: REQUIRED']) // biome-ignore format: one line
  }
  for (const [type, value] of [
    ['NUMBER', 0],
    ['BOOLEAN', false],
  ] as const) {
    // biome-ignore format: one line
    assert.deepEqual(problemsOf(() => checkFreeBlocks([{ id: 'a', type, required: true, value }])), []) // biome-ignore format: one line
  }
  const wrong: NewBlock = { id: 'a', type: 'GEO_LOCATION', required: true, value: { latitude: 0, longitude: 999 } }
  assert.deepEqual(problemsOf(() => checkFreeBlocks([wrong])), ['blocks.0.value.longitude: INVALID']) // biome-ignore format: one line
})

test('references are found by what they point at', () => {
  const blocks: Block[] = [
    { id: 'a', type: 'RELATIONSHIP', settings: { targetType: 'USER' }, value: 'usr_1' },
    { id: 'b', type: 'RELATIONSHIP', value: 'usr_2' },
    { id: 'c', type: 'RELATIONSHIP', settings: { targetType: 'ORDER' }, value: null },
    { id: 'd', type: 'TEXT', settings: { targetType: 'ORDER' }, value: 'ord_1' },
    { id: 'e', type: 'RELATIONSHIP', settings: { targetType: 'ORDER' }, value: 'ord_1' },
  ]
  assert.deepEqual(referencesOf(blocks, 'blocks'), [
    { field: 'blocks.0.value', targetType: 'USER', id: 'usr_1' },
    { field: 'blocks.4.value', targetType: 'ORDER', id: 'ord_1' },
  ])
})

const SCHEMA: Block[] = [
  { id: 'title', type: 'TEXT', label: 'Title', required: true, settings: { maxLength: 5 } },
  { id: 'author', type: 'RELATIONSHIP', settings: { targetType: 'USER' } },
  { id: 'colour', type: 'SELECT', required: true, settings: { options: ['Red'] } },
]
const against = (blocks: NewBlock[], complete = true) =>
  checkBlocksAgainst(SCHEMA, blocks, { complete, field: 'blocks' })

test('an entry that fits its schema carries the label and settings of the schema', () => {
  const fitting = against([
    { id: 'colour', type: 'SELECT', value: 'Red' },
    { id: 'title', type: 'TEXT', label: 'Mine', settings: { maxLength: 500 }, value: 'Mugs' },
    { id: 'author', type: 'RELATIONSHIP', value: 'usr_1' },
  ])
  assert.deepEqual(fitting, [
    { id: 'colour', type: 'SELECT', required: true, settings: { options: ['Red'] }, value: 'Red' },
    { id: 'title', type: 'TEXT', label: 'Title', required: true, settings: { maxLength: 5 }, value: 'Mugs' },
    { id: 'author', type: 'RELATIONSHIP', settings: { targetType: 'USER' }, value: 'usr_1' },
  ])
  assert.deepEqual(referencesOf(fitting, 'blocks'), [{ field: 'blocks.2.value', targetType: 'USER', id: 'usr_1' }])
})

test('an entry that does not fit is told every reason', () => {
  const blocks: NewBlock[] = [
    { id: 'title', type: 'TEXT', settings: { maxLength: 500 }, value: 'Stoneware' },
    { id: 'price', type: 'NUMBER', value: 1 },
    { id: 'author', type: 'TEXT', value: 'Ada' },
    { type: 'TEXT', value: 'nameless' },
    { id: 'title', type: 'TEXT', value: 'again' },
  ]
  assert.deepEqual(problemsOf(() => against(blocks)).sort(), [
    'blocks.0.value: TOO_LONG',
    'blocks.1.id: NOT_FOUND',
    'blocks.2.type: INVALID',
    'blocks.3.id: REQUIRED',
    'blocks.4.id: DUPLICATE',
    'blocks.colour: REQUIRED',
  ])
})

test('only a complete entry needs what is required', () => {
  const empty: NewBlock[] = [{ id: 'title', type: 'TEXT', value: null }]
  assert.deepEqual(problemsOf(() => against(empty)), ['blocks.0.value: REQUIRED', 'blocks.colour: REQUIRED']) // biome-ignore format: one line
  assert.deepEqual(problemsOf(() => against(empty, false)), []) // biome-ignore format: one line
  assert.deepEqual(against([], false), [])
})

test('a schema says enough about its blocks, and holds no values', () => {
  assert.deepEqual(checkSchemaBlocks(SCHEMA, 'blocks'), SCHEMA)
  const wrong: NewBlock[] = [
    { id: 'a', type: 'TEXT', value: 'x' },
    { id: 'a', type: 'SELECT' },
    { id: 'c', type: 'MULTI_SELECT', settings: { options: [] } },
    { id: 'd', type: 'RELATIONSHIP', settings: {} },
    { id: 'e', type: 'NUMBER', value: null },
  ]
  assert.deepEqual(problemsOf(() => checkSchemaBlocks(wrong)).sort(), [
    'blocks.0.value: INVALID',
    'blocks.1.id: DUPLICATE',
    'blocks.1.settings.options: REQUIRED',
    'blocks.2.settings.options: REQUIRED',
    'blocks.3.settings.targetType: REQUIRED',
  ])
  assert.match(checkSchemaBlocks([{ type: 'TEXT' }])[0]?.id ?? '', /^blk_/)
})

test('whatever is sent is refused or stored, and what is stored can be sent again', () => {
  const settings = fc.record(
    {
      maxLength: fc.integer({ min: 1, max: 20 }),
      variant: fc.constantFrom('HTML' as const, 'PLAIN' as const),
      options: fc.array(fc.string({ minLength: 1, maxLength: 2 }), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  )
  const values = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('<b>x', 'a&b', 'x<script>y'),
    fc.record({ latitude: fc.double(), longitude: fc.double() }),
    fc.dictionary(fc.constantFrom('en', 'de-CH', 'EN', '__proto__'), fc.string()),
    fc.array(fc.record({ url: fc.webUrl(), mimeType: fc.constant('image/png') }), { maxLength: 3 }),
  )
  const blocks = fc.array(fc.record({ type: fc.constantFrom(...BLOCK_TYPES), settings, value: values }), {
    maxLength: 5,
  })
  fc.assert(
    fc.property(blocks, (sent) => {
      const before = inspect(sent, { depth: 9 })
      let stored: Block[] = []
      const problems = problemsOf(() => {
        stored = checkFreeBlocks(sent)
      })
      assert.equal(inspect(sent, { depth: 9 }), before)
      if (problems.length > 0) return
      assert.deepEqual(checkFreeBlocks(stored), stored)
      assert.deepEqual(checkBlocksAgainst(stored, stored, { complete: true, field: 'blocks' }), stored)
    }),
    { numRuns: 500 },
  )
})

test('the body schema bounds all that it can see', () => {
  const takes = new Ajv({ strict: false }).compile(NewBlock)
  assert.ok(takes({ type: 'TEXT', value: { any: ['thing'] } }))
  assert.ok(takes({ id: 'a', type: 'SELECT', label: '', required: false, settings: { options: ['a'] }, value: 'a' }))
  for (const wrong of [
    { id: 'a' },
    { type: 'COLOUR' },
    { id: 'a b', type: 'TEXT' },
    { type: 'TEXT', label: 'a'.repeat(201) },
    { type: 'TEXT', settings: { maxLength: 0 } },
    { type: 'TEXT', settings: { maxLength: 1_000_001 } },
    { type: 'TEXT', settings: { variant: 'MARKDOWN' } },
    { type: 'RELATIONSHIP', settings: { targetType: 'RESERVATION' } },
    { type: 'SELECT', settings: { options: ['a', 'a'] } },
    { type: 'SELECT', settings: { options: ['a'.repeat(201)] } },
    { type: 'SELECT', settings: { options: Array.from({ length: 501 }, String) } },
  ]) {
    assert.ok(!takes(wrong), JSON.stringify(wrong))
  }
})
