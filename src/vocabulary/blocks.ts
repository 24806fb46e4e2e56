import { type Static, Type } from 'typebox'
import { collectDetails, isAbsent, isEmpty, makeCheck, type Report } from './block-values.ts'
import { newId } from './ids.ts'
import { MAX_OPTIONS } from './limits.ts'
import { type KnownMedia, type Media, mediaIdsOf, withFresh } from './media.ts'
import * as refusal from './refusals.ts'
import { Id, OneOf } from './schemas.ts'

export const BLOCK_TYPES = [
  'TEXT',
  'NUMBER',
  'BOOLEAN',
  'DATE',
  'RELATIONSHIP',
  'GEO_LOCATION',
  'MEDIA',
  'SELECT',
  'MULTI_SELECT',
] as const
export type BlockType = (typeof BLOCK_TYPES)[number]

/** The kinds of record that a RELATIONSHIP can reference. */
export const TARGET_TYPES = ['USER', 'PRODUCT', 'ENTRY', 'COLLECTION', 'ORDER'] as const
export type TargetType = (typeof TARGET_TYPES)[number]

const BlockId = Type.String({ ...Id, description: 'The key of the block among its siblings.', examples: ['title'] })
const NUMBER_LIMITS = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const MediaRange = Type.String({
  maxLength: 127,
  pattern: '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/([*]|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*)$',
  examples: ['image/*'],
})
const BlockSettings = Type.Object({
  maxLength: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'TEXT: code points.', examples: [200] }),
  ),
  variant: Type.Optional(
    OneOf(['HTML', 'PLAIN'], { description: 'TEXT: HTML is rich content, cleaned when written.' }),
  ),
  targetType: Type.Optional(OneOf(TARGET_TYPES, { description: 'RELATIONSHIP: what the value is the id of.' })),
  options: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, examples: ['Red'] }), {
      maxItems: 500,
      uniqueItems: true,
      description: 'SELECT and MULTI_SELECT: what can be chosen.',
    }),
  ),
  min: Type.Optional(Type.Number({ ...NUMBER_LIMITS, description: 'NUMBER: the smallest.', examples: [0] })),
  max: Type.Optional(Type.Number({ ...NUMBER_LIMITS, description: 'NUMBER: the greatest.', examples: [100] })),
  integer: Type.Optional(Type.Boolean({ description: 'NUMBER: whole ones only.', examples: [true] })),
  accept: Type.Optional(
    Type.Array(MediaRange, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'MEDIA: media types that can be put in. `image/*` stands for all that begin so.',
    }),
  ),
  maxItems: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'MEDIA: how many there can be.', examples: [1] }),
  ),
})
type BlockSettings = Static<typeof BlockSettings>

const SETTING_TYPES: { [Name in keyof BlockSettings]-?: readonly BlockType[] } = {
  maxLength: ['TEXT'],
  variant: ['TEXT'],
  targetType: ['RELATIONSHIP'],
  options: ['SELECT', 'MULTI_SELECT'],
  min: ['NUMBER'],
  max: ['NUMBER'],
  integer: ['NUMBER'],
  accept: ['MEDIA'],
  maxItems: ['MEDIA'],
}

const parts = {
  type: OneOf(BLOCK_TYPES),
  label: Type.Optional(Type.String({ maxLength: 200, examples: ['Title'] })),
  required: Type.Optional(Type.Boolean({ examples: [true] })),
  settings: Type.Optional(BlockSettings),
  value: Type.Optional(
    Type.Unknown({
      description:
        'TEXT: a string, or an object of strings by locale. NUMBER. BOOLEAN. DATE: Unix seconds. RELATIONSHIP: an id. ' +
        'GEO_LOCATION: `{latitude, longitude}`. MEDIA: one `{id, url, mimeType}` or an array. SELECT: one option. ' +
        'MULTI_SELECT: an array of options. Absent or null: empty.',
      examples: ['Stoneware from the coast'],
    }),
  ),
}

/** A custom field: without a value in a collection's schema, with one elsewhere. */
export const Block = Type.Object({ id: BlockId, ...parts }, { title: 'Block' })
export type Block = Static<typeof Block>

export const NewBlock = Type.Object({ id: Type.Optional(BlockId), ...parts })
export type NewBlock = Static<typeof NewBlock>

export const NewBlocks = Type.Array(NewBlock, { maxItems: 200 })

/**
 * Checks blocks without a schema, each by its own type. `known`: the files that MEDIA may name. Throws 422 with a detail for
 * each mistake.
 */
