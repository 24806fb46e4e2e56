import { invalid } from '#vocabulary/define-refusal.ts'
import { MAX_ATTRIBUTES, MAX_FACETS, MAX_VALUES } from './schemas.ts'

export const marketMissing = invalid('market', 'REQUIRED', '{name} needs a market: prices differ between markets.')
export const marketOfListUnknown = invalid('market', 'NOT_FOUND', 'This business has no market {market}.')
export const queryMissing = invalid('sort', 'INVALID', 'relevance sorts what a query has found: send query, too.')
export const categoryOfListUnknown = invalid('categoryId', 'NOT_FOUND', 'This business has no category {categoryId}.')
export const tooManyAttributes = invalid(
  'attribute',
  'TOO_MANY',
  `A list is filtered by ${MAX_ATTRIBUTES} attributes at most.`,
)
export const tooManyAttributeValues = invalid('{name}', 'TOO_MANY', `{name} has ${MAX_VALUES} values at most.`)
export const attributeInvalid = invalid('{name}', 'INVALID', '{name} must be an attribute’s name and a value of it.')
export const facetUnknown = invalid(
  'facets',
  'INVALID',
  'Unknown facet {name}. Use attribute.<Name>, price, category, or tag.',
)
export const tooManyFacets = invalid('facets', 'TOO_MANY', `${MAX_FACETS} facets at most are counted at once.`)
