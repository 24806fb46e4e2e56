import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { BLOCK_TYPES, type Block, checkFreeBlocks, checkSchemaBlocks, NewBlock, referencesOf } from './blocks.ts'
import { compileBlocks } from './compile-blocks.ts'
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

const one = (type: Block['type'], value: unknown, settings?: Block['settings']) =>
  checkFreeBlocks([{ id: 'a', type, settings, value }])[0]?.value

/** Checks a single value like an entry whose schema has that block. */
function problemsWith(...[type, value, settings]: Parameters<typeof one>): string[] {
  const problems = problemsOf(() => one(type, value, settings))
  const compiled = compileBlocks([{ id: 'a', type, settings }])
  const mistakes = compiled.findMistakes([{ id: 'a', type, value }], { complete: false })
  assert.deepEqual(
    mistakes.map(({ field, error }) => `${field}: ${error}`),
    problems,
  )
  return problems
}

const MEDIA = { id: 'm', url: 'https://example.com/a.png', mimeType: 'image/png' }
const ALL_SETTINGS: NonNullable<Block['settings']> = {
  maxLength: 1,
  variant: 'HTML',
  min: 5,
  max: 6,
  integer: true,
  options: ['Red'],
  targetType: 'USER',
  accept: ['image/png'],
  maxItems: 1,
}
const OWN_SETTINGS: Record<Block['type'], string[]> = {
  TEXT: ['maxLength', 'variant'],
  NUMBER: ['min', 'max', 'integer'],
  BOOLEAN: [],
  DATE: [],
  RELATIONSHIP: ['targetType'],
  GEO_LOCATION: [],
  MEDIA: ['accept', 'maxItems'],
  SELECT: ['options'],
  MULTI_SELECT: ['options'],
}
const times = <Item>(length: number, item: (index: number) => Item) => Array.from({ length }, (_, index) => item(index))

test('every type takes its own values, and none', () => {
  for (const [type, ...values] of [
    ['TEXT', '', 'Hello 😀', {}, { en: 'Hello', 'de-CH': 'Grüezi' }, { en: '' }],
    ['NUMBER', 0, -1.5, 1e300, Number.MIN_VALUE],
    ['BOOLEAN', true, false],
    ['DATE', 0, 1_789_000_000, -86_400, -62_135_596_800, 253_402_300_799],
    ['RELATIONSHIP', 'usr_1', 'a'.repeat(64)],
    ['GEO_LOCATION', { latitude: 52.5, longitude: 13.4 }, { latitude: -90, longitude: 180 }],
    ['MEDIA', MEDIA, [MEDIA, { ...MEDIA, id: 'n' }], [], times(100, () => MEDIA)],
    ['SELECT', 'anything', '', 'a'.repeat(200)],
    ['MULTI_SELECT', ['any', 'thing'], [], times(500, String)],
  ] as const) {
    for (const value of [...values, null]) {
      assert.deepEqual(problemsWith(type, value), [])
      assert.deepEqual(one(type, value), value)
    }
    assert.equal(one(type, undefined), undefined)
    assert.ok(!Object.hasOwn(checkFreeBlocks([{ id: 'a', type }])[0] ?? {}, 'value'))
  }
})

test('a value fits another type only where the two look the same', () => {
  const values = {
    TEXT: 'a b',
    NUMBER: 1.5,
    BOOLEAN: true,
    DATE: 0,
    RELATIONSHIP: 'usr_1',
    GEO_LOCATION: { latitude: 1, longitude: 2 },
    MEDIA,
    SELECT: 'a b',
    MULTI_SELECT: ['a b'],
  }
  const taken: Partial<Record<Block['type'], Block['type'][]>> = {
    TEXT: ['TEXT', 'RELATIONSHIP', 'SELECT'],
    NUMBER: ['NUMBER', 'DATE'],
    SELECT: ['TEXT', 'RELATIONSHIP', 'SELECT'],
  }
  for (const type of BLOCK_TYPES) {
    const fitting = BLOCK_TYPES.filter((other) => problemsWith(type, values[other]).length === 0)
    assert.deepEqual(fitting, taken[type] ?? [type], type)
  }
})

