import {
  Facets,
  PublicCategory,
  PublicCategoryQuery,
  PublicFacetQuery,
  PublicProduct,
  PublicProductQuery,
  PublicProductView,
} from '#modules/catalog/index.ts'
import { OnePublicEntryQuery, PublicCollection, PublicEntry, PublicEntryQuery } from '#modules/content/index.ts'
import { operation } from '#platform/http/operation.ts'
import { PageOf } from '#vocabulary/schemas.ts'
import { NamedParams, PublicBusiness, RecordParams, ShopParams } from './schemas.ts'
import { isWide } from './wide-reads.ts'

/** A search costs more than a read, so it counts as several. */
const SEARCH_COST = 10
const costs = ({ query }: Record<string, unknown>) =>
  typeof query === 'string' && query.trim() !== '' ? SEARCH_COST : 1

const config = { access: 'public', business: 'storefront', versioned: true, reads: 'replica' } as const

export const getStorefront = operation({
  method: 'GET',
  url: '',
  config,
  schema: {
    operationId: 'getStorefront',
    tags: ['Storefront'],
    summary: 'Get a shop',
    description: 'Every credential is ignored. A shop that is not public is not found, like one that does not exist.',
    params: ShopParams,
    response: { 200: PublicBusiness },
  },
})

export const listProducts = operation({
  method: 'GET',
  url: '/products',
  config: {
    ...config,
    costs,
    shares: (query) => (isWide(query) ? 'strangers' : undefined),
    parameterPrefix: 'attribute.',
  },
  schema: {
    operationId: 'listStorefrontProducts',
    tags: ['Storefront'],
    summary: 'List and search products of a shop',
    description:
      'ACTIVE ones, newest first; with `query` the best match first. An unknown `market` or `categoryId` returns 422. ' +
      '`attribute.<Name>=value` as in the list of products.',
    params: ShopParams,
    querystring: PublicProductQuery,
    response: { 200: PageOf(PublicProduct) },
  },
})

export const listFacets = operation({
  method: 'GET',
  url: '/products/facets',
  config: { ...config, costs: () => SEARCH_COST, shares: 'strangers', parameterPrefix: 'attribute.' },
  schema: {
    operationId: 'listStorefrontFacets',
    tags: ['Storefront'],
    summary: 'Count what products of a shop can be filtered by',
    description: 'Takes the filters of the list; each facet ignores its own.',
    params: ShopParams,
    querystring: PublicFacetQuery,
    response: { 200: Facets },
  },
})

export const getProduct = operation({
  method: 'GET',
  url: '/products/:idOrSlug',
  config,
  schema: {
    operationId: 'getStorefrontProduct',
    tags: ['Storefront'],
    summary: 'Get a product of a shop',
    params: NamedParams,
    querystring: PublicProductView,
    response: { 200: PublicProduct },
  },
})

export const listCategories = operation({
  method: 'GET',
  url: '/categories',
  config,
  schema: {
    operationId: 'listStorefrontCategories',
    tags: ['Storefront'],
    summary: 'List categories of a shop',
    description: 'Newest first; `position` is their place among those with the same parent.',
    params: ShopParams,
    querystring: PublicCategoryQuery,
    response: { 200: PageOf(PublicCategory) },
  },
})

export const getCollection = operation({
  method: 'GET',
  url: '/collections/:idOrSlug',
  config,
  schema: {
    operationId: 'getStorefrontCollection',
    tags: ['Storefront'],
    summary: 'Get a collection of a shop',
    params: NamedParams,
    response: { 200: PublicCollection },
  },
})

export const listEntries = operation({
  method: 'GET',
  url: '/entries',
  config: { ...config, costs, parameterPrefix: 'block.' },
  schema: {
    operationId: 'listStorefrontEntries',
    tags: ['Storefront'],
    summary: 'List and search entries of a shop',
    description:
      'PUBLISHED ones of PUBLISHED collections without a paid plan, newest first; with `query` the best match first. ' +
      '`block.<id>=value` (up to five) keeps those whose block holds that value.',
    params: ShopParams,
    querystring: PublicEntryQuery,
    response: { 200: PageOf(PublicEntry) },
  },
})

export const getEntry = operation({
  method: 'GET',
  url: '/entries/:id',
  config,
  schema: {
    operationId: 'getStorefrontEntry',
    tags: ['Storefront'],
    summary: 'Get an entry of a shop',
    description: 'With a `preview` token also before it is published; no cache keeps that.',
    params: RecordParams,
    querystring: OnePublicEntryQuery,
    response: { 200: PublicEntry },
  },
})
