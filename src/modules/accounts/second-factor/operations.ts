import { operation } from '#platform/http/operation.ts'
import { Success } from '#vocabulary/schemas.ts'
import { AuthResult } from '../schemas.ts'
import * as shape from './schemas.ts'

const own = { access: 'signed-in', business: 'none', keys: 'refused' } as const
const FRESH =
  'Needs a proof of at most 10 minutes ago (403 `REAUTHENTICATION_REQUIRED`): a login, or `POST /v1/users/reauthenticate`.'

export const loginWithSecondFactor = operation({
  method: 'POST',
  url: '/login/second-factor',
  config: { access: 'public', business: 'none', fails: [403] },
  schema: {
    operationId: 'loginWithSecondFactor',
    tags: ['Sign in'],
    summary: 'Finish a login with the second factor',
    description:
      'With the `challenge` of the login’s 403 and one of `code`, `recoveryCode` and `passkey`. Only now does the session begin, and is the guest merged. A challenge that has run out, was used or is unknown returns 422 `CHALLENGE_INVALID`; after 5 tries it is 429. Codes are limited for each account, apart from passwords.',
    body: shape.LoginFactorBody,
    response: { 200: AuthResult },
  },
})

export const reauthenticate = operation({
  method: 'POST',
  url: '/reauthenticate',
  config: { ...own, takesLimitedSessions: true, shares: 'passwords' },
  schema: {
    operationId: 'reauthenticate',
    tags: ['Second factor'],
    summary: 'Prove once more that it is me',
    description:
      'Confirms this session for 10 minutes with one of `password`, `code`, and `passkey`. Users with a second factor or a passkey cannot use their password (403 `SECOND_FACTOR_REQUIRED`). Users without a password log in with the identity provider again. Also lifts the limit of a session that was started by the sign-in provider of a business; logging in with that provider again does not.',
    body: shape.ReauthenticateBody,
    response: { 200: Success },
  },
})

export const getSecondFactor = operation({
  method: 'GET',
  url: '/second-factor',
  config: { ...own, takesLimitedSessions: true },
  schema: {
    operationId: 'getSecondFactor',
    tags: ['Second factor'],
    summary: 'See whether I have a second factor',
    response: { 200: shape.SecondFactor },
  },
})

export const beginSecondFactor = operation({
  method: 'POST',
  url: '/second-factor',
  config: { ...own, fails: [409] },
  schema: {
    operationId: 'beginSecondFactor',
    tags: ['Second factor'],
    summary: 'Begin to set up a second factor',
    description: `A secret for an authenticator app. It counts once a code of it is confirmed. ${FRESH}`,
    response: { 200: shape.NewFactor },
  },
})

export const confirmSecondFactor = operation({
  method: 'POST',
  url: '/second-factor/confirm',
  config: own,
  schema: {
    operationId: 'confirmSecondFactor',
    tags: ['Second factor'],
    summary: 'Turn the second factor on',
    description: `With a code of the app. From now on logins ask for one. All other sessions end. ${FRESH}`,
    body: shape.ConfirmFactorBody,
    response: { 200: shape.RecoveryCodes },
  },
})

export const renewRecoveryCodes = operation({
  method: 'POST',
  url: '/second-factor/recovery-codes',
  config: { ...own, fails: [409] },
  schema: {
    operationId: 'renewRecoveryCodes',
    tags: ['Second factor'],
    summary: 'Get new recovery codes',
    description: `Those before no longer work. ${FRESH}`,
    response: { 200: shape.RecoveryCodes },
  },
})

export const removeSecondFactor = operation({
  method: 'DELETE',
  url: '/second-factor',
  config: { ...own, fails: [409] },
  schema: {
    operationId: 'removeSecondFactor',
    tags: ['Second factor'],
    summary: 'Turn the second factor off',
    description: `All other sessions end. ${FRESH}`,
    response: { 200: Success },
  },
})
