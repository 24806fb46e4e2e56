import { type Static, Type } from 'typebox'
import { FILE_FORMATS } from '#platform/transfer/file.ts'
import { Address } from '#vocabulary/address.ts'
import {
  BusinessId,
  Currency,
  Id,
  idOf,
  Money,
  Nullable,
  OneOf,
  PageQuery,
  UnixSeconds,
  UserId,
} from '#vocabulary/schemas.ts'

const MAX_TAGS = 50
const MAX_TEXT = 5_000

export const CustomerParams = Type.Object({ businessId: BusinessId, userId: Id })
export const CommentParams = Type.Object({ businessId: BusinessId, userId: Id, commentId: Id })

const Tag = Type.String({ minLength: 1, maxLength: 50, pattern: '\\S', examples: ['regular'] })
export const Tags = Type.Array(Tag, { maxItems: MAX_TAGS, description: 'Words of your own, for finding them again.' })
export const CustomerChanges = Type.Object({ tags: Tags })

const Spent = Type.Object({
  currency: Currency,
  amount: Type.Integer({ ...Money, description: 'What was paid, less what was refunded, in minor units.' }),
  orders: Type.Integer({ minimum: 0, description: 'In how many orders.', examples: [3] }),
})

const Phone = Type.String({ examples: ['+49 40 123456'] })

const facts = {
  id: UserId,
  name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
  email: Nullable(Type.String({ examples: ['ada@example.com'] })),
  phones: Type.Array(Phone, { description: 'The newest first, 10 at most.' }),
  addresses: Type.Array(Address, { description: 'The newest first, 10 at most.' }),
  orders: Type.Integer({ minimum: 0, description: 'All of them, paid or not.', examples: [4] }),
  spent: Type.Array(Spent, {
    description: 'Of orders whose payment is PAID, PARTIALLY_REFUNDED or REFUNDED, for each currency.',
  }),
  firstOrderAt: Nullable(UnixSeconds),
  lastOrderAt: Nullable(UnixSeconds),
  tags: Tags,
  isGuest: Type.Boolean({ description: 'Came without an account.', examples: [false] }),
  isErased: Type.Boolean({
    description: 'The account was deleted, or the business has erased them: nothing but the sums is left.',
    examples: [false],
  }),
  createdAt: UnixSeconds,
  updatedAt: UnixSeconds,
}
export const Customer = Type.Object(facts, {
  title: 'Customer',
  description: 'Name, email, phones and addresses are those of orders and subscriptions here, never of the account.',
})
export type Customer = Static<typeof Customer>

const Subscribed = Type.Object({
  id: idOf('sub', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
  collectionId: idOf('col', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
  planId: Nullable(Type.String({ examples: ['monthly'] })),
  email: Type.String({ examples: ['ada@example.com'] }),
  status: OneOf(['PENDING', 'ACTIVE', 'PAST_DUE', 'CANCELLED']),
  createdAt: UnixSeconds,
})
export const CustomerDetails = Type.Object(
  {
    ...facts,
    subscriptions: Type.Array(Subscribed, {
      description: 'The newest first, 100 at most; none without SUBSCRIBERS_READ.',
    }),
  },
  { title: 'CustomerDetails' },
)
export type CustomerDetails = Static<typeof CustomerDetails>

export const Erasure = Type.Object(
  {
    id: UserId,
    erasedOrders: Type.Integer({
      minimum: 0,
      description: 'How many orders name nobody any more, since this call.',
      examples: [4],
    }),
    keptOrders: Type.Array(
      Type.Object({
        id: idOf('ord', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
        number: Type.String({ examples: ['V8RM-2TQ6'] }),
        status: OneOf(['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED']),
      }),
      { maxItems: 100, description: 'Still in work: they keep what is needed. 100 at most are named.' },
    ),
    isComplete: Type.Boolean({
      description:
        'False while an order is in work (call again once it has ended), or if there are more than the 1,000 orders that one call erases (call again).',
      examples: [true],
    }),
  },
  { title: 'Erasure', 'x-response-description': 'The status of the erasure.' },
)
export type Erasure = Static<typeof Erasure>

export const SORTS = ['-lastOrderAt', '-orders', '-spent', 'name'] as const
export type Sort = (typeof SORTS)[number]

const filters = {
  query: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The beginning of the email address, or words of the name, the last one perhaps unfinished.',
      examples: ['ada@'],
    }),
  ),
  tag: Type.Optional(
    Type.Array(Tag, {
      minItems: 1,
      maxItems: 20,
      description: 'A tag, spelled as it is. Repeat it for several: any of them.',
    }),
  ),
  guests: Type.Optional(Type.Boolean({ description: '`true`: only guests; `false`: all others.' })),
}
const CustomerFilters = Type.Object(filters)
export type CustomerFilters = Static<typeof CustomerFilters>

export const CustomerQuery = Type.Object({
  ...PageQuery,
  ...filters,
  sort: Type.Optional(
    OneOf(SORTS, {
      default: '-lastOrderAt',
      description: '`-spent` needs `currency`, and lists those who have paid in it.',
    }),
  ),
  currency: Type.Optional(Currency),
})
export type CustomerQuery = Static<typeof CustomerQuery>

export const ExportQuery = Type.Object({
  format: Type.Optional(OneOf(FILE_FORMATS, { default: 'csv' })),
  ...filters,
})

export const CommentText = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT,
  pattern: '\\S',
  examples: ['Prefers a call before delivery.'],
})
export const NewComment = Type.Object({ text: CommentText })
export const Comment = Type.Object(
  {
    id: idOf('cmt', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    customerId: UserId,
    authorId: UserId,
    text: CommentText,
    createdAt: UnixSeconds,
  },
  { title: 'CustomerComment' },
)
export type Comment = Static<typeof Comment>

export const CustomerExport = Type.Unsafe<unknown>({
  'x-response-description': 'The data of the customer.',
  type: 'object',
  additionalProperties: true,
  examples: [
    { customer: { id: 'usr_01jcq3v7k8f5t9x2m4n6p8r0sw' }, guestIds: [], comments: [], subscriptions: [], orders: [] },
  ],
})
