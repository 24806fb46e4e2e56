import { type Static, Type } from 'typebox'
import { PAYMENT_METHODS } from '#vocabulary/business.ts'
import { Media, NewMedia } from '#vocabulary/media.ts'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import {
  anyOf,
  BasisPoints,
  BusinessId,
  Changes,
  Currency,
  Email,
  Id,
  idOf,
  Money,
  Name,
  Nullable,
  OneOf,
  PageQuery,
  Slug,
  TaxClass,
  UnixSeconds,
  UserId,
} from '#vocabulary/schemas.ts'

/** A hundred years. */
const MAX_KEEP_PERSON_DAYS = 36_500

const RoleId = idOf('role', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const InvitationId = idOf('inv', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const Locale = Type.String({ minLength: 2, maxLength: 35, examples: ['en'] })
const Origin = Type.String({
  maxLength: 300,
  description: 'Scheme and host, no path.',
  examples: ['https://shop.example.com'],
})

const KeepPersonDays = Type.Integer({
  minimum: 0,
  maximum: MAX_KEEP_PERSON_DAYS,
  description:
    'After a customer has deleted their account: for how many days from an order on it still says whose it was. Orders in work always do.',
  examples: [0],
})
const OrderUrl = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description:
      'Where the shop shows an order: on one of `allowedOrigins`, with `{orderId}`. Mails to customers link there.',
    examples: ['https://shop.example.com/orders/{orderId}'],
  }),
)

const TimeZone = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'An IANA time zone: where the days of the business begin.',
  examples: ['Europe/Berlin'],
})

const Storefront = Type.Object(
  {
    isPublic: Type.Boolean({
      description: 'Anybody may read the shop without a credential, below `/v1/storefront`.',
      examples: [false],
    }),
    showQuantity: Type.Boolean({
      description: 'They see how much there is of a variant, not only whether there is any.',
      examples: [false],
    }),
    productUrl: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 2_000,
          description: 'Where the shop shows a product: on one of `allowedOrigins`, with `{slug}`. Letters link there.',
          examples: ['https://shop.example.com/products/{slug}'],
        }),
      ),
    ),
    previewUrl: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 2_000,
          description:
            'Where the shop shows an entry before it is published: on one of `allowedOrigins`, with `{entryId}` and `{token}`.',
          examples: ['https://shop.example.com/journal/{entryId}?preview={token}'],
        }),
      ),
    ),
  },
  { title: 'Storefront' },
)

const RequireSecondFactor = Type.Boolean({
  description:
    'Roles count only in sessions that have passed a second factor, and in API keys made in such a session. Only such a session can switch it on or off.',
  examples: [false],
})

const ShippingMethod = Type.Object({
  id: Type.String({ ...Id, examples: ['standard'] }),
  name: Type.String({ minLength: 1, maxLength: 200, examples: ['Standard'] }),
  price: Money,
  freeFrom: Type.Optional(
    Type.Integer({ ...Money, description: 'Free when subtotal − discount reaches this.', examples: [5000] }),
  ),
})

const taxes = {
  pricesIncludeTax: Type.Boolean({
    description: 'Prices, shipping prices, `freeFrom` and fixed discounts have the tax inside.',
    examples: [false],
  }),
  taxRates: Type.Array(Type.Object({ taxClass: TaxClass, taxBps: BasisPoints }), {
    maxItems: 20,
    description: 'Other classes are taxed at `taxBps`.',
    examples: [[{ taxClass: 'reduced', taxBps: 700 }]],
  }),
}

export const Market = Type.Object(
  {
    id: Type.String({
      ...Id,
      description: 'The market code that quotes, checkouts and prices name.',
      examples: ['us'],
    }),
    name: Type.String({ minLength: 1, maxLength: 200, examples: ['United States'] }),
    currency: Type.String({ ...Currency, description: 'ISO 4217.' }),
    taxBps: BasisPoints,
    taxShipping: Type.Boolean({ examples: [false] }),
    ...taxes,
    shippingMethods: Type.Array(ShippingMethod, { maxItems: 50 }),
    paymentMethods: Type.Array(OneOf(PAYMENT_METHODS), { maxItems: 10, uniqueItems: true }),
  },
  { title: 'Market' },
)

/** The fields that a storefront needs; guests and strangers see no others. */
const storefront = {
  id: BusinessId,
  name: Name,
  slug: Slug,
  defaultLocale: Locale,
  locales: Type.Array(Locale, { minItems: 1, maxItems: 100, uniqueItems: true }),
  logo: Nullable(Media),
  markets: Type.Array(Market, { maxItems: 200 }),
}

/** What anybody may read of a business whose shop is public. */
export const publicBusiness = { ...storefront, timeZone: TimeZone }

export const Business = Type.Object(
  {
    ...storefront,
    contactEmail: Type.Optional(Nullable(Email)),
    allowedOrigins: Type.Optional(Type.Array(Origin, { maxItems: 100, uniqueItems: true })),
    orderUrl: Type.Optional(OrderUrl),
    timeZone: Type.Optional(TimeZone),
    keepPersonDays: Type.Optional(KeepPersonDays),
    storefront: Type.Optional(Storefront),
    requireSecondFactor: Type.Optional(RequireSecondFactor),
    needsSecondFactor: Type.Optional(
      Type.Boolean({
        description:
          'Only in your list, and only `true`: you have a role here that counts once this session has passed a second factor.',
        examples: [true],
      }),
    ),
    createdAt: Type.Optional(UnixSeconds),
    updatedAt: Type.Optional(UnixSeconds),
  },
  { title: 'Business', description: 'Guests and users without a role here see name, logo, locales and markets only.' },
)