test('what is of another type is refused, and the detail says where', () => {
  for (const [type, value, ...problems] of [
    ['TEXT', 7, ': INVALID'],
    ['TEXT', ['a'], ': INVALID'],
    ['TEXT', { 'de-ch': 'a', en: 7, xx_1: '' }, '.de-ch: INVALID', '.en: INVALID', '.xx_1: INVALID'],
    ['TEXT', { en: null, de: { en: 'a' } }, '.en: INVALID', '.de: INVALID'],
    ['TEXT', { __proto__x: '' }, '.__proto__x: INVALID'],
    ['TEXT', Object.fromEntries(times(101, (index) => [`a${index}`, ''])), ': INVALID'],
    ['NUMBER', '7', ': INVALID'],
    ['NUMBER', Number.POSITIVE_INFINITY, ': INVALID'],
    ['NUMBER', Number.NaN, ': INVALID'],
    ['BOOLEAN', 'true', ': INVALID'],
    ['BOOLEAN', 0, ': INVALID'],
    ['DATE', 1.5, ': INVALID'],
    ['DATE', 1_789_000_000_000, ': INVALID'],
    ['DATE', -62_135_596_801, ': INVALID'],
    ['DATE', 253_402_300_800, ': INVALID'],
    ['DATE', '2026-01-01', ': INVALID'],
    ['RELATIONSHIP', { id: 'usr_1' }, ': INVALID'],
    ['RELATIONSHIP', 'usr 1', ': INVALID'],
    ['RELATIONSHIP', '', ': INVALID'],
    ['RELATIONSHIP', 'a'.repeat(65), ': TOO_LONG'],
    ['GEO_LOCATION', { latitude: 91, longitude: -181 }, '.latitude: INVALID', '.longitude: INVALID'],
    ['GEO_LOCATION', { latitude: '1' }, '.longitude: REQUIRED', '.latitude: INVALID'],
    ['GEO_LOCATION', [1, 2], ': INVALID'],
    ['MEDIA', { url: 'javascript:alert(1)' }, '.mimeType: REQUIRED', '.url: INVALID'],
    ['MEDIA', { ...MEDIA, url: `https://${'a'.repeat(2048)}` }, '.url: TOO_LONG'],
    ['MEDIA', [{ url: 'https://example.com', mimeType: 'image/png' }, 'x'], '.1: INVALID'],
    ['MEDIA', [[]], '.0: INVALID'],
    ['MEDIA', times(101, () => MEDIA), ': INVALID'],
    ['SELECT', ['a'], ': INVALID'],
    ['SELECT', 'a'.repeat(201), ': TOO_LONG'],
    ['MULTI_SELECT', 'a', ': INVALID'],
    ['MULTI_SELECT', ['a', 'b', 'a', 7], '.2: DUPLICATE', '.3: INVALID'],
    ['MULTI_SELECT', ['a', 'a'.repeat(201)], '.1: TOO_LONG'],
    ['MULTI_SELECT', times(501, String), ': INVALID'],
  ] as const) {
    assert.deepEqual(
      problemsWith(type, value),
      problems.map((problem) => `blocks.0.value${problem}`),
    )
  }
})

test('each setting takes what is at its limit, and nothing beyond', () => {
  const ofType = (mimeType: string) => ({ ...MEDIA, mimeType })
  const clip = ofType('video/mp4')
  const rows: [Block['type'], Block['settings'], unknown[], unknown[], string][] = [
    ['TEXT', { maxLength: 2 }, ['ab', '😀😀', { en: 'ab', de: '' }], ['abc', '😀😀😀'], ': TOO_LONG'],
    ['TEXT', { maxLength: 2 }, [], [{ en: 'ab', de: 'abc' }], '.de: TOO_LONG'],
    ['TEXT', { maxLength: 1_000_000 }, ['a'.repeat(1_000_000)], ['a'.repeat(1_000_001)], ': TOO_LONG'],
    ['TEXT', { maxLength: undefined }, ['a'.repeat(100_000)], ['a'.repeat(100_001)], ': TOO_LONG'],
    ['TEXT', { variant: 'HTML', maxLength: 9 }, ['<b>ab</b>', 'a &amp; b'], ['ab & cd', '<b>abc</b>'], ': TOO_LONG'],
    ['TEXT', { variant: 'PLAIN', maxLength: 7 }, ['ab & cd'], ['<b>a</b>'], ': TOO_LONG'],
    ['NUMBER', { min: 1.5 }, [1.5, 1e300], [1.499, -2], ': INVALID'],
    ['NUMBER', { max: -1 }, [-1, -1e300], [0, -0.999], ': INVALID'],
    ['NUMBER', { min: 0, max: 0 }, [0, -0], [1, -1, Number.MIN_VALUE], ': INVALID'],
    ['NUMBER', { min: 2, max: 1 }, [], [1, 1.5, 2], ': INVALID'],
    ['NUMBER', { integer: true }, [0, -7, 1e300], [0.5, Number.MIN_VALUE, '1', Number.POSITIVE_INFINITY], ': INVALID'],
    ['NUMBER', { integer: false, min: undefined, max: undefined }, [0.5, -1e300], ['1'], ': INVALID'],
    ['NUMBER', { integer: true, min: 0.5, max: 3 }, [1, 3], [0, 0.5, 2.5, 4], ': INVALID'],
    ['RELATIONSHIP', { targetType: 'USER' }, ['usr_1', 'prod_1'], ['usr 1', 7], ': INVALID'],
    ['SELECT', { options: ['Red', 'Blue'] }, ['Red', 'Blue'], ['red', '', 'Red ', ['Red'], 'length'], ': INVALID'],
    ['SELECT', { options: [] }, ['Red', ''], [7], ': INVALID'],
    ['MULTI_SELECT', { options: ['Red', 'Blue'] }, [['Blue', 'Red'], []], [['Red', 'Green']], '.1: INVALID'],
    ['MULTI_SELECT', { options: ['Red', 'Blue'] }, [['Red']], [['Blue', 'Blue']], '.1: DUPLICATE'],
    [
      'MEDIA',
      { accept: ['image/png'] },
      [MEDIA, [MEDIA], ofType('IMAGE/Png')],
      [clip, ofType('image/pngx')],
      '.mimeType: INVALID',
    ],
    [
      'MEDIA',
      { accept: ['Image/*', 'video/mp4'] },
      [[MEDIA, clip], ofType('image/svg+xml')],
      [ofType('images/png'), ofType('video/mpeg')],
      '.mimeType: INVALID',
    ],
    ['MEDIA', { accept: ['image/*'] }, [[]], [[MEDIA, clip]], '.1.mimeType: INVALID'],
    ['MEDIA', { maxItems: 1 }, [MEDIA, [MEDIA], []], [[MEDIA, MEDIA]], ': INVALID'],
    ['MEDIA', { maxItems: 100, accept: undefined }, [times(100, () => MEDIA)], [times(101, () => MEDIA)], ': INVALID'],
  ]
  for (const [type, settings, within, beyond, problem] of rows) {
    const problemsOfValue = (value: unknown) => problemsWith(type, value, settings)
    for (const value of [...within, null, undefined]) assert.deepEqual(problemsOfValue(value), [])
    for (const value of beyond) assert.deepEqual(problemsOfValue(value), [`blocks.0.value${problem}`])
  }
})

