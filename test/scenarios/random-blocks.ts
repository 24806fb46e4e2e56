import fc from 'fast-check'
import type { Block, BlockType, NewBlock } from '#vocabulary/blocks.ts'

type Settings = NonNullable<Block['settings']>
type Dice = (sides: number) => number
type Mistake = readonly [path: string, code: string]

/** What may be in a block, twice: as a maker of examples, and as rules that are slow, plain and nobody else's. */
type Kind = {
  settings?(dice: Dice): Settings
  right(dice: Dice, settings: Settings): unknown
  /** Just beyond what is right. */
  beyond(dice: Dice, settings: Settings): unknown
  findMistakes(value: unknown, settings: Settings): Mistake[]
}

export type BlocksCase = { schema: Block[]; blocks: NewBlock[]; complete: boolean }

/** Schemas of up to 30 blocks, and entries: some right, some nearly, some not at all. */
export const blocksCases: fc.Arbitrary<BlocksCase> = fc
  .record({
    seeds: fc.array(fc.noBias(fc.nat()), { maxLength: 30, size: 'max' }),
    wrongPercent: fc.constantFrom(0, 2, 10, 60),
    complete: fc.boolean(),
  })
  .map(({ seeds, wrongPercent, complete }) => {
    const made = seeds.map((seed, index) => makeBlock(makeDice(seed), IDS[index] ?? `b${index}`, wrongPercent))
    return { schema: made.map(({ rule }) => rule), blocks: made.flatMap(({ sent }) => sent).toReversed(), complete }
  })

/** `field: CODE` of all that is wrong, a field once, found from the rules alone. */
export function naiveMistakes({ schema, blocks, complete }: BlocksCase): string[] {
  const codes = new Map<string, string>()
  const add = (field: string, code: string) => {
    if (!codes.has(field)) codes.set(field, code)
  }
  blocks.forEach(({ id }, index) => {
    if (id !== undefined && blocks.slice(0, index).some((earlier) => earlier.id === id)) {
      add(`blocks.${index}.id`, 'DUPLICATE')
    }
  })
  blocks.forEach(({ id, type, value }, index) => {
    const at = `blocks.${index}`
    const rule = schema.find((block) => block.id === id)
    if (id === undefined) return add(`${at}.id`, 'REQUIRED')
    if (!rule) return add(`${at}.id`, 'NOT_FOUND')
    if (rule.type !== type) return add(`${at}.type`, 'INVALID')
    const { settings = {}, required } = rule
    if (value !== undefined && value !== null) {
      for (const [path, code] of KINDS[type].findMistakes(value, settings)) add(`${at}.value${path}`, code)
    }
    if (complete && required && isBlank(value, settings)) add(`${at}.value`, 'REQUIRED')
  })
  for (const { id, required } of schema) {
    if (complete && required && !blocks.some((block) => block.id === id)) add(`blocks.${id}`, 'REQUIRED')
  }
  return [...codes].map(([field, code]) => `${field}: ${code}`).sort()
}

/** A few numbers from one, so that there is little for fast-check to make and to shrink. */
function makeDice(seed: number): Dice {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}
const pick = <Item>(dice: Dice, ...items: Item[]) => items[dice(items.length)] as Item

const IDS = ['__proto__', 'constructor', 'toString']
const ODD = [
  '',
  'x',
  0,
  -1,
  1e300,
  Number.NaN,
  true,
  [],
  {},
  [[]],
  [''],
  [null],
  { en: '' },
  { en: { en: 'x' } },
  { id: 'a' },
  JSON.parse('{"__proto__": "x", "constructor": ""}'),
]

