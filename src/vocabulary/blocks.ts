import { type Static, Type } from 'typebox'
import { checkValue, collectDetails, isEmpty, type Report } from './block-values.ts'
import { newId } from './ids.ts'
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

/** What a RELATIONSHIP can point at. */
export const TARGET_TYPES = ['USER', 'PRODUCT', 'ENTRY', 'COLLECTION', 'ORDER'] as const
export type TargetType = (typeof TARGET_TYPES)[number]

const BlockId = Type.String({ ...Id, description: 'The key of the block among its siblings.', examples: ['title'] })
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
})

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

/** A field that a business made up: in a collection's schema without a value, elsewhere with one. */
export const Block = Type.Object({ id: BlockId, ...parts }, { title: 'Block' })
export type Block = Static<typeof Block>

export const NewBlock = Type.Object({ id: Type.Optional(BlockId), ...parts })
export type NewBlock = Static<typeof NewBlock>

export const NewBlocks = Type.Array(NewBlock, { maxItems: 200 })

/** Blocks without a schema, each checked by its own type. Throws 422 with a detail for each mistake. */
export function checkFreeBlocks(blocks: readonly NewBlock[], field = 'blocks'): Block[] {
  const { report, throwIfAny } = collectDetails()
  reportRepeated(blocks, field, report)
  const checked = blocks.map((block, index) => {
    const at = `${field}.${index}.value`
    const value = checkValue(block, at, report)
    if (block.required && isEmpty(value)) report(at, 'REQUIRED', `${at} is required.`)
    return toBlock(block, value)
  })
  throwIfAny()
  return checked
}

/**
 * The blocks of an entry against its collection's. Each is answered with the label and settings of the schema, which rule
 * whatever was sent. `complete`: all that is required must be there.
 */
export function checkBlocksAgainst(
  schema: readonly Block[],
  blocks: readonly NewBlock[],
  { complete, field = 'blocks' }: { complete: boolean; field?: string },
): Block[] {
  const { report, throwIfAny } = collectDetails()
  const known = new Map(schema.map((block) => [block.id, block]))
  reportRepeated(blocks, field, report)

  const checked = blocks.map((block, index) => {
    const at = `${field}.${index}`
    const rule = known.get(block.id ?? '')
    if (block.id === undefined) report(`${at}.id`, 'REQUIRED', `${at}.id is required.`)
    else if (!rule) report(`${at}.id`, 'NOT_FOUND', `The schema has no block ${block.id}.`)
    else if (rule.type !== block.type) report(`${at}.type`, 'INVALID', `The block ${rule.id} is a ${rule.type}.`)
    if (rule?.type !== block.type) return toBlock(block, undefined)

    const value = checkValue({ ...rule, value: block.value }, `${at}.value`, report)
    if (complete && rule.required && isEmpty(value)) report(`${at}.value`, 'REQUIRED', `${rule.id} is required.`)
    return toBlock(rule, value)
  })

  const sent = new Set(blocks.map(({ id }) => id))
  for (const { id, required } of schema) {
    if (complete && required && !sent.has(id)) report(`${field}.${id}`, 'REQUIRED', `${id} is required.`)
  }
  throwIfAny()
  return checked
}

/** The blocks of a collection: they say what its entries hold, and hold nothing themselves. */
export function checkSchemaBlocks(blocks: readonly NewBlock[], field = 'blocks'): Block[] {
  const { report, throwIfAny } = collectDetails()
  reportRepeated(blocks, field, report)
  for (const [index, { type, settings, value }] of blocks.entries()) {
    const at = `${field}.${index}`
    const lacks = (name: string) => report(`${at}.settings.${name}`, 'REQUIRED', `A ${type} needs settings.${name}.`)
    if (value !== undefined && value !== null) report(`${at}.value`, 'INVALID', 'A block of a schema has no value.')
    if ((type === 'SELECT' || type === 'MULTI_SELECT') && !settings?.options?.length) lacks('options')
    if (type === 'RELATIONSHIP' && !settings?.targetType) lacks('targetType')
  }
  throwIfAny()
  return blocks.map((block) => toBlock(block, undefined))
}

export type Reference = { field: string; targetType: TargetType; id: string }

/** What checked blocks point at, so that somebody can see whether it exists. */
export const referencesOf = (blocks: readonly Block[], field = 'blocks'): Reference[] =>
  blocks.flatMap(({ type, settings, value }, index) =>
    type === 'RELATIONSHIP' && settings?.targetType && typeof value === 'string'
      ? [{ field: `${field}.${index}.value`, targetType: settings.targetType, id: value }]
      : [],
  )

function reportRepeated(blocks: readonly NewBlock[], field: string, report: Report): void {
  const seen = new Set<string>()
  for (const [index, { id }] of blocks.entries()) {
    if (id === undefined) continue
    if (seen.has(id)) report(`${field}.${index}.id`, 'DUPLICATE', `Two blocks have the id ${id}.`)
    seen.add(id)
  }
}

const toBlock = ({ id, type, label, required, settings }: NewBlock, value: unknown): Block => ({
  id: id ?? newId('blk'),
  type,
  ...(label !== undefined && { label }),
  ...(required !== undefined && { required }),
  ...(settings !== undefined && { settings }),
  ...(value !== undefined && { value }),
})
