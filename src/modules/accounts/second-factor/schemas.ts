import { type Static, Type } from 'typebox'
import { ErrorBody, Nullable, OneOf, UnixSeconds } from '#vocabulary/schemas.ts'
import { Passkey } from '../passkeys/schemas.ts'
import { METHODS } from './queries.ts'

const Code = Type.String({
  minLength: 1,
  maxLength: 20,
  description: 'Of the authenticator app.',
  examples: ['493017'],
})
const RecoveryCode = Type.String({ minLength: 1, maxLength: 50, examples: ['7KQ2-M9XC-4VDA-HJ3R'] })
export const Challenge = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'From the refusal of the login.',
  examples: ['kJ3xk0cV8mZ1'],
})

export const NewFactor = Type.Object(
  {
    secret: Type.String({ description: 'Base32, to be typed in.', examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'] }),
    uri: Type.String({
      description: 'The same as an `otpauth:` address, to be shown as a QR code.',
      examples: ['otpauth://totp/shop.example.com:ada%40example.com?issuer=shop.example.com&secret=JBSWY3DPEHPK3PXP'],
    }),
  },
  { title: 'NewSecondFactor', 'x-response-description': 'The secret for the authenticator app.' },
)
export const ConfirmFactorBody = Type.Object({ code: Code })
export const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(RecoveryCode, {
      description: 'Ten codes, shown this once. Each works once, in place of a code of the app.',
    }),
  },
  { title: 'RecoveryCodes' },
)
export const SecondFactor = Type.Object(
  {
    isOn: Type.Boolean({ examples: [true] }),
    since: Nullable(UnixSeconds),
    recoveryCodesLeft: Type.Integer({ minimum: 0, maximum: 10, examples: [10] }),
    passedAt: Nullable(Type.Integer({ ...UnixSeconds, description: 'When this session has last shown one.' })),
  },
  { title: 'SecondFactor', 'x-response-description': 'The state of the second factor.' },
)

export const LoginFactorBody = Type.Object({
  challenge: Challenge,
  code: Type.Optional(Code),
  recoveryCode: Type.Optional(RecoveryCode),
  passkey: Type.Optional(Passkey),
})
export type LoginFactorBody = Static<typeof LoginFactorBody>

export const ReauthenticateBody = Type.Object({
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, examples: ['four unrelated words here'] })),
  code: Type.Optional(Code),
  passkey: Type.Optional(Passkey),
})

/** The refusal of a login that needs a second factor; of any other, without the last two. */
export const LoginRefused = Type.Object(
  {
    ...ErrorBody.properties,
    challenge: Type.Optional(
      Type.String({
        description: 'For `POST /v1/users/login/second-factor`: for 5 minutes, 5 tries, one login.',
        examples: ['kJ3xk0cV8mZ1'],
      }),
    ),
    methods: Type.Optional(Type.Array(OneOf(METHODS), { description: 'How this account can show its second factor.' })),
  },
  { title: 'LoginRefused' },
)
