import type { Actor } from '#vocabulary/actor.ts'
import { type Block, checkFreeBlocks, referencesOf } from '#vocabulary/blocks.ts'
import { invalid } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { isLocale } from '#vocabulary/locales.ts'
import { appendStatuses, type StatusEntry } from '#vocabulary/status-history.ts'
import { fromSeconds, toSeconds } from '#vocabulary/time.ts'
import { type Collection, statusOf } from './collection.ts'
import { alreadyPublished, entryTooLarge, publishAtPast } from './errors.ts'
import { valuesOf } from './found-by.ts'
import { findMistakes, type Schema, toSchema } from './schema-cache.ts'
import type { ContentStatus, EntryChanges } from './schemas.ts'

/** An entry as its row holds it. Without a collection its blocks are free: it belongs to an order or a reservation. */
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
  /** Of the collection that it belongs to from now on. */
  schema: Schema | undefined
  /** Nobody: the service itself. */
  actor: Actor | undefined
  at: Date
}

const MAX_DOCUMENT_LENGTH = 1_500_000

/** Each is a row of `content.entry_values`, besides the one of the locale. */
const MAX_VALUES = 5_000
const tooManyValues = () =>
  invalid('blocks', 'TOO_MANY', `The entry has more than ${MAX_VALUES} short values in all. Make it two.`)

/** What was sent on top of what there is, checked against the schema of today where that matters. */
export function mergeEntry(before: Entry | undefined, sent: EntryChanges, context: Context): Entry {
  const { business, owner, schema, actor, at } = context
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
  // Whoever only archives an entry, or moves its time, is not held up by a schema that has changed since: then it is stale.
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
        ? schema.compiled.check(blocks, { complete })
        : checkFreeBlocks(blocks)
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
  // Whoever publishes or archives it by hand has decided otherwise.
  if (sent === undefined) return before && statusOf(before) === status ? before.publishAt : null
  if (sent === null) return null
  if (status === 'PUBLISHED') throw alreadyPublished()
  if (sent * 1000 <= at.getTime()) throw publishAtPast()
  return fromSeconds(sent)
}

function checkLocale(locale: string): string {
  if (isLocale(locale)) return locale
  throw invalid('locale', 'INVALID', 'locale must be a language tag such as en or de-CH.')
}

/** 422 unless all that the schema requires is there. */
export function checkComplete(collection: Collection, { blocks }: Entry): void {
  toSchema(collection).compiled.check(blocks, { complete: true })
}

/** What it points at, as `content.entries.targets` holds it. */
export const targetsOf = (blocks: readonly Block[]): string[] => [
  ...new Set(referencesOf(blocks).map(({ targetType, id }) => `${targetType} ${id}`)),
]

/** What it pointed at before may have gone since: that is no reason to refuse another change. */
export function newReferences(entry: Entry, before: Entry | undefined) {
  const known = new Set(targetsOf(before?.blocks ?? []))
  return referencesOf(entry.blocks).filter(({ targetType, id }) => !known.has(`${targetType} ${id}`))
}

/** The answer to a read, ready to be sent. No block comes after its history: `toAnswer` relies on it. */
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
