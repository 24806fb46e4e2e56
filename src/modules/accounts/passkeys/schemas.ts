import { type Static, Type } from 'typebox'
import { idOf, Nullable, OneOf, UnixSeconds } from '#vocabulary/schemas.ts'

const Base64Url = (maxLength: number) => Type.String({ minLength: 1, maxLength, examples: ['bm90IGEgcmVhbCBvbmU'] })
const OpenObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, examples: [{}] })

const credential = {
  id: Base64Url(1_400),
  rawId: Base64Url(1_400),
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Nullable(Type.String({ maxLength: 50, examples: ['platform'] }))),
  clientExtensionResults: Type.Optional(OpenObject),
}

/** What `navigator.credentials.get()` answers, as its `toJSON()` says it. */
export const Passkey = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: Base64Url(8_000),
      authenticatorData: Base64Url(8_000),
      signature: Base64Url(2_000),
      userHandle: Type.Optional(Nullable(Type.String({ maxLength: 200, examples: ['dXNyXzE'] }))),
    }),
  },
  { title: 'PasskeyAnswer', description: 'The `toJSON()` of what `navigator.credentials.get()` returns.' },
)
export type Passkey = Static<typeof Passkey>

/** What `navigator.credentials.create()` answers. */
export const NewPasskey = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: Base64Url(8_000),
      attestationObject: Base64Url(40_000),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 50, examples: ['internal'] }), { maxItems: 20 })),
    }),
  },
  { title: 'NewPasskey', description: 'The `toJSON()` of what `navigator.credentials.create()` returns.' },
)
export type NewPasskey = Static<typeof NewPasskey>

export const PasskeyName = Type.String({ minLength: 1, maxLength: 100, examples: ['Ada’s phone'] })
export const PasskeyId = idOf('pky', '01jcq3v7k8f5t9x2m4n6p8r0sw')

/** As its owner sees it. */
export const OwnPasskey = Type.Object(
  { id: PasskeyId, name: PasskeyName, createdAt: UnixSeconds, lastUsedAt: Nullable(UnixSeconds) },
  { title: 'Passkey' },
)

const Known = Type.Object({
  type: Type.Literal('public-key'),
  id: Base64Url(1_400),
  transports: Type.Optional(Type.Array(Type.String({ examples: ['internal'] }))),
})

/** For `navigator.credentials.create()`, by way of `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export const PasskeyOptions = Type.Object(
  {
    challenge: Base64Url(500),
    rp: Type.Object({
      id: Type.String({ examples: ['shop.example.com'] }),
      name: Type.String({ examples: ['Kontor'] }),
    }),
    user: Type.Object({
      id: Base64Url(200),
      name: Type.String({ examples: ['ada@example.com'] }),
      displayName: Type.String({ examples: ['Ada Lovelace'] }),
    }),
    pubKeyCredParams: Type.Array(
      Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer({ examples: [-7] }) }),
    ),
    timeout: Type.Integer({ examples: [300_000] }),
    attestation: Type.Literal('none'),
    excludeCredentials: Type.Array(Known),
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Literal(true),
      userVerification: Type.Literal('required'),
    }),
  },
  { title: 'PasskeyOptions', 'x-response-description': 'Options for `navigator.credentials.create()`.' },
)

/** For `navigator.credentials.get()`, by way of `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export const PasskeyLoginOptions = Type.Object(
  {
    challenge: Base64Url(500),
    rpId: Type.String({ examples: ['shop.example.com'] }),
    timeout: Type.Integer({ examples: [300_000] }),
    userVerification: OneOf(['required']),
    allowCredentials: Type.Array(Known),
  },
  { title: 'PasskeyLoginOptions', 'x-response-description': 'Options for `navigator.credentials.get()`.' },
)