test('a setting of another type changes nothing for a value', () => {
  for (const [type, value] of [
    ['TEXT', '<p>long'],
    ['NUMBER', 0.5],
    ['BOOLEAN', true],
    ['DATE', 0],
    ['RELATIONSHIP', 'usr_1'],
    ['GEO_LOCATION', { latitude: 0.5, longitude: 99 }],
    ['MEDIA', [{ ...MEDIA, mimeType: 'video/mp4' }, MEDIA]],
    ['SELECT', 'Green'],
    ['MULTI_SELECT', ['Green', 'Blue']],
  ] as const) {
    const settings = Object.fromEntries(
      Object.entries(ALL_SETTINGS).filter(([name]) => !OWN_SETTINGS[type].includes(name)),
    )
    assert.deepEqual(problemsWith(type, value, settings), [])
    assert.deepEqual(one(type, value, settings), value)
  }
})

test('a media with several mistakes is told them all', () => {
  const wrong = { id: 'a b', url: '/a.png', mimeType: 'text/html' }
  assert.deepEqual(problemsWith('MEDIA', wrong, { accept: ['image/*'] }).sort(), [
    'blocks.0.value.id: INVALID',
    'blocks.0.value.mimeType: INVALID',
    'blocks.0.value.url: INVALID',
  ])
})

test('all mistakes are told at once, up to a hundred', () => {
  const blocks: NewBlock[] = [
    { id: 'a', type: 'NUMBER', value: 'x' },
    { id: 'b', type: 'TEXT', value: 'fine' },
    { id: 'a', type: 'GEO_LOCATION', value: { latitude: 0, longitude: 999 } },
  ]
  assert.deepEqual(
    problemsOf(() => checkFreeBlocks(blocks, 'items')),
    ['items.2.id: DUPLICATE', 'items.0.value: INVALID', 'items.2.value.longitude: INVALID'],
  )
  const sevens = times(500, () => 7)
  assert.equal(problemsWith('MULTI_SELECT', sevens).length, 100)
})