function makeBlock(dice: Dice, id: string, wrongPercent: number): { rule: Block; sent: NewBlock[] } {
  const type = pick(dice, ...TYPES)
  const kind = KINDS[type]
  const settings = kind.settings?.(dice)
  const rule = { id, type, required: dice(2) === 0, ...(settings && { settings }), label: `A ${type}` }
  const goesWrong = () => dice(100) < wrongPercent

  let value = dice(8) === 0 ? pick(dice, null, undefined) : kind.right(dice, settings ?? {})
  if (goesWrong()) {
    const other = KINDS[pick(dice, ...TYPES)]
    value = pick(
      dice,
      () => kind.beyond(dice, settings ?? {}),
      () => other.right(dice, settings ?? {}),
      () => pick<unknown>(dice, ...ODD),
    )()
  }
  const right = { id, type, value }
  if (!goesWrong()) return { rule, sent: [right] }
  const sent = pick<NewBlock[]>(
    dice,
    [],
    [right, { ...right }],
    [{ type, value }],
    [{ ...right, id: `not-${id}` }],
    [{ ...right, type: pick(dice, ...TYPES) }],
  )
  return { rule, sent }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isOneOf = (value: unknown, items: readonly unknown[]) => items.some((item) => item === value)
const invalidUnless = (right: boolean): Mistake[] => (right ? [] : [['', 'INVALID']])
const within = (path: string, mistakes: readonly Mistake[]) =>
  mistakes.map(([inner, code]): Mistake => [`.${path}${inner}`, code])

const LOCALES = ['en', 'de-CH', 'zh-Hant-TW']
// Names of parts end up here, too. A word of 2, 3 or 5 to 8 small letters has the form of a language, known or not.
const isLocale = (key: string) => LOCALES.includes(key) || /^([a-z]{2,3}|[a-z]{5,8})$/.test(key)
const WRONG_LOCALES = ['EN', 'de-ch', 'en_GB', '', '__proto__', 'constructor', 'x'.repeat(50)]
// How rich text is cleaned is another matter: these are known, and no other text here has anything to clean.
const HTML: Record<string, string> = {
  '<b>x</b>': '<b>x</b>',
  '<script>x</script>': '',
  'a & b': 'a &amp; b',
  '<p onclick="x()">y</p>': '<p>y</p>',
  '<i>z': '<i>z</i>',
}
const cleaned = (text: string, { variant }: Settings) =>
  variant === 'HTML' && Object.hasOwn(HTML, text) ? HTML[text] : text
const isTooLong = (text: string, settings: Settings) =>
  [text, cleaned(text, settings)].some((form = '') => Array.from(form).length > (settings.maxLength ?? 100_000))

/** Nothing in it: neither as it came nor as it would be stored. A text that cannot be stored is something. */
function isBlank(value: unknown, settings: Settings): boolean {
  const isNothing = (part: unknown) =>
    typeof part === 'string' && cleaned(part, settings) === '' && !isTooLong(part, settings)
  if (value === undefined || value === null || isNothing(value)) return true
  return typeof value === 'object' && Object.values(value).every(isNothing)
}

const makeText = (dice: Dice, length: number) => pick(dice, 'e', 'é', '😀').repeat(length)
const oneText = (text: unknown, settings: Settings): Mistake[] => {
  if (typeof text !== 'string') return [['', 'INVALID']]
  return isTooLong(text, settings) ? [['', 'TOO_LONG']] : []
}

const oneId = (value: unknown): Mistake[] => {
  if (typeof value === 'string' && value.length > 64) return [['', 'TOO_LONG']]
  return invalidUnless(typeof value === 'string' && /^[\w-]+$/.test(value))
}

const oneCoordinate = (value: unknown, limit: number): Mistake[] => {
  if (value === undefined) return [['', 'REQUIRED']]
  return invalidUnless(typeof value === 'number' && Math.abs(value) <= limit)
}

const PICTURE = { url: 'https://example.com/a.png', mimeType: 'image/png' }
const CLIP = { id: 'm', url: 'http://example.com', mimeType: 'VIDEO/mp4' }
function oneMedia(value: unknown, { accept }: Settings): Mistake[] {
  if (!isObject(value)) return [['', 'INVALID']]
  const { id, url, mimeType } = value
  const isAccepted = (type: string) =>
    !accept ||
    accept.some((range) => {
      const [wantedFamily, wanted] = range.toLowerCase().split('/')
      const [family, name] = type.toLowerCase().split('/')
      return family === wantedFamily && (wanted === '*' || wanted === name)
    })
  const oneUrl = (): Mistake[] => {
    if (url === undefined) return [['', 'REQUIRED']]
    if (typeof url === 'string' && url.length > 2048) return [['', 'TOO_LONG']]
    return invalidUnless(typeof url === 'string' && /^https?:\/\/[^\s/?#"<>\\]/.test(url) && !/[\s"<>\\]/.test(url))
  }
  const oneMimeType = (): Mistake[] => {
    if (mimeType === undefined) return [['', 'REQUIRED']]
    if (typeof mimeType === 'string' && mimeType.length > 127) return [['', 'TOO_LONG']]
    return invalidUnless(typeof mimeType === 'string' && /^\w+\/\w+$/.test(mimeType) && isAccepted(mimeType))
  }
  return [
    ...(id === undefined ? [] : within('id', oneId(id))),
    ...within('url', oneUrl()),
    ...within('mimeType', oneMimeType()),
  ]
}

const oneChoice = (value: unknown, { options = [] }: Settings): Mistake[] => {
  if (options.length > 0) return invalidUnless(isOneOf(value, options))
  if (typeof value !== 'string') return [['', 'INVALID']]
  return Array.from(value).length > 200 ? [['', 'TOO_LONG']] : []
}
const makeOptions = (dice: Dice) => pick<Settings>(dice, {}, { options: [] }, { options: ['Red', 'Blue', 'Green'] })

const KINDS: Record<BlockType, Kind> = {
  TEXT: {
    settings: (dice) => ({
      ...(dice(3) > 0 && { maxLength: 1 + dice(20) }),
      ...(dice(2) > 0 && { variant: pick(dice, 'HTML', 'PLAIN') }),
    }),
    right(dice, { maxLength = 5, variant }) {
      const one = () =>
        variant === 'HTML' && dice(2) === 0
          ? pick(dice, ...Object.keys(HTML))
          : makeText(dice, pick(dice, 0, maxLength, maxLength - 1))
      if (dice(2) === 0) return one()
      return Object.fromEntries(LOCALES.filter(() => dice(2) === 0).map((locale) => [locale, one()]))
    },
    beyond: (dice, { maxLength = 5 }) =>
      pick<unknown>(
        dice,
        makeText(dice, maxLength + 1),
        { en: makeText(dice, maxLength + 1), 'de-CH': 'x' },
        Object.fromEntries([
          ['en', 'x'],
          [pick(dice, ...WRONG_LOCALES), pick<unknown>(dice, '', 'x', 7)],
        ]),
        { en: pick<unknown>(dice, 7, null, ['x']) },
        Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a${index}`, ''])),
      ),
    findMistakes(value, settings) {
      if (!isObject(value)) return oneText(value, settings)
      if (Object.keys(value).length > 100) return [['', 'INVALID']]
      return Object.entries(value).flatMap(([locale, text]) =>
        within(locale.slice(0, 35), [...invalidUnless(isLocale(locale)), ...oneText(text, settings)]),
      )
    },
  },
  NUMBER: {
    settings: (dice) => ({
      ...(dice(2) > 0 && { min: dice(10) - 8 }),
      ...(dice(2) > 0 && { max: dice(10) }),
      ...(dice(2) > 0 && { integer: dice(2) > 0 }),
    }),
    right: (dice, { min = -9, max = 99, integer }) => pick(dice, min, max, integer ? max : (min + max) / 2),
    beyond: (dice, { min = -9, max = 99 }) =>
      pick<unknown>(dice, min - 1, min - 0.001, max + 1, max + 0.001, min + 0.5, Number.POSITIVE_INFINITY, `${min}`),
    findMistakes: (value, { min, max, integer }) =>
      invalidUnless(
        typeof value === 'number' &&
          Math.abs(value) < Number.POSITIVE_INFINITY &&
          !(min !== undefined && value < min) &&
          !(max !== undefined && value > max) &&
          !(integer && Math.floor(value) !== value),
      ),
  },
  BOOLEAN: {
    right: (dice) => dice(2) === 0,
    beyond: (dice) => pick<unknown>(dice, 'true', 0, 1),
    findMistakes: (value) => invalidUnless(value === true || value === false),
  },
  DATE: {
    right: (dice) => pick(dice, 0, 1_789_000_000, -62_135_596_800, 253_402_300_799),
    beyond: (dice) => pick<unknown>(dice, 1.5, -62_135_596_801, 253_402_300_800, '2026-01-01'),
    findMistakes: (value) =>
      invalidUnless(
        typeof value === 'number' &&
          Math.floor(value) === value &&
          value >= Date.parse('0001-01-01T00:00:00Z') / 1000 &&
          value <= Date.parse('9999-12-31T23:59:59Z') / 1000,
      ),
  },
  RELATIONSHIP: {
    settings: (dice) => ({ targetType: pick(dice, 'USER', 'PRODUCT', 'ORDER') }),
    right: (dice) => pick(dice, 'usr_1', 'a', '-'.repeat(64)),
    beyond: (dice) => pick<unknown>(dice, '', 'usr 1', 'a'.repeat(65), ' '.repeat(65), { id: 'usr_1' }),
    findMistakes: oneId,
  },
  GEO_LOCATION: {
    right: (dice) => ({ latitude: pick(dice, -90, 52.5, 90), longitude: pick(dice, -180, 13.4, 180), altitude: 3 }),
    beyond: (dice) =>
      pick<unknown>(dice, { latitude: 90.1, longitude: -180.1 }, { latitude: 1 }, { longitude: '' }, [1, 2]),
    findMistakes: (value) =>
      isObject(value)
        ? [
            ...within('latitude', oneCoordinate(value.latitude, 90)),
            ...within('longitude', oneCoordinate(value.longitude, 180)),
          ]
        : [['', 'INVALID']],
  },
  MEDIA: {
    settings: (dice) => ({
      ...(dice(2) > 0 && { accept: pick(dice, ['image/*'], ['video/mp4', 'Image/PNG'], ['audio/*', 'image/png']) }),
      ...(dice(2) > 0 && { maxItems: 1 + dice(3) }),
    }),
    right: (dice, { maxItems = 2 }) =>
      pick<unknown>(
        dice,
        PICTURE,
        [],
        [PICTURE],
        Array.from({ length: maxItems }, () => PICTURE),
      ),
    beyond: (dice, { maxItems = 100 }) => {
      const wrong = pick<unknown>(
        dice,
        CLIP,
        { ...PICTURE, mimeType: pick(dice, 'image/jpeg', 'image', 'image/*', '', 'imagex/png', 'a/'.padEnd(128, 'b')) },
        { ...PICTURE, url: pick(dice, 'javascript:alert(1)', 'https://', '/a.png', `https://${'a'.repeat(2048)}`) },
        { ...PICTURE, id: pick<unknown>(dice, '', 'a b', null, 'a'.repeat(65)) },
        { url: '' },
        { mimeType: 'text/html' },
        '',
      )
      return pick<unknown>(
        dice,
        wrong,
        [PICTURE, wrong],
        Array.from({ length: maxItems + 1 }, () => PICTURE),
      )
    },
    findMistakes(value, settings) {
      if (!Array.isArray(value)) return oneMedia(value, settings)
      if (value.length > (settings.maxItems ?? 100)) return [['', 'INVALID']]
      return value.flatMap((item, index) => within(`${index}`, oneMedia(item, settings)))
    },
  },
  SELECT: {
    settings: makeOptions,
    right: (dice) => pick(dice, 'Red', 'Blue'),
    beyond: (dice) => pick<unknown>(dice, 'red', '', 'a'.repeat(200), 'a'.repeat(201), ['Red'], 7),
    findMistakes: oneChoice,
  },
  MULTI_SELECT: {
    settings: makeOptions,
    right: (dice) => pick(dice, [], ['Red'], ['Green', 'Red', 'Blue']),
    beyond: (dice) =>
      pick<unknown>(
        dice,
        ['Red', 'Red'],
        ['Red', 'red'],
        ['', ''],
        ['Red', 7, 7],
        ['a'.repeat(201)],
        'Red',
        Array.from({ length: 501 }, (_, index) => `${index}`),
      ),
    findMistakes(value, settings) {
      if (!Array.isArray(value) || value.length > 500) return [['', 'INVALID']]
      return value.flatMap((choice, index) => {
        const repeated: Mistake[] = isOneOf(choice, value.slice(0, index)) ? [['', 'DUPLICATE']] : []
        return within(`${index}`, [...oneChoice(choice, settings), ...repeated])
      })
    },
  },
}
const TYPES = Object.keys(KINDS) as BlockType[]
