import { conflict, invalid, notFound } from '#vocabulary/define-refusal.ts'
import { MAX_CATEGORIES, MAX_DEPTH } from './schemas.ts'

export const categoryNotFound = notFound('category')
export const tooManyCategories = conflict('id', 'TOO_MANY', `A business has ${MAX_CATEGORIES} categories at most.`)
export const categorySlugExists = conflict(
  '{field}',
  'SLUG_EXISTS',
  'Another category of this business has the slug {slug}, in one of its locales.',
)
export const slugInUse = conflict(
  'slug',
  'IN_USE',
  'Products name the category {slug}. Give them another one before you change its slug.',
)
export const categoryInUse = conflict(
  'slug',
  'IN_USE',
  'Products name the category {slug}. Give them another one before you delete it.',
)
export const categoryHasChildren = conflict(
  'id',
  'IN_USE',
  'Other categories are below this one. Move or delete them first.',
)
export const parentNotFound = invalid('parentId', 'NOT_FOUND', 'This business has no category {parentId}.')
export const siblingNotFound = invalid('beforeId', 'NOT_FOUND', 'Category {beforeId} not found under this parent.')
export const parentIsBelow = invalid('parentId', 'INVALID', 'A category cannot be below itself.')
export const treeTooDeep = invalid('parentId', 'INVALID', `Categories are at most ${MAX_DEPTH} levels deep.`)
export const categoryTooLarge = invalid(
  'translations',
  'TOO_LARGE',
  'The category is larger than 40 KB as JSON. Shorten its texts.',
)
