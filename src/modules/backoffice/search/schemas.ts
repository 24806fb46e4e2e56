import { type Static, Type } from 'typebox'
import { Currency, idOf, Money, Nullable, OrderId, ProductId, UnixSeconds, UserId } from '#vocabulary/schemas.ts'

export const SearchQuery = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '\\S',
    description: 'As in the lists: numbers, email addresses, names, SKUs, words.',
    examples: ['lantern'],
  }),
})

const OrderHit = Type.Object({
  id: OrderId,
  number: Type.String({ examples: ['K7Q2-M9XC'] }),
  email: Nullable(Type.String({ examples: ['ada@example.com'] })),
  status: Type.String({ examples: ['PROCESSING'] }),
  paymentStatus: Type.String({ examples: ['PAID'] }),
  total: Money,
  currency: Currency,
  createdAt: UnixSeconds,
})
export type OrderHit = Static<typeof OrderHit>

const ProductHit = Type.Object({
  id: ProductId,
  name: Type.String({ examples: ['Harbour lantern'] }),
  slug: Type.String({ examples: ['harbour-lantern'] }),
  status: Type.String({ examples: ['ACTIVE'] }),
  sku: Nullable(Type.String({ description: 'Of the first variant.', examples: ['LAN-RED'] })),
})
export type ProductHit = Static<typeof ProductHit>

const CustomerHit = Type.Object({
  id: UserId,
  name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
  email: Nullable(Type.String({ examples: ['ada@example.com'] })),
  orders: Type.Integer({ minimum: 0, examples: [3] }),
  lastOrderAt: Nullable(UnixSeconds),
})
export type CustomerHit = Static<typeof CustomerHit>

const EntryHit = Type.Object({
  id: idOf('ent', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
  collectionId: Nullable(idOf('col', '01jcq3v7k8f5t9x2m4n6p8r0sw')),
  title: Type.String({ description: 'The first text of the entry.', examples: ['Opening hours'] }),
  status: Type.String({ examples: ['PUBLISHED'] }),
})
export type EntryHit = Static<typeof EntryHit>

export const SearchResult = Type.Object(
  {
    orders: Type.Array(OrderHit),
    products: Type.Array(ProductHit),
    customers: Type.Array(CustomerHit),
    entries: Type.Array(EntryHit),
  },
  { title: 'SearchResult', 'x-response-description': 'The search results.' },
)
