import { type Static, Type } from 'typebox'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import {
  BusinessId,
  Email,
  Id,
  idOf,
  Name,
  Nullable,
  OneOf,
  PageQuery,
  UnixSeconds,
  UserId,
} from '#vocabulary/schemas.ts'
import { Passkey } from './passkeys/schemas.ts'

const Text = (maxLength: number, example: string) => Type.String({ maxLength, examples: [example] })
const Password = Type.String({ maxLength: 1_000, examples: ['four unrelated words here'] })
// The handler returns 400 when it is missing or unknown.
const Provider = Type.Optional(Type.String({ maxLength: 50, examples: ['EMAIL'] }))
const ReserveDomain = Type.Optional(
  Type.String({
    maxLength: 2_000,
    description:
      'Base URL of the link in the email. The operator must allow its origin. `/confirm` or `/reset-password` is appended. Defaults to the URL of the service, which serves plain pages at both.',
    examples: ['https://shop.example.com'],
  }),
)
const MailedToken = Type.String({ minLength: 1, maxLength: 2_000, examples: ['eyJhbGciOiJFUzI1NiJ9.e30.c2ln'] })
const PhoneNumber = Text(30, '+4915112345678')

export const RegisterBody = Type.Object({
  provider: Type.Optional(Type.String({ maxLength: 50, examples: ['EMAIL_REGISTER'] })),
  email: Email,
  password: Password,
  name: Type.Optional(Text(200, 'Ada Lovelace')),
  firstName: Type.Optional(Text(100, 'Ada')),
  lastName: Type.Optional(Text(100, 'Lovelace')),
  reserveDomain: ReserveDomain,
})
export const ConfirmBody = Type.Object({ token: MailedToken })
export const ExportParams = Type.Object({ id: Id })
export const WholeExport = Type.Object(
  {
    id: idOf('exp', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    status: OneOf(['PENDING', 'RUNNING', 'READY', 'FAILED']),
    size: Nullable(Type.Integer({ minimum: 0, description: 'Bytes of the file.', examples: [48_213] })),
    createdAt: UnixSeconds,
    finishedAt: Nullable(UnixSeconds),
    expiresAt: Nullable(Type.Integer({ ...UnixSeconds, description: 'Until then the file can be fetched.' })),
  },
  { title: 'WholeExport', description: 'Everything that is a person’s, as a file that is being made.' },
)
export type WholeExport = Static<typeof WholeExport>
export const ClaimBody = Type.Object({ token: MailedToken })

export const LoginBody = Type.Object({
  provider: Provider,
  email: Type.Optional(Type.String({ maxLength: 254, description: 'EMAIL.', examples: ['ada@example.com'] })),
  password: Type.Optional(Type.String({ ...Password, description: 'EMAIL.' })),
  code: Type.Optional(
    Type.String({ maxLength: 200, description: 'OAUTH_IDP: the code that came to redirectUrl.', examples: ['x'] }),
  ),
  originUrl: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'OAUTH_IDP.', examples: ['https://shop.example.com'] }),
  ),
  passkey: Type.Optional(Passkey),
  phoneNumber: Type.Optional(
    Type.String({ maxLength: 30, description: 'GUEST, optional.', examples: ['+4915112345678'] }),
  ),
  businessId: Type.Optional(
    Type.String({
      ...BusinessId,
      description: 'GUEST, optional: the shop. Guest logins are limited for each address and shop.',
    }),
  ),
})
export const LoginUrlQuery = Type.Object({
  provider: Provider,
  originUrl: Type.String({ maxLength: 2_000 }),
  redirectUrl: Type.String({ maxLength: 2_000 }),
  businessId: Type.Optional(
    Type.String({ ...BusinessId, description: 'For its staff: sign in with the provider of this business.' }),
  ),
})
export const CallbackQuery = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 500 })),
  code: Type.Optional(Type.String({ maxLength: 4_000 })),
  error: Type.Optional(Type.String({ maxLength: 500 })),
})

