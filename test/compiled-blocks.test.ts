import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Block, type NewBlock, referencesOf } from '#vocabulary/blocks.ts'
import { type CompiledBlocks, compileBlocks } from '#vocabulary/compile-blocks.ts'
import { AppError } from '#vocabulary/errors.ts'
import { blocksCases, naiveMistakes } from './scenarios/random-blocks.ts'

const SCHEMA: Block[] = [
  { id: 'title', type: 'TEXT', label: 'Title', required: true, settings: { maxLength: 5 } },
  { id: 'author', type: 'RELATIONSHIP', settings: { targetType: 'USER' } },
  { id: 'colour', type: 'SELECT', required: true, settings: { options: ['Red'] } },
]
const compiled = compileBlocks(SCHEMA)
const LOCALES =
  'ar bg bn ca cs da de el en es et fa fi fr gu he hi hr hu id is it ja ka kk km kn ko lo lt lv mk ml mn mr ms my nl nb pa pl pt ro ru sk sl sq sr sv sw'.split(
    ' ',
  )

/** `field: CODE` of each mistake; `check` must throw the same, or nothing. */
function mistakesOf(compiled: CompiledBlocks, blocks: NewBlock[], complete = true): string[] {
  const mistakes = compiled.findMistakes(blocks, { complete })
  try {
    compiled.check(blocks, { complete })
    assert.deepEqual(mistakes, [])
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    assert.equal(error.status, 422)
    assert.deepEqual(mistakes, error.details)
  }
  return mistakes.map(({ field, error }) => `${field}: ${error}`)
}

/** The quickest of a few rounds: other work on the machine only ever makes it slower. */
function measureMs(work: () => unknown, rounds = 5): number {
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return Math.min(...times)
}

test('an entry that fits its schema carries the label and settings of the schema', () => {
  const sent: NewBlock[] = [
    { id: 'colour', type: 'SELECT', value: 'Red' },
    { id: 'title', type: 'TEXT', label: 'Mine', required: false, settings: { maxLength: 500 }, value: 'Mugs' },
    { id: 'author', type: 'RELATIONSHIP', value: 'usr_1' },
  ]
  const fitting = compiled.check(sent, { complete: true })
  assert.deepEqual(fitting, [
    { id: 'colour', type: 'SELECT', required: true, settings: { options: ['Red'] }, value: 'Red' },
    { id: 'title', type: 'TEXT', label: 'Title', required: true, settings: { maxLength: 5 }, value: 'Mugs' },
    { id: 'author', type: 'RELATIONSHIP', settings: { targetType: 'USER' }, value: 'usr_1' },
  ])
  assert.deepEqual(compiled.findMistakes(sent, { complete: true }), [])
  assert.deepEqual(referencesOf(fitting, 'blocks'), [{ field: 'blocks.2.value', targetType: 'USER', id: 'usr_1' }])
})

test('an entry that does not fit is told every reason', () => {
  const blocks: NewBlock[] = [
    { id: 'title', type: 'TEXT', settings: { maxLength: 500 }, value: 'Stoneware' },
    { id: 'price', type: 'NUMBER', value: 1 },
    { id: 'author', type: 'TEXT', value: 'Ada' },
    { type: 'TEXT', value: 'nameless' },
    { id: 'title', type: 'TEXT', value: { en: 'again', de: 'nochmal' } },
  ]
  assert.deepEqual(mistakesOf(compiled, blocks), [
    'blocks.4.id: DUPLICATE',
    'blocks.0.value: TOO_LONG',
    'blocks.1.id: NOT_FOUND',
    'blocks.2.type: INVALID',
    'blocks.3.id: REQUIRED',
    'blocks.4.value.de: TOO_LONG',
    'blocks.colour: REQUIRED',
  ])
})

test('only a complete entry needs what is required', () => {
  const empty: NewBlock[] = [{ id: 'title', type: 'TEXT', value: null }]
  assert.deepEqual(mistakesOf(compiled, empty), ['blocks.0.value: REQUIRED', 'blocks.colour: REQUIRED'])
  assert.deepEqual(mistakesOf(compiled, empty, false), [])
  assert.deepEqual(compiled.check([], { complete: false }), [])
})

test('a mistake is told where the blocks stand in the body', () => {
  const blocks: NewBlock[] = [{ id: 'title', type: 'TEXT', value: { en: 7 } }]
  const fields = compiled.findMistakes(blocks, { complete: true, field: 'entries.3.blocks' }).map(({ field }) => field)
  assert.deepEqual(fields, ['entries.3.blocks.0.value.en', 'entries.3.blocks.colour'])
})

test('a schema without blocks takes an entry without blocks', () => {
  const nothing = compileBlocks([])
  assert.deepEqual(nothing.check([], { complete: true }), [])
  assert.deepEqual(mistakesOf(nothing, [{ id: 'a', type: 'TEXT' }]), ['blocks.0.id: NOT_FOUND'])
})

