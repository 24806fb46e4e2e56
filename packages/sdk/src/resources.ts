import { misuse } from './errors.ts'
import type {
  ChangeStockBody,
  CheckoutBody,
  CreateBulkEditBody,
  CreateCollectionBody,
  CreateEntryBody,
  CreateOrderBody,
  CreateProductBody,
  CreateSavedViewBody,
  Facet,
  FacetValue,
  QuoteBody,
  RefundOrderBody,
  SetOrderStatusBody,
  SetPaymentStatusBody,
  ShipOrderBody,
  SubscribeBody,
  UnsubscribeBody,
  UpdateBusinessBody,
  UpdateCollectionBody,
  UpdateEntryBody,
  UpdateMeBody,
  UpdateOrderBody,
  UpdateProductBody,
  UpdateSavedViewBody,
} from './generated/types.gen.ts'
import { type Answer, defined, type OperationId, type Operations, type Query } from './operations.ts'
import { type ListOptions, type Page, type Pages, toPages } from './pages.ts'
import type { CallOptions } from './send.ts'
import { followEvents } from './stream.ts'

type ItemOf<Id extends OperationId> = Answer<Id> extends { items: (infer Item)[] } ? Item : never
/** The cursor of a page, also of the last one, can be handed over as it is. */
type Filter<Id extends OperationId> = Omit<Query<Id>, 'cursor'> & { cursor?: string | null }
type FacetFilter<Id extends OperationId> = Omit<Query<Id>, 'facets'> & AttributeFilter

/** Filters of entries by a block's value: `{ 'block.colour': 'Red' }`. */
export type BlockFilter = { [filter: `block.${string}`]: string | number | boolean }
/** Filters of products by what their variants are: `{ 'attribute.Colour': ['Red', 'Blue'] }`, one of them is enough. */
export type AttributeFilter = { [filter: `attribute.${string}`]: string | readonly string[] | undefined }

export type FacetName = `attribute.${string}` | 'category' | 'price' | 'tag'
/** How often each value is there, the most frequent first. */
export type ValueFacet = { values: FacetValue[]; isExact: boolean }
/** Null: nothing was found. */
export type PriceFacet = { min: number | null; max: number | null; isExact: boolean }
/** Those that were asked for, by their names. */
export type FacetsByName<Name extends FacetName> = { [Each in Name]: Each extends 'price' ? PriceFacet : ValueFacet }

export type QuoteRequest = Omit<QuoteBody, 'businessId' | 'market' | 'lines'> & {
  market?: string
  businessId?: string
}
export type CheckoutRequest = Omit<CheckoutBody, 'market'> & { market?: string }
export type EventStreamQuery = Query<'streamEvents'> & { businessId?: string }
export type SubscribeRequest = Omit<SubscribeBody, 'plan_id'>

export type Resources = ReturnType<typeof createResources>

