import { type Static, Type } from 'typebox'
import { Changes, idOf, Nullable, OneOf, UnixSeconds } from '#vocabulary/schemas.ts'

const Text = (maxLength: number, example: string, description?: string) =>
  Type.String({ minLength: 1, maxLength, examples: [example], ...(description ? { description } : {}) })

const Domain = Type.String({
  minLength: 3,
  maxLength: 253,
  pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$',
  'x-says': { pattern: 'must be a domain in lower case, such as harbour.example' },
  examples: ['harbour.example'],
})

const MappedRole = Type.Object({
  value: Text(200, 'shop-editors', 'What the claim says, or one of what it says.'),
  roleId: idOf('role', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
})

const common = {
  issuer: Text(500, 'https://login.harbour.example', 'An https address; its OpenID configuration is below it.'),
  clientId: Text(200, 'kontor'),
  roleClaim: Text(200, 'groups', 'The claim of the id token, or of userinfo, that says which roles a person has.'),
  roles: Type.Array(MappedRole, { maxItems: 100 }),
  trustsSecondFactor: Type.Boolean({
    description: 'Whether a second factor that was passed at the provider (`amr` with `mfa`) counts as passed here.',
    examples: [false],
  }),
}

export const ProviderChanges = Changes({
  ...common,
  clientSecret: Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'Must be sent with another issuer or client id. Never shown again, but for the last four characters.',
    examples: ['q8Vn2mX4cK7tR1wZ5yB9dF3h'],
  }),
  domains: Type.Array(Domain, {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: 'Only addresses of these can be signed in, once each is proven.',
  }),
})
export type ProviderChanges = Static<typeof ProviderChanges>

export const CHECK_RESULTS = ['FOUND', 'MISSING', 'UNREACHABLE'] as const
export type CheckResult = (typeof CHECK_RESULTS)[number]

export const SignInDomain = Type.Object(
  {
    domain: Domain,
    status: OneOf(['PENDING', 'PROVEN']),
    record: Type.Object(
      {
        name: Type.String({ examples: ['_kontor.harbour.example'] }),
        type: Type.Literal('TXT'),
        value: Type.String({ examples: ['kontor-domain=x7q2m9x1c3v4k7q2m9x1c3v4k7q2m9x1'] }),
      },
      { description: 'The text record that proves it.' },
    ),
    provenAt: Nullable(UnixSeconds),
    lastCheckedAt: Nullable(
      Type.Integer({
        ...UnixSeconds,
        description: 'Time of the last check of the TXT record. Proven domains are checked daily.',
      }),
    ),
    lastResult: Nullable(
      OneOf(CHECK_RESULTS, {
        description:
          'Result of the last check. `MISSING`: the name servers respond, but the record does not exist or has another value. `UNREACHABLE`: the name servers do not respond.',
      }),
    ),
    lapsesAt: Nullable(
      Type.Integer({
        ...UnixSeconds,
        description:
          'Time at which the domain becomes `PENDING` and its sessions end, unless a check finds the record first. 7 days after the first failed check; `null` while checks succeed.',
      }),
    ),
  },
  { title: 'SignInDomain' },
)
export type SignInDomain = Static<typeof SignInDomain>

export const SignInProvider = Type.Object(
  {
    ...common,
    clientSecret: Type.String({ description: 'Masked.', examples: ['••••dF3h'] }),
    domains: Type.Array(SignInDomain),
    callbackUrl: Type.String({
      description: 'The redirect address to register at the provider.',
      examples: ['https://api.example.com/v1/users/login/callback/biz_4k7q2m9x1c3v'],
    }),
    backchannelLogoutUrl: Type.String({
      description: 'Where the provider may tell that somebody has logged out.',
      examples: ['https://api.example.com/v1/users/login/logout/biz_4k7q2m9x1c3v'],
    }),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'SignInProvider' },
)
export type SignInProvider = Static<typeof SignInProvider>

export const CheckDomainBody = Type.Object({ domain: Domain })
