import type { Body } from '@kontor/sdk'
import { isSame } from '../../merge/is-same.ts'
import { type Merged, mergeThree } from '../../merge/three-way.ts'
import type { Block, BlockType, Collection } from '../queries.ts'

export const BLOCK_TYPES: readonly BlockType[] = [
  'TEXT',
  'NUMBER',
  'BOOLEAN',
  'DATE',
  'SELECT',
  'MULTI_SELECT',
  'MEDIA',
  'RELATIONSHIP',
  'GEO_LOCATION',
]
export const TARGETS = ['PRODUCT', 'ENTRY', 'COLLECTION', 'USER', 'ORDER'] as const

/**
 * A collection as it is changed: flat, so that each field of it is merged by itself. A field of its entries is
 * `block:<id>`, undefined when it was taken out; `order` has their ids.
 */
export type SchemaForm = {
  name: string
  slug: string
  description: string
  order: string[]
  [block: `block:${string}`]: Block | undefined
}

export const keyOf = (id: string) => `block:${id}` as const

export function toForm({ name, slug, description, blocks }: Collection): SchemaForm {
  const form: SchemaForm = { name, slug, description, order: blocks.map(({ id }) => id) }
  for (const block of blocks) form[keyOf(block.id)] = block
  return form
}

export const blocksOf = (form: SchemaForm): Block[] => form.order.flatMap((id) => form[keyOf(id)] ?? [])

export const withBlock = (form: SchemaForm, block: Block): SchemaForm => ({ ...form, [keyOf(block.id)]: block })

export const withNew = (form: SchemaForm, block: Block): SchemaForm => ({
  ...withBlock(form, block),
  order: [...form.order, block.id],
})

export const without = (form: SchemaForm, id: string): SchemaForm => ({
  ...form,
  [keyOf(id)]: undefined,
  order: form.order.filter((one) => one !== id),
})

/** Under another id, in the same place; only a field that was never saved. */
export function renamed(form: SchemaForm, id: string, next: Block): SchemaForm {
  const { [keyOf(id)]: _gone, ...rest } = form
  return {
    ...rest,
    [keyOf(next.id)]: next,
    order: form.order.map((one) => (one === id ? next.id : one)),
  }
}

export function moved(form: SchemaForm, id: string, to: number): SchemaForm {
  const others = form.order.filter((one) => one !== id)
  return { ...form, order: [...others.slice(0, to), id, ...others.slice(to)] }
}

/** What a field of this kind cannot be without. */
export function emptyBlock(type: BlockType, id: string): Block {
  const block: Block = { id, type, label: '' }
  if (type === 'RELATIONSHIP') block.settings = { targetType: 'PRODUCT' }
  if (type === 'SELECT' || type === 'MULTI_SELECT') block.settings = { options: [] }
  return block
}

/** `On the front page` is `on_the_front_page`; the same again is `…_2`. */
export function idFrom(label: string, taken: ReadonlySet<string>): string {
  const plain = label
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 50)
  const base = plain || 'field'
  for (let count = 1; ; count++) {
    const id = count === 1 ? base : `${base}_${count}`
    if (!taken.has(id)) return id
  }
}

/** Only what was changed. */
export function changesOf(base: SchemaForm, mine: SchemaForm): Body<'updateCollection'> {
  const { name, slug, description } = mine
  const blocks = blocksOf(mine)
  return {
    ...(name !== base.name && { name: name.trim() }),
    ...(slug !== base.slug && { slug }),
    ...(description !== base.description && { description }),
    ...(!isSame(blocks, blocksOf(base)) && { blocks }),
  }
}

/** Fields of entries that were added, changed or taken out, by id. */
export function changedBlocks(base: SchemaForm, mine: SchemaForm): string[] {
  const ids = new Set([...base.order, ...mine.order])
  return [...ids].filter((id) => !isSame(base[keyOf(id)], mine[keyOf(id)]))
}

/** Both may add, take out and move fields: only the same field changed by both is asked for. */
export function mergeSchemas(base: SchemaForm, theirs: SchemaForm, mine: SchemaForm): Merged<SchemaForm> {
  const ids = new Set([...base.order, ...theirs.order, ...mine.order])
  const whole = (form: SchemaForm): SchemaForm => ({
    ...Object.fromEntries([...ids].map((id) => [keyOf(id), form[keyOf(id)]])),
    ...form,
  })
  const merged = mergeThree(whole(base), whole(theirs), whole(mine))
  const conflicts = merged.conflicts.filter(({ field }) => field !== 'order')
  const kept = (id: string) => merged.value[keyOf(id)] !== undefined
  const order = mergeOrders(base.order, theirs.order, mine.order).filter(kept)
  const lost = [...ids].filter((id) => kept(id) && !order.includes(id))
  return { ...merged, conflicts, value: { ...merged.value, order: [...order, ...lost] } }
}

/** My order, with what they added behind what it stands behind there. */
function mergeOrders(base: readonly string[], theirs: readonly string[], mine: readonly string[]): string[] {
  if (isSame(base, mine)) return [...theirs]
  const order = [...mine]
  for (const [at, id] of theirs.entries()) {
    if (order.includes(id) || base.includes(id)) continue
    const before = theirs.slice(0, at).findLast((one) => order.includes(one))
    order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, id)
  }
  return order
}

export type BlockProblem = 'label' | 'options' | 'bounds' | 'id'

/** What the service would refuse of a field. */
export function problemOf({ id, type, label, settings }: Block): BlockProblem | undefined {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return 'id'
  if (!label?.trim()) return 'label'
  if ((type === 'SELECT' || type === 'MULTI_SELECT') && !settings?.options?.length) return 'options'
  const { min, max } = settings ?? {}
  return min !== undefined && max !== undefined && min > max ? 'bounds' : undefined
}
