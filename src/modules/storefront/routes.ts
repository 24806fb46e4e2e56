import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { presentPublicBusiness } from '#modules/access/index.ts'
import { attributeFiltersOf, checkListing, createPublicProducts, listPublicCategories } from '#modules/catalog/index.ts'
import { blockFiltersOf, createPublicContent } from '#modules/content/index.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import { primaryOf } from '#platform/database/database.ts'
import { handle } from '#platform/http/operation.ts'
import { sendPublic } from '#platform/http/public-answer.ts'
import { sendText } from '#platform/http/text.ts'
import type { Business } from '#vocabulary/business.ts'
import { marketUnknown } from './errors.ts'
import * as operation from './operations.ts'
import { createWideReads, isWide } from './wide-reads.ts'

/** What is asked for, and what the business lets everybody see. */
function viewOf({ markets, storefront }: Business, { market }: { market?: string }) {
  if (market !== undefined && !markets.some(({ id }) => id === market)) throw marketUnknown({ market })
  return { market, showQuantity: storefront.showQuantity }
}

export const storefrontRoutes: FastifyPluginAsyncTypebox<{ box: SecretBox }> = async (app, { box }) => {
  const { readPublicProduct, listPublicProducts, listPublicFacets } = createPublicProducts()
  const content = createPublicContent(box)
  const wideReads = createWideReads()

  handle(app, operation.getStorefront, (request, reply) => {
    const { business } = request
    const text = JSON.stringify(presentPublicBusiness(business))
    return sendPublic<never>(request, reply, text, { general: [business.id], ids: [] })
  })

  handle(app, operation.listProducts, async (request, reply) => {
    const { business, cell, query } = request
    const view = { ...viewOf(business, query), locale: query.locale }
    checkListing(query, business)
    const attributes = attributeFiltersOf(request)
    const read = () => listPublicProducts(cell, business.id, { ...query, attributes }, view)
    const { text, ids } = await (isWide(query, attributes) ? wideReads(cell, business.id, read) : read())
    return sendPublic<never>(request, reply, text, { general: [business.id, `${business.id}:products`], ids })
  })

  handle(app, operation.listFacets, async (request, reply) => {
    const { business, cell, query } = request
    viewOf(business, query)
    checkListing(query, business)
    const attributes = attributeFiltersOf(request)
    const read = () => listPublicFacets(cell, business.id, { ...query, attributes })
    const facets = await wideReads(cell, business.id, read)
    const general = [business.id, `${business.id}:products`]
    return sendPublic<never>(request, reply, JSON.stringify(facets), { general, ids: [] })
  })

  handle(app, operation.getProduct, async (request, reply) => {
    const { business, cell, params, query } = request
    const view = { ...viewOf(business, query), locale: query.locale }
    const { text, ids } = await readPublicProduct(cell, business.id, params.idOrSlug, view)
    return sendPublic<never>(request, reply, text, { general: [business.id], ids })
  })

  handle(app, operation.listCategories, async (request, reply) => {
    const { business, cell, query } = request
    const { text, ids } = await listPublicCategories(cell, business.id, query)
    return sendPublic<never>(request, reply, text, { general: [business.id, `${business.id}:categories`], ids })
  })

  handle(app, operation.getCollection, async (request, reply) => {
    const { business, cell, params } = request
    const { text, ids } = await content.getCollection(cell, business.id, params.idOrSlug)
    return sendPublic<never>(request, reply, text, { general: [business.id], ids })
  })

  handle(app, operation.listEntries, async (request, reply) => {
    const { business, cell, query } = request
    const { text, ids } = await content.listEntries(cell, business.id, query, blockFiltersOf(request))
    return sendPublic<never>(request, reply, text, { general: [business.id, `${business.id}:entries`], ids })
  })

  handle(app, operation.getEntry, async (request, reply) => {
    const { business, cell, params, query } = request
    if (query.preview !== undefined) {
      const text = await content.previewEntry(primaryOf(cell), business.id, params.id, query.preview)
      return sendText<never>(reply.header('cache-control', 'no-store'), text)
    }
    const { text, ids } = await content.getEntry(cell, business.id, params.id)
    return sendPublic<never>(request, reply, text, { general: [business.id], ids })
  })
}