export const AuthResult = Type.Object(
  {
    userId: UserId,
    provider: OneOf(['EMAIL', 'OAUTH_IDP', 'GUEST', 'PASSKEY']),
    accessToken: Type.String({ examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln'] }),
    refreshToken: Type.String({ examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImtvbnRvci1yZWZyZXNoK2p3dCJ9.e30.c2ln'] }),
    tokenType: Type.Literal('Bearer'),
    expiresAt: UnixSeconds,
    scope: OneOf(['user', 'guest', 'api']),
    isGuest: Type.Boolean({ examples: [false] }),
  },
  { title: 'AuthResult', 'x-response-description': 'The tokens of the session.' },
)

export const RefreshBody = Type.Object({
  provider: Provider,
  refreshToken: Type.String({ maxLength: 4_000, examples: ['eyJ…'] }),
})
export const LogoutBody = Type.Object({
  provider: Provider,
  token: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description: 'The access or refresh token; default: the one in the header.',
      examples: ['eyJ…'],
    }),
  ),
  originUrl: Type.Optional(Type.String({ maxLength: 2_000, examples: ['https://shop.example.com'] })),
})

const Address = Type.Object({
  street: Text(300, '1 Harbour Street'),
  city: Text(200, 'Lübeck'),
  state: Text(200, 'SH'),
  zip: Text(30, '23552'),
  country: Text(100, 'DE'),
})

const Role = Type.Object({
  id: idOf('role', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
  name: Type.String({ examples: ['Admin'] }),
  permissions: Type.Array(OneOf(PERMISSIONS)),
  businessId: BusinessId,
})

const ApiToken = Type.Object({
  id: Id,
  name: Text(200, 'Import script'),
  value: Type.String({ description: 'Masked; whole only in the answer that made it.', examples: ['••••x7q2'] }),
  provider: Type.Literal('API'),
  businessId: Type.Optional(BusinessId),
})

const KeyBounds = {
  businessId: Nullable(
    Type.String({ ...BusinessId, description: 'The one business in which it works; null: all of its user’s.' }),
  ),
  permissions: Nullable(
    Type.Array(OneOf(PERMISSIONS), {
      minItems: 1,
      maxItems: PERMISSIONS.length,
      uniqueItems: true,
      description: 'What it may do at most, of what its user may at that moment; null: all of it.',
    }),
  ),
  expiresAt: Nullable(
    Type.Integer({ ...UnixSeconds, description: 'It is refused from then on; null: it has no end.' }),
  ),
}

export const ApiKey = Type.Object(
  {
    id: idOf('key', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    name: Text(200, 'Import script'),
    value: Type.String({ description: 'Masked; whole only in the answer that made it.', examples: ['••••x7q2'] }),
    ...KeyBounds,
    lastUsedAt: Nullable(Type.Integer({ ...UnixSeconds, description: 'Written once an hour; null: not used yet.' })),
    createdAt: UnixSeconds,
    passedSecondFactor: Type.Boolean({
      description: 'Made in a session that had passed a second factor: it works where a business asks for one.',
      examples: [false],
    }),
  },
  { title: 'ApiKey' },
)
export type ApiKey = Static<typeof ApiKey>

export const NewKeyBody = Type.Object({ name: Name, ...Type.Partial(Type.Object(KeyBounds)).properties })
export const RevokeKeyBody = Type.Object({
  key: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The whole key.',
    examples: ['kontor_4fN1xZ…'],
  }),
})

export const User = Type.Object(
  {
    id: UserId,
    name: Type.String({ examples: ['Ada Lovelace'] }),
    email: Type.Optional(Email),
    isConfirmed: Type.Boolean({ examples: [true] }),
    phoneNumbers: Type.Array(PhoneNumber),
    addresses: Type.Array(Address),
    roleIds: Type.Array(Id),
    roles: Type.Array(Role),
    pendingRoleIds: Type.Optional(
      Type.Array(Id, {
        description:
          'Those of `roleIds` that count once the user accepts them. Only in a search, and only if there are any.',
      }),
    ),
    apiTokens: Type.Array(ApiToken),
    businessUserConfigs: Type.Array(
      Type.Object({
        businessId: BusinessId,
        settings: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true, examples: [{ theme: 'dark' }] }),
      }),
    ),
    lifecycle: Type.Object({
      lastLoginAt: Nullable(UnixSeconds),
      onboardingCompleted: Type.Boolean({ examples: [false] }),
    }),
    isOperator: Type.Optional(
      Type.Boolean({
        description: 'Whether this session is that of an operator of the service. Only of oneself, and only if so.',
        examples: [true],
      }),
    ),
    needsConfirmation: Type.Optional(
      Type.Boolean({
        description:
          'Whether the session is limited to the business whose sign-in provider started it. `POST /v1/users/reauthenticate` lifts the limit. Present only if `true`.',
        examples: [true],
      }),
    ),
  },
  { title: 'User' },
)
export type User = Static<typeof User>

export const Colleagues = Type.Object(
  {
    items: Type.Array(
      Type.Object({ userId: UserId, name: Type.String({ maxLength: 200, examples: ['Ada Lovelace'] }) }),
      { maxItems: 1_000 },
    ),
  },
  { title: 'Colleagues', 'x-response-description': 'The names of the team members.' },
)
export type Colleagues = Static<typeof Colleagues>