/** A market that the business has keeps its taxes when they are not sent. */
export const NewMarket = Type.Object({ ...Market.properties, ...Changes(taxes).properties })

const settings = {
  name: Name,
  slug: Slug,
  contactEmail: Nullable(Email),
  defaultLocale: Locale,
  locales: storefront.locales,
  allowedOrigins: Type.Array(Origin, { maxItems: 100, uniqueItems: true }),
  orderUrl: OrderUrl,
  timeZone: TimeZone,
  keepPersonDays: KeepPersonDays,
  logo: Nullable(NewMedia),
  storefront: Changes(Storefront.properties),
  markets: Type.Array(NewMarket, { maxItems: 200 }),
}

/** A stored business. */
export const StoredBusiness = Type.Object({
  ...settings,
  logo: storefront.logo,
  markets: storefront.markets,
  storefront: Storefront,
  requireSecondFactor: RequireSecondFactor,
})
export type StoredBusiness = Static<typeof StoredBusiness>

export const BusinessChanges = Changes({ ...settings, requireSecondFactor: RequireSecondFactor })
export type BusinessChanges = Static<typeof BusinessChanges>
export const NewBusiness = Type.Object({ ...Changes(settings).properties, name: Name })
export type NewBusiness = Static<typeof NewBusiness>

const permissions = Type.Array(OneOf(PERMISSIONS), { maxItems: PERMISSIONS.length, uniqueItems: true })

export const Role = Type.Object(
  { id: RoleId, name: Name, permissions, createdAt: UnixSeconds, updatedAt: UnixSeconds },
  { title: 'Role' },
)
export const NewRole = Type.Object({ name: Type.String({ ...Name, examples: ['Editors'] }), permissions })
export type NewRole = Static<typeof NewRole>
export const RoleChanges = Changes(NewRole.properties)
export type RoleChanges = Static<typeof RoleChanges>

export const RoleCounts = Type.Object(
  {
    items: Type.Array(Type.Object({ value: RoleId, count: Type.Integer({ minimum: 0, examples: [3] }) }), {
      description: 'Roles that nobody has are left out.',
    }),
  },
  { title: 'RoleCounts' },
)

export const Invitation = Type.Object(
  {
    id: InvitationId,
    email: Nullable(Email),
    userId: Type.Optional(
      Type.String({ ...UserId, description: 'Instead of an email address: a role that was given to this user.' }),
    ),
    roleId: RoleId,
    invitedBy: UserId,
    expiresAt: UnixSeconds,
    acceptedAt: Nullable(UnixSeconds),
    createdAt: UnixSeconds,
  },
  { title: 'Invitation' },
)
export const InvitationQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(
    OneOf(['PENDING', 'ACCEPTED', 'EXPIRED'], {
      description: 'Only those that wait, were accepted, or came too late.',
    }),
  ),
})
export type InvitationQuery = Static<typeof InvitationQuery>
export const NewInvitation = Type.Object({ email: Email, roleId: RoleId })
export type NewInvitation = Static<typeof NewInvitation>
export const OwnInvitation = Type.Object(
  {
    id: InvitationId,
    business: Type.Object({ id: BusinessId, name: Name }),
    role: Type.Object({ id: RoleId, name: Name, permissions }),
    expiresAt: UnixSeconds,
    createdAt: UnixSeconds,
  },
  { title: 'OwnInvitation' },
)
export const OwnInvitationParams = Type.Object({ id: InvitationId })
export const AcceptInvitation = Type.Object({
  // Long enough for a token of any kind, so that a wrong one is reported as such.
  token: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4096, description: 'From the mail.', examples: ['kJ3xk0cV8mZ1'] }),
  ),
  id: Type.Optional(
    Type.String({ ...InvitationId, description: 'Instead of the token: from the list of your own invitations.' }),
  ),
})

export const AuditEntry = Type.Object(
  {
    id: idOf('aud', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    action: Type.String({ examples: ['role.updated'] }),
    subject: Type.String({ description: 'The id of what was changed.', examples: ['role_01jcq3v7k8f5t9x2m4n6p8r0sw'] }),
    actorId: Nullable(UserId),
    actorKind: Type.String({ examples: ['user'] }),
    data: Type.Unsafe<unknown>({
      type: 'object',
      additionalProperties: true,
      examples: [{ permissions: ['PRODUCTS_WRITE'] }],
    }),
    timestamp: UnixSeconds,
  },
  { title: 'AuditEntry' },
)

export const AuditQuery = Type.Object({
  ...PageQuery,
  actorId: Type.Optional(Type.String({ ...UserId, description: 'What this person did.' })),
  action: anyOf(Type.String({ minLength: 1, maxLength: 64, examples: ['role.updated'] }), 'What was done.'),
  subject: Type.Optional(Type.String({ ...Id, description: 'What was done to this record or person.' })),
  from: Type.Optional(Type.Integer({ ...UnixSeconds, description: 'Not before.' })),
  to: Type.Optional(Type.Integer({ ...UnixSeconds, description: 'Before.' })),
})
export type AuditQuery = Static<typeof AuditQuery>
