import { type Static, Type } from 'typebox'
import { Block, NewBlocks } from '#vocabulary/blocks.ts'
import {
  BusinessId,
  Changes,
  Id,
  idOf,
  Money,
  Name,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  Slug,
  UnixSeconds,
  UserId,
} from '#vocabulary/schemas.ts'
import { NewStatusEntryOf, StatusEntryOf } from '#vocabulary/status-history.ts'

export const CONTENT_STATUSES = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const
export type ContentStatus = (typeof CONTENT_STATUSES)[number]
export const COLLECTION_TYPES = ['STANDARD', 'NEWSLETTER'] as const
export type CollectionType = (typeof COLLECTION_TYPES)[number]
const INTERVALS = ['MONTHLY', 'YEARLY'] as const

const CollectionId = idOf('col', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const EntryId = idOf('ent', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const CollectionName = Type.String({ ...Name, examples: ['Journal'] })
const CollectionSlug = Type.String({ ...Slug, examples: ['journal'] })
const Description = Type.String({ maxLength: 10_000, examples: ['News from the workshop.'] })
const Statuses = Type.Array(StatusEntryOf(CONTENT_STATUSES, 'ContentStatusEntry'), {
  description: 'The last is current.',
})
const NewStatuses = Type.Array(NewStatusEntryOf(CONTENT_STATUSES), { maxItems: 1_000 })

const PlanId = Type.String({ ...Id, description: 'Unique within its collection.', examples: ['monthly'] })
const Price = Type.Object({
  amount: Money,
  currency: Type.String({
    pattern: '^[a-z]{3}$',
    maxLength: 3,
    'x-says': { pattern: 'must be three lower-case letters, such as usd' },
    description: 'Lower case.',
    examples: ['usd'],
  }),
  interval: OneOf(INTERVALS),
})
const planParts = {
  name: Type.String({ ...Name, examples: ['Supporter'] }),
  description: Type.Optional(Type.String({ maxLength: 2_000, examples: ['Every letter, the day it is written.'] })),
  price: Type.Optional(Price),
  features: Type.Optional(Type.Array(Type.String({ maxLength: 500, examples: ['The archive'] }), { maxItems: 50 })),
}
export const Plan = Type.Object({ id: PlanId, ...planParts }, { title: 'Plan' })
export type Plan = Static<typeof Plan>
const NewPlan = Type.Object({ id: Type.Optional(PlanId), ...planParts })
export type NewPlan = Static<typeof NewPlan>

const DoubleOptIn = Type.Boolean({
  description: 'Newsletters only: a subscription is PENDING until its address is confirmed.',
  examples: [false],
})

const CountClicks = Type.Boolean({
  description:
    'Newsletters only: it is counted which links of its letters are opened. Readers are told, and can say no.',
  examples: [false],
})

const CountOpens = Type.Boolean({
  description:
    'Newsletters only: it is counted which readers open a letter, by a picture in it. Unreliable: mail programs open letters by themselves, and hide it when people do. Readers are told, and can say no.',
  examples: [false],
})

export const Collection = Type.Object(
  {
    id: CollectionId,
    businessId: BusinessId,
    name: CollectionName,
    slug: CollectionSlug,
    description: Description,
    type: OneOf(COLLECTION_TYPES),
    blocks: Type.Array(Block, { description: 'The schema: what entries hold.' }),
    statuses: Statuses,
    plans: Type.Optional(Type.Array(Plan, { description: 'Newsletters only.' })),
    doubleOptIn: Type.Optional(DoubleOptIn),
    countClicks: Type.Optional(CountClicks),
    countOpens: Type.Optional(CountOpens),
    schemaVersion: Type.Integer({ minimum: 1, description: 'Counts the changes of `blocks`.', examples: [1] }),
    staleEntries: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Entries that no longer fit the schema. For those who may see drafts.',
        examples: [0],
      }),
    ),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'Collection' },
)

export const CollectionChanges = Changes({
  name: CollectionName,
  slug: CollectionSlug,
  description: Description,
  type: OneOf(COLLECTION_TYPES),
  blocks: NewBlocks,
  statuses: NewStatuses,
  plans: Type.Array(NewPlan, { maxItems: 50 }),
  doubleOptIn: DoubleOptIn,
  countClicks: CountClicks,
  countOpens: CountOpens,
})
export type CollectionChanges = Static<typeof CollectionChanges>
export const NewCollection = Type.Object({ ...CollectionChanges.properties, name: CollectionName })
export type NewCollection = Static<typeof NewCollection>

const STATUS_NOTE = 'Other than PUBLISHED: with `CONTENT_READ_DRAFTS` or `CONTENT_WRITE` only.'
export const CollectionQuery = Type.Object({
  ...PageQuery,
  slug: Type.Optional(Type.String({ maxLength: 100 })),
  status: Type.Optional(OneOf(CONTENT_STATUSES, { description: STATUS_NOTE })),
})
export type CollectionQuery = Static<typeof CollectionQuery>

const Locale = Type.String({ minLength: 2, maxLength: 35, description: 'BCP 47.', examples: ['en'] })
export const Owner = Type.String({
  maxLength: 80,
  pattern: '^(collection|order|reservation):[A-Za-z0-9_-]{1,64}$',
  'x-says': { pattern: 'must be collection:, order: or reservation: and an id' },
  description: '`collection:<id>`, `order:<id>` or `reservation:<id>`.',
  examples: ['collection:col_01jcq3v7k8f5t9x2m4n6p8r0sw'],
})
const PublishAt = Type.Integer({
  ...UnixSeconds,
  description: 'When it will be published by itself.',
})