test('one entry leaves nothing behind for the next', () => {
  const wrong: NewBlock[] = [{ id: 'colour', type: 'SELECT', value: 'Blue' }]
  const right: NewBlock[] = [
    { id: 'title', type: 'TEXT', value: 'Mugs' },
    { id: 'colour', type: 'SELECT', value: 'Red' },
  ]
  const first = mistakesOf(compiled, wrong)
  assert.deepEqual(mistakesOf(compiled, right), [])
  assert.deepEqual(mistakesOf(compiled, wrong), first)
})

test('random entries are judged as the plain rules judge them', (t) => {
  let fitting = 0
  let mistakes = 0
  fc.assert(
    fc.property(blocksCases, (given) => {
      const { schema, blocks, complete } = given
      const compiled = compileBlocks(schema)
      const found = mistakesOf(compiled, blocks, complete)
      const expected = naiveMistakes(given)
      mistakes += found.length
      // Of more than a hundred mistakes it is anyone's choice which are told.
      if (expected.length > 100) return assert.ok(found.length === 100 && found.every((one) => expected.includes(one)))
      assert.deepEqual(found.toSorted(), expected)
      if (expected.length > 0) return

      fitting++
      const stored = compiled.check(blocks, { complete })
      const rules = new Map(schema.map((rule) => [rule.id, rule]))
      for (const [index, { value, ...rest }] of stored.entries()) {
        assert.deepEqual(rest, rules.get(blocks[index]?.id ?? ''))
        assert.equal(value === undefined || value === null, (blocks[index]?.value ?? null) === null)
      }
      assert.deepEqual(compiled.check(stored, { complete: false }), stored)
    }),
    { numRuns: 2500 },
  )
  t.diagnostic(`${fitting} of 2500 fit, the others made ${mistakes} mistakes`)
  assert.ok(fitting > 250 && fitting < 2250)
})

test('a hundred texts in fifty languages take milliseconds', (t) => {
  const schema = Array.from(
    { length: 100 },
    (_, index): Block => ({ id: `b${index}`, type: 'TEXT', required: true, settings: { maxLength: 200 } }),
  )
  const value = Object.fromEntries(LOCALES.map((locale) => [locale, 'Stoneware from the coast 🌊']))
  const blocks = schema.map(({ id, type }) => ({ id, type, value }))
  const compiled = compileBlocks(schema)
  assert.equal(compiled.check(blocks, { complete: true }).length, 100)

  const tookMs = measureMs(() => compiled.check(blocks, { complete: true }))
  const rich = compileBlocks(schema.map((block) => ({ ...block, settings: { variant: 'HTML' as const } })))
  const richMs = measureMs(() => rich.check(blocks, { complete: true }))
  t.diagnostic(`5,000 texts: ${tookMs.toFixed(1)} ms, as rich text ${richMs.toFixed(1)} ms`)
  assert.ok(tookMs < 100, `${tookMs} ms`)
})

test('ids and locales that objects have a meaning for are nothing special', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']
  const special = compileBlocks(names.map((id) => ({ id, type: 'TEXT', required: true })))
  const blocks = names.map((id): NewBlock => ({ id, type: 'TEXT', value: id }))
  const stored = special.check(blocks, { complete: true })
  assert.deepEqual(
    stored.map(({ id, value }) => [id, value]),
    names.map((id) => [id, id]),
  )
  assert.deepEqual(
    mistakesOf(special, []),
    names.map((id) => `blocks.${id}: REQUIRED`),
  )
  assert.deepEqual(
    mistakesOf(compiled, blocks, false),
    names.map((_, index) => `blocks.${index}.id: NOT_FOUND`),
  )

  for (const name of names) {
    const value = JSON.parse(`{"${name}": "x", "en": "y"}`)
    const title: NewBlock = { id: 'title', type: 'TEXT', value }
    assert.deepEqual(mistakesOf(compiled, [title], false), [`blocks.0.value.${name}: INVALID`])
  }
  assert.equal(Object.hasOwn(Object.prototype, 'en'), false)
})