test('rich text is cleaned, plain text is left alone', () => {
  const hostile = '<p onclick="x()">Hi<script>alert(1)</script></p>'
  assert.equal(one('TEXT', hostile, { variant: 'HTML' }), '<p>Hi</p>')
  assert.deepEqual(one('TEXT', { en: hostile }, { variant: 'HTML' }), { en: '<p>Hi</p>' })
  assert.equal(one('TEXT', hostile), hostile)
  assert.equal(one('TEXT', hostile, { variant: 'PLAIN' }), hostile)
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
    assert.deepEqual(
      problemsOf(() => checkFreeBlocks([block])),
      ['blocks.0.value: REQUIRED'],
    )
  }
  for (const [type, value] of [
    ['NUMBER', 0],
    ['BOOLEAN', false],
  ] as const) {
    assert.deepEqual(
      problemsOf(() => checkFreeBlocks([{ id: 'a', type, required: true, value }])),
      [],
    )
  }
  const wrong: NewBlock = { id: 'a', type: 'GEO_LOCATION', required: true, value: { latitude: 0, longitude: 999 } }
  assert.deepEqual(
    problemsOf(() => checkFreeBlocks([wrong])),
    ['blocks.0.value.longitude: INVALID'],
  )
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

test('a schema sets for each type only what that type has', () => {
  for (const type of BLOCK_TYPES) {
    const misplaced = Object.keys(ALL_SETTINGS).filter((name) => !OWN_SETTINGS[type].includes(name))
    const problemsSet = (settings: Block['settings']) =>
      problemsOf(() => checkSchemaBlocks([{ id: 'a', type, settings }])).sort()
    assert.deepEqual(problemsSet(ALL_SETTINGS), misplaced.map((name) => `blocks.0.settings.${name}: INVALID`).sort())
    const absent = Object.fromEntries(misplaced.map((name) => [name, undefined]))
    assert.deepEqual(problemsSet({ ...ALL_SETTINGS, ...absent }), [])
  }
  assert.throws(() => checkSchemaBlocks([{ type: 'TEXT', settings: { options: ['Red'] } }]), {
    message: 'settings.options is for SELECT and MULTI_SELECT, not for TEXT.',
  })
})

test('in a schema the smallest number is not above the greatest', () => {
  const problemsOfRange = (settings: Block['settings']) =>
    problemsOf(() => checkSchemaBlocks([{ id: 'a', type: 'NUMBER', settings }]))
  assert.deepEqual(problemsOfRange({ min: 2, max: 1 }), ['blocks.0.settings.min: INVALID'])
  for (const settings of [{ min: 1, max: 1 }, { min: 2 }, { max: -2 }, { min: 2, max: undefined }, {}, undefined]) {
    assert.deepEqual(problemsOfRange(settings), [])
  }
})

test('whatever is sent is refused or stored, and what is stored can be sent again', () => {
  const settings = fc.record(
    {
      maxLength: fc.integer({ min: 1, max: 20 }),
      variant: fc.constantFrom('HTML' as const, 'PLAIN' as const),
      options: fc.array(fc.string({ minLength: 1, maxLength: 2 }), { maxLength: 3 }),
      min: fc.integer({ min: -9, max: 9 }),
      integer: fc.boolean(),
      accept: fc.array(fc.constantFrom('image/*', 'video/mp4'), { minLength: 1, maxLength: 1 }),
      maxItems: fc.integer({ min: 1, max: 2 }),
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
      assert.deepEqual(compileBlocks(stored).check(stored, { complete: true }), stored)
    }),
    { numRuns: 500 },
  )
})

test('the body schema bounds all that it can see', () => {
  const takes = new Ajv({ strict: false }).compile(NewBlock)
  assert.ok(takes({ type: 'TEXT', value: { any: ['thing'] } }))
  assert.ok(takes({ id: 'a', type: 'SELECT', label: '', required: false, settings: { options: ['a'] }, value: 'a' }))
  assert.ok(takes({ type: 'NUMBER', settings: { min: -1.5, max: Number.MAX_SAFE_INTEGER, integer: true } }))
  assert.ok(takes({ type: 'MEDIA', settings: { accept: ['image/*', 'image/svg+xml'], maxItems: 100 } }))
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
    { type: 'SELECT', settings: { options: times(501, String) } },
    { type: 'NUMBER', settings: { min: '0' } },
    { type: 'NUMBER', settings: { min: -1e16 } },
    { type: 'NUMBER', settings: { max: 1e16 } },
    { type: 'NUMBER', settings: { integer: 'yes' } },
    { type: 'MEDIA', settings: { maxItems: 0 } },
    { type: 'MEDIA', settings: { maxItems: 101 } },
    { type: 'MEDIA', settings: { maxItems: 1.5 } },
    { type: 'MEDIA', settings: { accept: 'image/png' } },
    { type: 'MEDIA', settings: { accept: [] } },
    { type: 'MEDIA', settings: { accept: ['image/*', 'image/*'] } },
    { type: 'MEDIA', settings: { accept: times(51, (index) => `image/${index}`) } },
    { type: 'MEDIA', settings: { accept: [`image/${'a'.repeat(122)}`] } },
    ...['image', '*/*', '*', 'image/', 'image/p*', 'image/**', 'image/png; q=1', 'image/png,'].map((range) => ({
      type: 'MEDIA',
      settings: { accept: [range] },
    })),
  ]) {
    assert.ok(!takes(wrong), JSON.stringify(wrong))
  }
})