const entryParts = {
  id: EntryId,
  businessId: BusinessId,
  owner: Owner,
  locale: Locale,
  blocks: Type.Array(Block),
  statuses: Statuses,
  publishAt: Type.Optional(PublishAt),
  schemaVersion: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The schema that it was checked against when last written.',
      examples: [1],
    }),
  ),
  createdAt: UnixSeconds,
  updatedAt: UnixSeconds,
}
export const Entry = Type.Object(entryParts, { title: 'Entry' })

const byId = (kind: string, target: string) =>
  Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: `${target}, by id.`, title: `${kind}Relations` }),
  )
/** Records that blocks reference and the caller may see. An order stays an id. */
export const Relations = Type.Object(
  {
    ENTRY: byId('Entry', 'Entries'),
    COLLECTION: byId('Collection', 'Collections'),
    PRODUCT: byId('Product', 'Products'),
    USER: byId('User', 'People, with id and name only'),
  },
  {
    title: 'Relations',
    description: 'With `include=relations`: the first 200 that the page points at, and about 4 MB of them.',
  },
)
export const EntryWithRelations = Type.Object(
  { ...entryParts, relations: Type.Optional(Relations) },
  { title: 'EntryWithRelations' },
)
export const EntryPage = Type.Object({ ...PageOf(Entry).properties, relations: Type.Optional(Relations) })

const entryChanges = {
  collectionId: CollectionId,
  owner: Owner,
  locale: Locale,
  blocks: NewBlocks,
  statuses: NewStatuses,
  publishAt: Nullable(PublishAt),
}
export const EntryChanges = Changes(entryChanges)
export type EntryChanges = Static<typeof EntryChanges>

const Include = Type.Optional(
  OneOf(['relations'], { description: 'Also returns what RELATIONSHIP blocks point at, as `relations`.' }),
)
export const OneEntryQuery = Type.Object({ include: Include })
export const EntryQuery = Type.Object({
  ...PageQuery,
  collectionId: Type.Optional(Id),
  owner: Type.Optional(Owner),
  locale: Type.Optional(Locale),
  status: Type.Optional(OneOf(CONTENT_STATUSES, { description: STATUS_NOTE })),
  query: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Words in any order, the last may be a beginning. Case and accents do not matter, one typo is forgiven.',
    }),
  ),
  include: Include,
})
export type EntryQuery = Static<typeof EntryQuery>

const { statuses: _ofCollection, staleEntries: _stale, ...shownOfCollection } = Collection.properties
export const PublicCollection = Type.Object(shownOfCollection, { title: 'PublicCollection' })
const { statuses: _ofEntry, publishAt: _planned, ...shownOfEntry } = entryParts
export const PublicEntry = Type.Object(shownOfEntry, { title: 'PublicEntry' })
export const PublicEntryQuery = Type.Object({
  ...PageQuery,
  collectionId: EntryQuery.properties.collectionId,
  collection: Type.Optional(Type.String({ maxLength: 100, description: 'The slug of a collection.' })),
  locale: EntryQuery.properties.locale,
  query: EntryQuery.properties.query,
})
export type PublicEntryQuery = Static<typeof PublicEntryQuery>

export const OnePublicEntryQuery = Type.Object({
  preview: Type.Optional(
    Type.String({ maxLength: 100, description: 'A preview token of this entry: shows it before it is published.' }),
  ),
})

export const PreviewToken = Type.Object(
  {
    token: Type.String({ description: 'Goes into `preview` of the storefront’s entry.', examples: ['1789000000.…'] }),
    url: Nullable(
      Type.String({
        description: 'The page of the shop; null without `storefront.previewUrl`.',
        examples: ['https://shop.example.com/journal/ent_01jcq3v7k8f5t9x2m4n6p8r0sw?preview=1789000000.…'],
      }),
    ),
    expiresAt: UnixSeconds,
  },
  { title: 'PreviewToken' },
)

export const EntryVersion = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'The entry’s version after that change.', examples: [3] }),
    locale: Locale,
    status: OneOf(CONTENT_STATUSES),
    userId: Nullable(UserId),
    createdAt: UnixSeconds,
  },
  { title: 'EntryVersion' },
)
export const FullEntryVersion = Type.Object(
  { ...EntryVersion.properties, blocks: Type.Array(Block) },
  { title: 'FullEntryVersion' },
)
export const VersionParams = Type.Object({
  businessId: BusinessId,
  id: Id,
  number: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
})

const Mistakes = Type.Array(
  Type.Object({
    field: Type.String({ examples: ['blocks.0.value'] }),
    error: Type.String({ examples: ['REQUIRED'] }),
    message: Type.String({ examples: ['title is required.'] }),
  }),
)

export const SchemaDraft = Type.Object({ blocks: NewBlocks })

export const SchemaImpact = Type.Object(
  {
    items: Type.Array(Type.Object({ entryId: EntryId, details: Mistakes }), {
      description: 'Entries that would no longer fit, up to 200.',
    }),
    checked: Type.Integer({ minimum: 0, description: 'How many entries were looked at.', examples: [120] }),
    isComplete: Type.Boolean({ description: 'Whether all entries were looked at.', examples: [true] }),
  },
  { title: 'SchemaImpact', 'x-response-description': 'The entries that do not match the new schema.' },
)

export const StaleEntry = Type.Object(
  {
    entryId: EntryId,
    schemaVersion: Nullable(Type.Integer({ examples: [1] })),
    details: Mistakes,
  },
  { title: 'StaleEntry', description: 'An entry and what the schema of today finds wrong with it.' },
)