export function checkFreeBlocks(blocks: readonly NewBlock[], field = 'blocks', known?: KnownMedia): Block[] {
  const { report, isFull, throwIfAny } = collectDetails()
  collectIds(blocks, field, report)
  const checked: Block[] = []
  for (const [index, block] of blocks.entries()) {
    if (isFull()) break
    const at = `${field}.${index}.value`
    const value = makeCheck(block.type, block.settings)(block.value, at, report, undefined, known)
    if (block.required && isEmpty(value)) report(refusal.valueRequired.asDetail({ at }))
    checked.push(toBlock(block, value))
  }
  throwIfAny()
  return checked
}

/** Checks the blocks of a collection: they define the fields of its entries, and have no values. */
export function checkSchemaBlocks(blocks: readonly NewBlock[], field = 'blocks'): Block[] {
  const { report, throwIfAny } = collectDetails()
  collectIds(blocks, field, report)
  for (const [index, block] of blocks.entries()) {
    const at = `${field}.${index}`
    if (!isAbsent(block.value)) report(refusal.schemaHasNoValues.asDetail({ at }))
    checkSettings(block, `${at}.settings`, report)
  }
  const options = blocks.reduce((sum, { settings }) => sum + (settings?.options?.length ?? 0), 0)
  if (options > MAX_OPTIONS) report(refusal.tooManyOptions.asDetail({ field }))
  throwIfAny()
  return blocks.map((block) => toBlock(block, undefined))
}

function checkSettings({ type, settings = {} }: NewBlock, at: string, report: Report): void {
  for (const [name, types] of Object.entries(SETTING_TYPES)) {
    if (settings[name as keyof BlockSettings] === undefined || types.includes(type)) continue
    report(refusal.settingMisplaced.asDetail({ at, name, types: types.join(' and '), type }))
  }
  const { options, targetType, min, max } = settings
  const lacks = (name: string) => report(refusal.settingRequired.asDetail({ at, name, type }))
  if ((type === 'SELECT' || type === 'MULTI_SELECT') && !options?.length) lacks('options')
  if (type === 'RELATIONSHIP' && !targetType) lacks('targetType')
  if (min !== undefined && max !== undefined && min > max) {
    report(refusal.boundsReversed.asDetail({ at }))
  }
}

export type Reference = { field: string; targetType: TargetType; id: string }

/** The references in checked blocks, so that a caller can see whether their targets exist. */
export const referencesOf = (blocks: readonly Block[], field = 'blocks'): Reference[] =>
  blocks.flatMap(({ type, settings, value }, index) =>
    type === 'RELATIONSHIP' && settings?.targetType && typeof value === 'string'
      ? [{ field: `${field}.${index}.value`, targetType: settings.targetType, id: value }]
      : [],
  )

/** MEDIA values, one by one, as they are sent or stored. */
export const mediaItemsOf = (blocks: readonly NewBlock[]): unknown[] =>
  blocks.flatMap(({ type, value }) => (type === 'MEDIA' ? (Array.isArray(value) ? value : [value]) : []))

export const mediaIdsInBlocks = (blocks: readonly NewBlock[]): string[] => mediaIdsOf(mediaItemsOf(blocks))

/** Checked blocks with what is known of their files now. */
export const withFreshMedia = (blocks: readonly Block[], known: KnownMedia): Block[] =>
  blocks.map((block) => {
    const { type, value } = block
    if (type !== 'MEDIA' || isAbsent(value)) return block
    const items = value as Media | Media[]
    return {
      ...block,
      value: Array.isArray(items) ? items.map((item) => withFresh(item, known)) : withFresh(items, known),
    }
  })

/** Collects the blocks' ids and reports duplicates. */
export function collectIds(blocks: readonly NewBlock[], field: string, report: Report): Set<string> {
  const seen = new Set<string>()
  for (const [index, { id }] of blocks.entries()) {
    if (id === undefined) continue
    if (seen.has(id)) report(refusal.blockIdRepeated.asDetail({ at: `${field}.${index}`, id }))
    seen.add(id)
  }
  return seen
}

export const toBlock = ({ id, type, label, required, settings }: NewBlock, value: unknown): Block => ({
  id: id ?? newId('blk'),
  type,
  ...(label !== undefined && { label }),
  ...(required !== undefined && { required }),
  ...(settings !== undefined && { settings }),
  ...(value !== undefined && { value }),
})
