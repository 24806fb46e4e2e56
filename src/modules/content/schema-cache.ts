import { createCache } from '#platform/cache.ts'
import type { Block, TargetType } from '#vocabulary/blocks.ts'
import { type CompiledBlocks, compileBlocks } from '#vocabulary/compile-blocks.ts'
import type { Detail } from '#vocabulary/errors.ts'
import type { Collection } from './collection.ts'
import type { ContentStatus } from './schemas.ts'

/** A collection's schema, ready to check with. */
export type Schema = {
  collectionId: string
  version: number
  compiled: CompiledBlocks
  /** What each RELATIONSHIP is the id of. */
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
 * Compiled once for each version, as this process meets it. Only of a collection that was read as others have committed it: the
 * number of a version that is being written may yet come to mean another schema.
 */
const cache = createCache<{ schema: Schema; bytes: number }>({
  max: 200,
  ttlMs: 24 * 3_600_000,
  weight: { maxBytes: 32 * 1024 * 1024, of: ({ bytes }) => bytes },
})

/** About four times as much as its JSON: options are kept as they are and as sets. */
const weigh = ({ blocks }: Source) => 4 * JSON.stringify(blocks).length

export async function schemaOf(collection: Source): Promise<Schema> {
  const key = `${collection.businessId} ${collection.id} ${collection.schemaVersion}`
  const kept = await cache.get(key, async () => ({ schema: toSchema(collection), bytes: weigh(collection) }))
  return kept?.schema ?? toSchema(collection)
}

type Stored = { blocks: readonly Block[]; status: ContentStatus; publishAt: Date | null }

/** What the schema of today finds wrong with an entry as it is stored. */
export function findMistakes({ compiled, targets }: Schema, { blocks, status, publishAt }: Stored): Detail[] {
  const complete = status === 'PUBLISHED' || publishAt !== null
  // An id of a product is none of a user: where the schema has changed what is pointed at, nothing is.
  const retargeted = blocks.flatMap(({ id, settings, value }, index) => {
    const target = targets.get(id)
    const isSame = target === undefined || target === settings?.targetType || typeof value !== 'string'
    const message = `${id} is the id of a ${settings?.targetType}; the schema now wants one of a ${target}.`
    return isSame ? [] : [{ field: `blocks.${index}.value`, error: 'NOT_FOUND', message }]
  })
  return [...compiled.findMistakes(blocks, { complete, isStored: true }), ...retargeted]
}
