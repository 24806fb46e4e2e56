import type { Actor } from '#vocabulary/actor.ts'
import { type Block, checkFreeBlocks, referencesOf } from '#vocabulary/blocks.ts'
import { newId } from '#vocabulary/ids.ts'
import { isLocale } from '#vocabulary/locales.ts'
import type { KnownMedia } from '#vocabulary/media.ts'
import { appendStatuses, type StatusEntry } from '#vocabulary/status-history.ts'
import { fromSeconds, toSeconds } from '#vocabulary/time.ts'
import { type Collection, statusOf } from '../collections/collection.ts'
import { findMistakes, type Schema, toSchema } from '../collections/schema-cache.ts'
import { alreadyPublished, entryTooLarge, localeInvalid, publishAtPast, tooManyValues } from '../errors.ts'
import { MAX_VALUES } from '../limits.ts'
import type { ContentStatus, EntryChanges } from '../schemas.ts'
import { valuesOf } from './search-index.ts'

/**
 * An entry as stored. One without a collection belongs to an order or a reservation, and its blocks follow no schema.
 */
export type Entry = {
  businessId: string
  id: string
  owner: string
  collectionId: string | null
  locale: string
  blocks: Block[]
  statuses: StatusEntry<ContentStatus>[]
  schemaVersion: number | null
  stale: boolean
  publishAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}

type Context = {
  business: { id: string; defaultLocale: string }
  owner: string
  /** Schema of the collection that it belongs to after the change. */
  schema: Schema | undefined
  /** Undefined when the service itself acts. */
  actor: Actor | undefined
  at: Date
  /** The files that MEDIA may name. */
  known?: KnownMedia
}

const MAX_DOCUMENT_LENGTH = 1_500_000

/** Applies the changes to an entry, and validates it against the current schema where they affect that. */
export function mergeEntry(before: Entry | undefined, sent: EntryChanges, context: Context): Entry {
  const { business, owner, schema, actor, at, known = new Map() } = context
  const first = before || sent.statuses?.length ? [] : [{ status: 'DRAFT' as const }]
  const statuses = appendStatuses(before?.statuses ?? [], [...(sent.statuses ?? []), ...first], {
    field: 'statuses',
    actor,
    atSeconds: toSeconds(at),
  })
  const status = statusOf({ statuses })
  const isPublished = status === 'PUBLISHED'
  const publishAt = mergePublishAt(before, sent.publishAt, status, at)
  const becomesPublic =
    (isPublished && !(before && statusOf(before) === 'PUBLISHED')) || (publishAt !== null && !before?.publishAt)
  // Archiving or rescheduling an entry does not require it to match a schema that has changed since: it becomes stale.
  const isChecked = !before || sent.blocks !== undefined || before.owner !== owner || becomesPublic
  const blocks = sent.blocks ?? before?.blocks ?? []
  const complete = isPublished || publishAt !== null
  const stale =
    !isChecked &&
    schema !== undefined &&
    findMistakes(schema, { blocks: blocks as Block[], status, publishAt }).length > 0

  const entry: Entry = {
    businessId: business.id,
    id: before?.id ?? newId('ent'),
    owner,
    collectionId: schema?.collectionId ?? null,
    locale: checkLocale(sent.locale ?? before?.locale ?? business.defaultLocale),
    blocks: isChecked
      ? schema
        ? schema.compiled.check(blocks, { complete, known })
        : checkFreeBlocks(blocks, 'blocks', known)
      : (blocks as Block[]),
    statuses,
    schemaVersion: (stale ? before?.schemaVersion : schema?.version) ?? null,
    stale,
    publishAt,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? at,
    updatedAt: at,
  }
  if (toDocument(entry).length > MAX_DOCUMENT_LENGTH) throw entryTooLarge()
  if (schema && valuesOf(entry.blocks).length > MAX_VALUES) throw tooManyValues()
  return entry
}

function mergePublishAt(
  before: Entry | undefined,
  sent: number | null | undefined,
  status: ContentStatus,
  at: Date,
): Date | null {
  // Publishing or archiving by hand overrides the planned time.
  if (sent === undefined) return before && statusOf(before) === status ? before.publishAt : null
  if (sent === null) return null
  if (status === 'PUBLISHED') throw alreadyPublished()
  if (sent * 1000 <= at.getTime()) throw publishAtPast()
  return fromSeconds(sent)
}

function checkLocale(locale: string): string {
  if (isLocale(locale)) return locale
  throw localeInvalid()
}

/** Throws 422 unless all required blocks are filled. */
export function checkComplete(collection: Collection, { blocks }: Entry): void {
  toSchema(collection).compiled.check(blocks, { complete: true })
}

/** The referenced targets, as `content.entries.targets` stores them. */
export const targetsOf = (blocks: readonly Block[]): string[] => [
  ...new Set(referencesOf(blocks).map(({ targetType, id }) => `${targetType} ${id}`)),
]

/**
 * References that were stored before are not checked again: their target may be gone, which must not block other edits.
 */
export function newReferences(entry: Entry, before: Entry | undefined) {
  const known = new Set(targetsOf(before?.blocks ?? []))
  return referencesOf(entry.blocks).filter(({ targetType, id }) => !known.has(`${targetType} ${id}`))
}

/**
 * The response body of a read, serialised in advance. No block comes after the status history: `toAnswer` relies on it.
 */
export function toDocument(entry: Entry): string {
  const { id, businessId, owner, locale, blocks, statuses, publishAt, schemaVersion } = entry
  return JSON.stringify({
    id,
    businessId,
    owner,
    locale,
    blocks,
    statuses,
    ...(publishAt && { publishAt: toSeconds(publishAt) }),
    ...(schemaVersion !== null && { schemaVersion }),
    createdAt: toSeconds(entry.createdAt),
    updatedAt: toSeconds(entry.updatedAt),
  })
}
