import { Type } from 'typebox'
import { operation } from '#platform/http/operation.ts'
import { Success } from '#vocabulary/schemas.ts'
import * as shape from '../schemas.ts'
import { LoginRefused } from '../second-factor/schemas.ts'
import { alsoCheckPassword } from './passwords.ts'

const open = { access: 'public', business: 'none' } as const

export const listSigningKeys = operation({
  method: 'GET',
  url: '/.well-known/jwks.json',
  config: { access: 'public', business: 'none' },
  schema: {
    operationId: 'listSigningKeys',
    tags: ['Accounts'],
    summary: 'Get the public keys of access tokens',
    response: {
      200: Type.Object(
        { keys: Type.Array(shape.SigningKey) },
        { 'x-response-description': 'The public keys as a JSON Web Key Set.' },
      ),
    },
  },
})

export const register = operation({
  method: 'POST',
  url: '/register',
  config: { ...open, shares: 'passwords', alsoCheck: alsoCheckPassword('password') },
  schema: {
    operationId: 'register',
    tags: ['Sign in'],
    summary: 'Register with email and password',
    description:
      'Sends a mail with a link. The account can log in once that link was followed. With a guest’s token in the header, the guest is merged into the account.',
    body: shape.RegisterBody,
    response: { 200: Success },
  },
})

export const confirmEmail = operation({
  method: 'PUT',
  url: '/confirm',
  config: open,
  schema: {
    operationId: 'confirmEmail',
    tags: ['Sign in'],
    summary: 'Confirm an email address',
    body: shape.ConfirmBody,
    response: { 200: Success },
  },
})

export const resendConfirmation = operation({
  method: 'POST',
  url: '/resend-confirmation',
  config: open,
  schema: {
    operationId: 'resendConfirmation',
    tags: ['Sign in'],
    summary: 'Send the confirmation mail again',
    description: 'Always succeeds, so that nobody learns who has an account.',
    body: shape.MailBody,
    response: { 200: Success },
  },
})

export const login = operation({
  method: 'POST',
  url: '/login',
  config: { ...open, isBadRequest: ({ provider }) => provider === 'EMAIL', shares: 'passwords', fails: [403] },
  schema: {
    operationId: 'login',
    tags: ['Sign in'],
    summary: 'Log in',
    description:
      '`EMAIL`: email, password. `OAUTH_IDP`: code, originUrl. `GUEST`: phoneNumber (optional); each guest login creates a new guest. `PASSKEY`: passkey; it is both factors. With a guest’s token in the header, the guest is merged into the account. Whoever has a second factor gets no tokens from `EMAIL` and `OAUTH_IDP`, but 403 `SECOND_FACTOR_REQUIRED` with a `challenge` for `POST /v1/users/login/second-factor`.',
    body: shape.LoginBody,
    response: { 200: shape.AuthResult, 403: LoginRefused },
  },
})

export const getLoginUrl = operation({
  method: 'GET',
  url: '/login/url',
  config: open,
  schema: {
    operationId: 'getLoginUrl',
    tags: ['Sign in'],
    summary: 'Get the address of the login page',
    description:
      'The identity provider’s address. The browser comes back to `redirectUrl` with a `code` for `POST /v1/users/login`, and the `state`.',
    querystring: shape.LoginUrlQuery,
    response: {
      200: Type.Object(
        {
          url: Type.String({ examples: ['https://idp.example.com/authorize?…'] }),
          state: Type.String({ examples: ['x'] }),
        },
        { 'x-response-description': 'The URL of the sign-in page and its state.' },
      ),
    },
  },
})

export const loginCallback = operation({
  method: 'GET',
  url: '/login/callback',
  config: { ...open, takesAnyParameter: true },
  schema: {
    operationId: 'loginCallback',
    tags: ['Sign in'],
    summary: 'Receive the browser from the identity provider',
    description: 'Redirects to the `redirectUrl` of the login, with `code` or `error`. Not for clients.',
    querystring: shape.CallbackQuery,
    response: { 302: Type.Null({ 'x-response-description': 'To `redirectUrl`.' }) },
  },
})

export const refresh = operation({
  method: 'POST',
  url: '/refresh',
  config: { ...open, fails: [401] },
  schema: {
    operationId: 'refresh',
    tags: ['Sign in'],
    summary: 'Get a new access token',
    description:
      'Returns a new refresh token each time. The previous one works for 30 more seconds and returns the same successor. Using an older one ends the session.',
    body: shape.RefreshBody,
    response: { 200: shape.AuthResult },
  },
})

export const logout = operation({
  method: 'POST',
  url: '/logout',
  config: { ...open, fails: [401] },
  schema: {
    operationId: 'logout',
    tags: ['Sign in'],
    summary: 'Log out',
    description: 'Ends the session behind the token; for OAUTH_IDP also revokes it at the identity provider.',
    body: shape.LogoutBody,
    response: { 200: Success },
  },
})

export const forgotPassword = operation({
  method: 'POST',
  url: '/forgot-password',
  config: open,
  schema: {
    operationId: 'forgotPassword',
    tags: ['Sign in'],
    summary: 'Send a link to choose a new password',
    description: 'Always succeeds, so that nobody learns who has an account.',
    body: shape.MailBody,
    response: { 200: Success },
  },
})

export const resetForgotPassword = operation({
  method: 'POST',
  url: '/reset-forgot-password',
  config: { ...open, shares: 'passwords', alsoCheck: alsoCheckPassword('password') },
  schema: {
    operationId: 'resetForgotPassword',
    tags: ['Sign in'],
    summary: 'Choose a new password with a mailed token',
    body: shape.ResetBody,
    response: { 200: Success },
  },
})