const MemberRole = Type.Object({
  id: Role.properties.id,
  name: Role.properties.name,
  permissions: Role.properties.permissions,
})

export const Member = Type.Object(
  {
    id: UserId,
    name: Type.String({ examples: ['Ada Lovelace'] }),
    email: Nullable(Email),
    roles: Type.Array(MemberRole),
    pendingRoles: Type.Array(MemberRole, { description: 'Offered, and not accepted yet.' }),
    joinedAt: UnixSeconds,
  },
  { title: 'Member' },
)
export type Member = Static<typeof Member>
export const MemberQuery = Type.Object({
  ...PageQuery,
  query: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words of the name or the email address.', examples: ['ada'] }),
  ),
  roleId: Type.Optional(Type.String({ ...Id, description: 'Only those who have this role.' })),
})
export type MemberQuery = Static<typeof MemberQuery>
export const MemberRoles = Type.Object({
  roleIds: Type.Array(Role.properties.id, {
    maxItems: 50,
    uniqueItems: true,
    description: 'All of them; none: removed.',
  }),
})
export type MemberRoles = Static<typeof MemberRoles>

export const UpdateBody = Type.Object({
  name: Type.Optional(Text(200, 'Ada Lovelace')),
  phoneNumbers: Type.Optional(Type.Array(PhoneNumber, { maxItems: 20 })),
  addresses: Type.Optional(Type.Array(Address, { maxItems: 50 })),
  onboardingCompleted: Type.Optional(Type.Boolean({ examples: [true] })),
  apiTokens: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Optional(Id),
        name: Type.Optional(Text(200, 'Import script')),
        value: Type.Optional(
          Type.String({
            maxLength: 200,
            description: '32 to 128 characters; absent: made by the service.',
            examples: ['q8Vn2mX4cK7tR1wZ5yB9dF3hJ6sL0pAe'],
          }),
        ),
        provider: Type.Optional(Type.String({ maxLength: 50, examples: ['API'] })),
        businessId: Type.Optional(BusinessId),
      }),
      { maxItems: 50 },
    ),
  ),
})
export type UpdateBody = Static<typeof UpdateBody>

export const PhoneBody = Type.Object({ phoneNumber: PhoneNumber })
export const PhoneConfirmBody = Type.Object({
  phoneNumber: PhoneNumber,
  code: Type.String({ maxLength: 20, examples: ['493017'] }),
})
export const MailBody = Type.Object({ email: Email, reserveDomain: ReserveDomain })
export const ResetBody = Type.Object({ token: MailedToken, password: Password })
export const ChangePasswordBody = Type.Object({ oldPassword: Password, newPassword: Password })
export const SearchQuery = Type.Object({
  ...PageQuery,
  businessId: BusinessId,
  query: Type.Optional(Type.String({ maxLength: 200, description: 'Matches name, email and phone number.' })),
  roleIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 50, description: 'Repeated, or comma-separated.' }),
  ),
})
export const SetRoleBody = Type.Object({
  userId: UserId,
  roleId: Nullable(idOf('role', '01jcq3v7k8f5t9x2m4n6p8r0sw')),
  businessId: BusinessId,
})
export const ConfigBody = Type.Object({
  settings: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    maxProperties: 200,
    examples: [{ theme: 'dark' }],
  }),
})
export const Session = Type.Object(
  {
    id: idOf('ses', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    provider: Type.String({ examples: ['EMAIL'] }),
    userAgent: Nullable(Type.String({ examples: ['Mozilla/5.0'] })),
    address: Nullable(Type.String({ examples: ['203.0.113.7'] })),
    createdAt: UnixSeconds,
    lastUsedAt: UnixSeconds,
    current: Type.Boolean({ description: 'The session of this very request.', examples: [true] }),
  },
  { title: 'Session' },
)

/** A public key that verifies access tokens, as a JSON Web Key. */
export const SigningKey = Type.Object({
  kty: Type.String({ examples: ['EC'] }),
  crv: Type.String({ examples: ['P-256'] }),
  x: Type.String({ examples: ['f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'] }),
  y: Type.String({ examples: ['x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'] }),
  kid: Type.String({ examples: ['key_01jcq3v7k8f5t9x2m4n6p8r0sw'] }),
  alg: Type.String({ examples: ['ES256'] }),
  use: Type.String({ examples: ['sig'] }),
})
export type SigningKey = Static<typeof SigningKey>
