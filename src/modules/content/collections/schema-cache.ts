import { createCache } from '#platform/cache.ts'
import type { Block, TargetType } from '#vocabulary/blocks.ts'
import { type CompiledBlocks, compileBlocks } from '#vocabulary/compile-blocks.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { targetChanged } from '../errors.ts'
import type { ContentStatus } from '../schemas.ts'
import type { Collection } from './collection.ts'

/** A collection's schema, compiled. */
export type Schema = {
  collectionId: string
  version: number
  compiled: CompiledBlocks
  /** The target type of each RELATIONSHIP block. */
  targets: ReadonlyMap<string, TargetType>
}

type Source = Pick<Collection, 'businessId' | 'id' | 'blocks' | 'schemaVersion'>

export const toSchema = ({ id, schemaVersion, blocks }: Source): Schema => ({
  collectionId: id,
  version: schemaVersion,
  compiled: compileBlocks(blocks),
  targets: new Map(blocks.flatMap(({ id, settings }) => (settings?.targetType ? [[id, settings.targetType]] : []))),
})

/**
 * Compiled once per version and process. Caches only committed versions: the number of a version that is still being
 * written may later stand for another schema.
 */
const cache = createCache<{ schema: Schema; bytes: number }>({
  max: 200,
  ttlMs: 24 * 3_600_000,
  weight: { maxBytes: 32 * 1024 * 1024, of: ({ bytes }) => bytes },
})

/** About four times the JSON: options are kept both as they are and as sets. */
const weigh = ({ blocks }: Source) => 4 * JSON.stringify(blocks).length

export async function schemaOf(collection: Source): Promise<Schema> {
  const key = `${collection.businessId} ${collection.id} ${collection.schemaVersion}`
  const kept = await cache.get(key, async () => ({ schema: toSchema(collection), bytes: weigh(collection) }))
  return kept?.schema ?? toSchema(collection)
}

type Stored = { blocks: readonly Block[]; status: ContentStatus; publishAt: Date | null }

/** The mistakes of a stored entry by the current schema. */
export function findMistakes({ compiled, targets }: Schema, { blocks, status, publishAt }: Stored): Detail[] {
  const complete = status === 'PUBLISHED' || publishAt !== null
  // Where the schema has changed the target type, the stored id points at nothing: a product's id is no user's.
  const retargeted = blocks.flatMap(({ id, settings, value }, index): Detail[] => {
    const target = targets.get(id)
    const isSame = target === undefined || target === settings?.targetType || typeof value !== 'string'
    return isSame ? [] : [targetChanged.asDetail({ index, id, before: String(settings?.targetType), target })]
  })
  return [...compiled.findMistakes(blocks, { complete, isStored: true }), ...retargeted]
}