test('whatever a hostile entry holds, it is refused at once', (t) => {
  const everyType = compileBlocks([
    { id: 'text', type: 'TEXT' },
    { id: 'rich', type: 'TEXT', settings: { variant: 'HTML' } },
    { id: 'number', type: 'NUMBER', settings: { min: 0, max: 9, integer: true } },
    { id: 'boolean', type: 'BOOLEAN' },
    { id: 'date', type: 'DATE' },
    { id: 'relationship', type: 'RELATIONSHIP', settings: { targetType: 'USER' } },
    { id: 'geo', type: 'GEO_LOCATION' },
    { id: 'media', type: 'MEDIA', settings: { accept: ['image/*'], maxItems: 3 } },
    { id: 'select', type: 'SELECT', settings: { options: ['Red'] } },
    { id: 'several', type: 'MULTI_SELECT' },
  ])
  const blocksOf = (value: unknown) =>
    (
      [
        ['text', 'TEXT'],
        ['rich', 'TEXT'],
        ['number', 'NUMBER'],
        ['boolean', 'BOOLEAN'],
        ['date', 'DATE'],
        ['relationship', 'RELATIONSHIP'],
        ['geo', 'GEO_LOCATION'],
        ['media', 'MEDIA'],
        ['select', 'SELECT'],
        ['several', 'MULTI_SELECT'],
      ] as const
    ).map(([id, type]) => ({ id, type, value }))
  const nest = (wrap: (inner: unknown) => unknown) => {
    let value: unknown = 'x'
    for (let depth = 0; depth < 20_000; depth++) value = wrap(value)
    return value
  }
  const megabyte = 'a'.repeat(2 ** 20)
  const hostile: Record<string, unknown> = {
    'a megabyte': megabyte,
    'a megabyte of surrogates': '\ud83d'.repeat(2 ** 20),
    'a megabyte of tags': '<p>'.repeat(350_000),
    'as many tags as fit': '<p>'.repeat(33_333),
    'as many brackets as fit': '<'.repeat(100_000),
    'a megabyte as key': { [megabyte]: megabyte },
    'a megabyte in each part': {
      id: megabyte,
      url: `https://${megabyte}`,
      mimeType: `${megabyte}/${megabyte}`,
      latitude: megabyte,
      longitude: megabyte,
    },
    '10,000 locales': Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`en-x-${index}`, 'x'])),
    'a hundred wrong locales': Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`e${index}`, 7])),
    'a million items': Array.from({ length: 1_000_000 }, () => 'x'),
    'deep arrays': nest((inner) => [inner]),
    'deep objects': nest((inner) => ({ en: inner })),
    'objects by name': JSON.parse('{"__proto__": {"latitude": 1, "longitude": 1}, "length": 1e9, "toString": 1}'),
    'a hundred objects': Array.from({ length: 100 }, () => JSON.parse('{"__proto__": 1, "url": {}, "mimeType": []}')),
  }
  for (const [name, value] of Object.entries(hostile)) {
    const blocks = blocksOf(value)
    const found = mistakesOf(everyType, blocks, true)
    assert.ok(found.length > 0 && found.length <= 100, name)
    const look = () => everyType.findMistakes(blocks, { complete: true })
    assert.ok(JSON.stringify(look()).length < 50_000, `${name} has a long answer`)
    const tookMs = measureMs(look, 3)
    t.diagnostic(`${name}: ${tookMs.toFixed(1)} ms`)
    assert.ok(tookMs < 1000, `${name}: ${tookMs} ms`)
  }
})

test('after a hundred mistakes nobody looks for more', (t) => {
  const schema = Array.from({ length: 200 }, (_, index): Block => ({ id: `b${index}`, type: 'TEXT' }))
  const value = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`en-${index}`, 'x']))
  const blocks = schema.map(({ id, type }) => ({ id, type, value }))
  const compiled = compileBlocks(schema)
  assert.equal(mistakesOf(compiled, blocks).length, 100)
  t.diagnostic(`${measureMs(() => compiled.findMistakes(blocks, { complete: true })).toFixed(1)} ms`)
})

test('what is stored fits as it stands: HTML is clean already, plain text must be what cleaning would make of it', () => {
  const rich = compileBlocks([{ id: 'a', type: 'TEXT', settings: { variant: 'HTML', maxLength: 30 } }])
  const look = (value: unknown, variant: 'HTML' | 'PLAIN') => {
    const block: NewBlock = { id: 'a', type: 'TEXT', settings: { variant }, value }
    return rich.findMistakes([block], { complete: true, isStored: true }).map(({ field, error }) => `${field} ${error}`)
  }
  assert.deepEqual(look('<p>x</p>', 'PLAIN'), [])
  assert.deepEqual(look('<b onclick=x>x</b>', 'PLAIN'), ['blocks.0.value NOT_CLEAN'])
  assert.deepEqual(look({ en: 'x', de: 'x & y' }, 'PLAIN'), ['blocks.0.value.de NOT_CLEAN'])
  assert.deepEqual(look('<b onclick=x>x</b>', 'HTML'), [], 'nobody looks into it again')
  assert.deepEqual(look('x'.repeat(31), 'HTML'), ['blocks.0.value TOO_LONG'])
  assert.deepEqual(look('x'.repeat(31), 'PLAIN'), ['blocks.0.value TOO_LONG'])
})
