// A list of stores that staff keep and everybody may read: routes of its own, on a table of its own.
import {
  BusinessParams,
  type Cell,
  createOnce,
  decodeCursor,
  extension,
  Id,
  Name,
  newId,
  notFound,
  operation,
  PageOf,
  PageQuery,
  RecordParams,
  route,
  type Static,
  Success,
  sendPublic,
  sql,
  Type,
  toPage,
} from 'kontor/extension'

const Country = Type.String({ pattern: '^[A-Z]{2}$', maxLength: 2, examples: ['DE'] })
const NewStore = Type.Object({ name: Name, city: Name, country: Country })
type NewStore = Static<typeof NewStore>
const Store = Type.Object({ id: Id, name: Name, city: Name, country: Country }, { title: 'Store' })
type Store = Static<typeof Store>

const storeNotFound = notFound('store')

const createStore = operation({
  method: 'POST',
  url: '/stores',
  config: { access: 'SETTINGS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'createStore',
    summary: 'Add a store',
    params: BusinessParams,
    body: NewStore,
    response: { 201: Store },
  },
})

const deleteStore = operation({
  method: 'DELETE',
  url: '/stores/:id',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: { operationId: 'deleteStore', summary: 'Remove a store', params: RecordParams, response: { 200: Success } },
})

const listStores = operation({
  method: 'GET',
  url: '/stores',
  config: { access: 'public', business: 'storefront', versioned: true },
  schema: {
    operationId: 'listStores',
    summary: 'List stores',
    params: Type.Object({ business: Id }),
    querystring: Type.Object({ ...PageQuery, country: Type.Optional(Country) }),
    response: { 200: PageOf(Store) },
  },
})

async function readStores(db: Cell, businessId: string, country: string | undefined, after: string, limit: number) {
  const { rows } = await sql<Store>`
    select id, name, city, country
      from ext_store_locator.stores
     where business_id = ${businessId} and id > ${after} and (${country ?? null}::text is null or country = ${country ?? null})
     order by id limit ${limit}`.execute(db)
  return rows
}

export const storeLocator = extension({
  name: 'store-locator',
  title: 'Store locator',
  description: 'Where a business can be visited.',
  migrations: new URL('./migrations/', import.meta.url),
  routes: () => [
    route(createStore, (request, reply) =>
      createOnce(request, reply, request.cell, async (tx) => {
        const { name, city, country }: NewStore = request.body
        const store: Store = { id: newId('store'), name, city, country }
        await sql`
          insert into ext_store_locator.stores (business_id, id, name, city, country)
          values (${request.business.id}, ${store.id}, ${name}, ${city}, ${country})`.execute(tx)
        return store
      }),
    ),

    route(deleteStore, async ({ cell, business, params }) => {
      const { numAffectedRows } = await sql`
        delete from ext_store_locator.stores where business_id = ${business.id} and id = ${params.id}`.execute(cell)
      if (numAffectedRows === 0n) throw storeNotFound()
      return { success: true } as const
    }),

    route(listStores, async (request, reply) => {
      const { business, cell, query } = request
      const { limit = 20, country } = query
      const filters = { list: 'stores', businessId: business.id, country }
      const [after = ''] = decodeCursor(filters, query.cursor, ['string']) ?? []
      const rows = await readStores(cell, business.id, country, String(after), limit + 1)
      const page = toPage(
        rows,
        limit,
        filters,
        ({ id }) => [id],
        (store) => store,
      )
      return sendPublic<never>(request, reply, JSON.stringify(page), {
        general: [business.id, `${business.id}:stores`],
        ids: page.items.map(({ id }) => id),
      })
    }),
  ],
})