/** What shops and sites do every day, in short. All else is in `operations`. */
export function createResources(
  call: Operations,
  defaults: { businessId?: string | undefined; market?: string | undefined; locale?: string | undefined },
) {
  const inLocale = defaults.locale === undefined ? {} : { locale: defaults.locale }
  const ofMarket = defaults.market === undefined ? {} : { market: defaults.market }
  const view = { ...inLocale, ...ofMarket }
  const shop = (): string => {
    if (defaults.businessId !== undefined) return defaults.businessId
    throw misuse('Which shop? createKontor({ businessId }): its id or its slug.')
  }
  const inMarket = (market: string | undefined): string => {
    if (market !== undefined) return market
    throw misuse('In which market? createKontor({ market }), or name it here.')
  }

  return {
    business: {
      get: (options?: CallOptions) => call.getBusiness({}, options),
      update: (body: UpdateBusinessBody, options?: CallOptions) => call.updateBusiness({ body }, options),
    },
    me: {
      get: (options?: CallOptions) => call.getMe({}, options),
      update: (body: UpdateMeBody, options?: CallOptions) => call.updateMe({ body }, options),
    },
    products: {
      list: (query: Filter<'listProducts'> & AttributeFilter = {}, options?: ListOptions) =>
        list<'listProducts'>(query, (query) => call.listProducts({ query }, options)),
      /** How many of the products that match have each value; each facet as if its own filter were not there. */
      facets: async <Name extends FacetName>(
        names: readonly Name[],
        query: FacetFilter<'listProductFacets'> = {},
        options?: CallOptions,
      ) => byName<Name>((await call.listProductFacets({ query: { ...query, facets: names.join() } }, options)).items),
      get: (id: string, options?: CallOptions) => call.getProduct({ path: { id } }, options),
      create: (body: CreateProductBody, options?: CallOptions) => call.createProduct({ body }, options),
      update: (id: string, body: UpdateProductBody, options?: CallOptions) =>
        call.updateProduct({ path: { id }, body }, options),
      delete: (id: string, options?: CallOptions) => call.deleteProduct({ path: { id } }, options),
      /** Adds to the stock of a variant, or takes from it. */
      changeStock: (id: string, variantId: string, body: ChangeStockBody, options?: CallOptions) =>
        call.changeStock({ path: { id, variantId }, body }, options),
      /** The ledger: how its stock has moved. */
      stockMovements: (
        id: string,
        variantId: string,
        query: Filter<'listStockMovements'> = {},
        options?: ListOptions,
      ) =>
        list<'listStockMovements'>(query, (query) =>
          call.listStockMovements({ path: { id, variantId }, query }, options),
        ),
    },
    /**
     * What everybody may see of a public shop: no session, no token, and answers that a cache may keep. In the market and
     * the locale of this client, unless the call names others.
     */
    storefront: {
      get: (options?: CallOptions) => call.getStorefront({ path: { business: shop() } }, options),
      products: {
        list: (query: Filter<'listStorefrontProducts'> & AttributeFilter = {}, options?: ListOptions) =>
          list<'listStorefrontProducts'>(query, (query) =>
            call.listStorefrontProducts({ path: { business: shop() }, query: { ...view, ...query } }, options),
          ),
        /** How many of the products that match have each value; each facet as if its own filter were not there. */
        facets: async <Name extends FacetName>(
          names: readonly Name[],
          query: FacetFilter<'listStorefrontFacets'> = {},
          options?: CallOptions,
        ) => {
          const asked = { ...ofMarket, ...query, facets: names.join() }
          const { items } = await call.listStorefrontFacets({ path: { business: shop() }, query: asked }, options)
          return byName<Name>(items)
        },
        /** By its id, or by its slug in any locale. */
        get: (idOrSlug: string, query: Query<'getStorefrontProduct'> = {}, options?: CallOptions) =>
          call.getStorefrontProduct({ path: { business: shop(), idOrSlug }, query: { ...view, ...query } }, options),
      },
      categories: (query: Filter<'listStorefrontCategories'> = {}, options?: ListOptions) =>
        list<'listStorefrontCategories'>(query, (query) =>
          call.listStorefrontCategories({ path: { business: shop() }, query: { ...inLocale, ...query } }, options),
        ),
      collection: (idOrSlug: string, options?: CallOptions) =>
        call.getStorefrontCollection({ path: { business: shop(), idOrSlug } }, options),
      entries: {
        list: (query: Filter<'listStorefrontEntries'> & BlockFilter = {}, options?: ListOptions) =>
          list<'listStorefrontEntries'>(query, (query) =>
            call.listStorefrontEntries({ path: { business: shop() }, query }, options),
          ),
        /** `preview` is the token of an entry that is not published yet. */
        get: (id: string, query: Query<'getStorefrontEntry'> = {}, options?: CallOptions) =>
          call.getStorefrontEntry({ path: { business: shop(), id }, query }, options),
      },
    },
    /** What the addresses of each country have, and what a form must ask for. */
    addressFormats: async (query: Query<'listAddressFormats'> = {}, options?: CallOptions) =>
      (await call.listAddressFormats({ query }, options)).items,
    /** What a checkout of these items would cost. */
    quote: async ({ businessId, market, ...rest }: QuoteRequest, options?: CallOptions) => {
      const business = businessId ?? defaults.businessId
      if (business === undefined) throw misuse('quote needs a business: createKontor({ businessId }).')
      const body = { ...rest, businessId: business, market: inMarket(market ?? defaults.market) }
      return call.quote({ body }, options)
    },
    /** Makes an order. Send the shopper to `checkoutUrl` if there is one; else nothing is to be paid. */
    checkout: async ({ market, ...rest }: CheckoutRequest, options?: CallOptions) =>
      call.checkout({ body: { ...rest, market: inMarket(market ?? defaults.market) } }, options),
    orders: {
      list: (query: Filter<'listOrders'> = {}, options?: ListOptions) =>
        list<'listOrders'>(query, (query) => call.listOrders({ query }, options)),
      get: (id: string, options?: CallOptions) => call.getOrder({ path: { id } }, options),
      /** By hand, without a checkout. */
      create: (body: CreateOrderBody, options?: CallOptions) => call.createOrder({ body }, options),
      update: (id: string, body: Omit<UpdateOrderBody, 'id'>, options?: CallOptions) =>
        call.updateOrder({ body: { ...body, id } }, options),
      setStatus: (id: string, status: SetOrderStatusBody['status'], options?: CallOptions) =>
        call.setOrderStatus({ path: { id }, body: { status } }, options),
      setPaymentStatus: (id: string, status: SetPaymentStatusBody['status'], options?: CallOptions) =>
        call.setPaymentStatus({ path: { id }, body: { status } }, options),
      /** Your own order, while nobody has paid it. */
      cancel: (id: string, options?: CallOptions) => call.cancelOrder({ path: { id } }, options),
      refund: (id: string, body: RefundOrderBody = {}, options?: CallOptions) =>
        call.refundOrder({ path: { id }, body }, options),
      quoteRefund: (id: string, body: RefundOrderBody = {}, options?: CallOptions) =>
        call.quoteRefund({ path: { id }, body }, options),
      /** What has been sent of it. Customers see those of their own orders. */
      shipments: async (id: string, options?: CallOptions) =>
        (await call.listShipments({ path: { id } }, options)).items,
      ship: (id: string, body: ShipOrderBody = {}, options?: CallOptions) =>
        call.shipOrder({ path: { id }, body }, options),
    },
    customers: {
      list: (query: Filter<'listCustomers'> = {}, options?: ListOptions) =>
        list<'listCustomers'>(query, (query) => call.listCustomers({ query }, options)),
      get: (userId: string, options?: CallOptions) => call.getCustomer({ path: { userId } }, options),
      /** The tags as a whole. */
      tag: (userId: string, tags: string[], options?: CallOptions) =>
        call.updateCustomer({ path: { userId }, body: { tags } }, options),
    },
    /** Changes of many products: tried first, then applied, and undone if need be. A worker does each. */
    bulkEdits: {
      list: (query: Filter<'listBulkEdits'> = {}, options?: ListOptions) =>
        list<'listBulkEdits'>(query, (query) => call.listBulkEdits({ query }, options)),
      get: (id: string, options?: CallOptions) => call.getBulkEdit({ path: { id } }, options),
      create: (body: CreateBulkEditBody, options?: CallOptions) => call.createBulkEdit({ body }, options),
      items: (id: string, query: Filter<'listBulkEditItems'> = {}, options?: ListOptions) =>
        list<'listBulkEditItems'>(query, (query) => call.listBulkEditItems({ path: { id }, query }, options)),
      apply: (id: string, options?: CallOptions) => call.applyBulkEdit({ path: { id } }, options),
      undo: (id: string, options?: CallOptions) => call.undoBulkEdit({ path: { id } }, options),
      cancel: (id: string, options?: CallOptions) => call.cancelBulkEdit({ path: { id } }, options),
      discard: (id: string, options?: CallOptions) => call.discardBulkEdit({ path: { id } }, options),
    },
    savedViews: {
      list: (query: Filter<'listSavedViews'> = {}, options?: ListOptions) =>
        list<'listSavedViews'>(query, (query) => call.listSavedViews({ query }, options)),
      create: (body: CreateSavedViewBody, options?: CallOptions) => call.createSavedView({ body }, options),
      update: (id: string, body: UpdateSavedViewBody, options?: CallOptions) =>
        call.updateSavedView({ path: { id }, body }, options),
      delete: (id: string, options?: CallOptions) => call.deleteSavedView({ path: { id } }, options),
    },
    /** Orders, products, customers and entries, five of each at most. */
    search: (query: string, options?: CallOptions) => call.search({ query: { query } }, options),
    collections: {
      list: (query: Filter<'listCollections'> = {}, options?: ListOptions) =>
        list<'listCollections'>(query, (query) => call.listCollections({ query }, options)),
      get: (id: string, options?: CallOptions) => call.getCollection({ path: { id } }, options),
      create: (body: CreateCollectionBody, options?: CallOptions) => call.createCollection({ body }, options),
      update: (id: string, body: UpdateCollectionBody, options?: CallOptions) =>
        call.updateCollection({ path: { id }, body }, options),
      delete: (id: string, options?: CallOptions) => call.deleteCollection({ path: { id } }, options),
    },
    entries: {
      list: (query: Filter<'listEntries'> & BlockFilter = {}, options?: ListOptions) =>
        list<'listEntries'>(query, (query) => call.listEntries({ query }, options)),
      get: (id: string, query: Query<'getEntry'> = {}, options?: CallOptions) =>
        call.getEntry({ path: { id }, query }, options),
      create: (body: CreateEntryBody, options?: CallOptions) => call.createEntry({ body }, options),
      update: (id: string, body: UpdateEntryBody, options?: CallOptions) =>
        call.updateEntry({ path: { id }, body }, options),
      delete: (id: string, options?: CallOptions) => call.deleteEntry({ path: { id } }, options),
    },
    events: {
      /** The newest first; with `after` the oldest first. */
      list: (query: Filter<'listEvents'> = {}, options?: ListOptions) =>
        list<'listEvents'>(query, (query) => call.listEvents({ query }, options)),
      /** What happens from now on, or after the number `after`: goes on without a gap when the line breaks. */
      stream: ({ businessId, ...query }: EventStreamQuery = {}, options: Pick<CallOptions, 'signal'> = {}) =>
        followEvents(
          (after) =>
            call.streamEvents({ path: defined({ businessId }), query: { ...query, ...defined({ after }) } }, options),
          query.after,
          options.signal,
        ),
    },
    newsletters: {
      /** Answers the subscription, or `{ checkoutUrl }` of a plan that costs something. */
      subscribe: (
        collectionId: string,
        { market = defaults.market, ...rest }: SubscribeRequest,
        options?: CallOptions,
      ) =>
        call.subscribe({ path: { collectionId }, body: { ...rest, ...(market !== undefined && { market }) } }, options),
      /** With the token from a newsletter. */
      unsubscribe: (body: UnsubscribeBody, options?: CallOptions) => call.unsubscribe({ body }, options),
      subscribers: (id: string, query: Filter<'listSubscribers'> = {}, options?: ListOptions) =>
        list<'listSubscribers'>(query, (query) => call.listSubscribers({ path: { id }, query }, options)),
    },
  }
}

function list<Id extends OperationId>(
  { cursor: start, ...filter }: Filter<Id>,
  load: (query: Query<Id>) => Promise<Page<ItemOf<Id>>>,
): Pages<ItemOf<Id>> {
  return toPages((cursor) => load({ ...filter, cursor } as Query<Id>), start)
}

const byName = <Name extends FacetName>(items: readonly Facet[]) =>
  Object.fromEntries(items.map(({ name, ...facet }) => [name, facet])) as FacetsByName<Name>
