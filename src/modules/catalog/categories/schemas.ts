import { type Static, Type } from 'typebox'
import { MAX_LOCALES } from '#vocabulary/limits.ts'
import { Media, NewMedia } from '#vocabulary/media.ts'
import { BusinessId, Changes, idOf, Name, Nullable, PageQuery, Slug, UnixSeconds } from '#vocabulary/schemas.ts'

/** Levels of the tree, its roots being the first. */
export const MAX_DEPTH = 6
export const MAX_CATEGORIES = 5_000
export const MAX_POSITION = 1_000_000

const CategoryId = idOf('cat', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const CategoryName = Type.String({ ...Name, examples: ['Shirts'] })
const CategorySlug = Type.String({
  ...Slug,
  description: 'Products whose `category` is exactly this are in it.',
  examples: ['shirts'],
})
const ParentId = Nullable(
  Type.String({ ...CategoryId, description: `The category above it; null: none. At most ${MAX_DEPTH} levels.` }),
)
const Position = Type.Integer({
  minimum: 0,
  maximum: MAX_POSITION,
  description: 'Its place among those with the same parent, lowest first.',
  examples: [10],
})
const Description = Type.String({ maxLength: 5_000, examples: ['Cut straight, of soft cotton.'] })
const SeoTitle = Type.String({ maxLength: 200, examples: ['Shirts of soft cotton'] })
const SeoDescription = Type.String({ maxLength: 500, examples: ['Cotton shirts, made in small numbers.'] })
const NewSeo = Changes({ title: SeoTitle, description: SeoDescription })

const Translation = Changes({
  name: Type.String({ ...Name, examples: ['Hemden'] }),
  slug: Type.String({ ...Slug, description: 'For addresses in this locale.', examples: ['hemden'] }),
  description: Type.String({ ...Description, examples: ['Gerade geschnitten, aus weicher Baumwolle.'] }),
  seo: Changes({
    title: Type.String({ ...SeoTitle, examples: ['Hemden aus weicher Baumwolle'] }),
    description: Type.String({ ...SeoDescription, examples: ['Baumwollhemden in kleinen Auflagen.'] }),
  }),
})
const Translations = Type.Record(Type.String(), Translation, {
  maxProperties: MAX_LOCALES,
  description: 'By locale. What a locale leaves out is as in the category itself.',
  examples: [{ de: { name: 'Hemden', slug: 'hemden' } }],
})

export const Category = Type.Object(
  {
    id: CategoryId,
    businessId: BusinessId,
    name: CategoryName,
    slug: CategorySlug,
    parentId: ParentId,
    position: Position,
    description: Description,
    image: Nullable(Media),
    seo: Type.Object({ title: SeoTitle, description: SeoDescription }),
    translations: Translations,
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'Category' },
)
export type Category = Static<typeof Category>

export const CategoryChanges = Changes({
  name: CategoryName,
  slug: CategorySlug,
  parentId: ParentId,
  position: Position,
  description: Description,
  image: Nullable(NewMedia),
  seo: NewSeo,
  translations: Translations,
})
export type CategoryChanges = Static<typeof CategoryChanges>
export const NewCategory = Type.Object({ ...CategoryChanges.properties, name: CategoryName })
export type NewCategory = Static<typeof NewCategory>

export const CategoryMove = Type.Object({
  parentId: ParentId,
  beforeId: Nullable(
    Type.String({
      ...CategoryId,
      description: 'The one of those with this parent that it goes in front of; null: it is the last.',
    }),
  ),
})
export type CategoryMove = Static<typeof CategoryMove>

export const CategoryTree = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        id: CategoryId,
        parentId: ParentId,
        position: Position,
        name: CategoryName,
        slug: CategorySlug,
        locales: Type.Array(Type.String({ examples: ['de'] }), {
          description: 'Those in which it has a name and a slug of its own.',
        }),
        products: Type.Integer({
          minimum: 0,
          description: 'How many are right in it, of any status but deleted.',
          examples: [12],
        }),
        etag: Type.String({ description: 'Its version, for `If-Match`.', examples: ['"3"'] }),
      }),
      { description: 'By `position`, those of the same one oldest first.' },
    ),
  },
  { title: 'CategoryTree' },
)
export type CategoryTree = Static<typeof CategoryTree>

export const CategoryQuery = Type.Object({
  ...PageQuery,
  parentId: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z0-9_-]*$',
      description: 'Those right below this one; empty: those without a parent.',
    }),
  ),
  slug: Type.Optional(Type.String({ maxLength: 100, description: 'The one that has this slug, in any locale.' })),
})
export type CategoryQuery = Static<typeof CategoryQuery>
