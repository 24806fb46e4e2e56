import { type Static, Type } from 'typebox'
import { Changes, idOf, OneOf, PageQuery, UnixSeconds, UserId } from '#vocabulary/schemas.ts'

/** The lists that a view can be of. */
export const LISTS = [
  'orders',
  'products',
  'customers',
  'entries',
  'collections',
  'stock',
  'promo-codes',
  'subscribers',
  'sends',
  'media',
  'users',
  'events',
  'audit',
] as const

const MAX_VALUE = 500
const MAX_VALUES = 50

const List = OneOf(LISTS, { description: 'What it is a view of.' })
const ViewName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', examples: ['To be packed'] })
const Value = Type.String({ maxLength: MAX_VALUE, examples: ['PROCESSING'] })
const Filters = Type.Record(
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.Union([Value, Type.Array(Value, { maxItems: MAX_VALUES })]),
  {
    maxProperties: 50,
    description: 'Query parameters of the list, each a text or several.',
    examples: [{ status: ['PROCESSING'], tag: 'gift' }],
  },
)
const Columns = Type.Array(Type.String({ minLength: 1, maxLength: 100, examples: ['number'] }), {
  maxItems: 50,
  description: 'The columns to show, in order.',
})
const IsShared = Type.Boolean({ description: 'Whether everybody of the business sees it.', examples: [false] })

export const NewSavedView = Type.Object({
  list: List,
  name: ViewName,
  filters: Type.Optional(Filters),
  columns: Type.Optional(Columns),
  isShared: Type.Optional(IsShared),
})
export type NewSavedView = Static<typeof NewSavedView>

export const SavedViewChanges = Changes({
  list: List,
  name: ViewName,
  filters: Filters,
  columns: Columns,
  isShared: IsShared,
})
export type SavedViewChanges = Static<typeof SavedViewChanges>

export const SavedView = Type.Object(
  {
    id: idOf('view', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    authorId: UserId,
    list: List,
    name: ViewName,
    filters: Filters,
    columns: Columns,
    isShared: IsShared,
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'SavedView' },
)
export type SavedView = Static<typeof SavedView>

export const SavedViewQuery = Type.Object({ ...PageQuery, list: Type.Optional(List) })
export type SavedViewQuery = Static<typeof SavedViewQuery>
