import { Type } from 'typebox'
import { operation } from '#platform/http/operation.ts'
import { BusinessParams, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

const admin = { access: 'ADMIN', business: 'path', keys: 'refused' } as const
const tags = ['Staff sign-in']

export const getSignInProvider = operation({
  method: 'GET',
  url: '/sign-in-provider',
  config: { ...admin, fails: [404] },
  schema: {
    operationId: 'getSignInProvider',
    tags,
    summary: 'Get the sign-in provider',
    params: BusinessParams,
    response: { 200: shape.SignInProvider },
  },
})

export const saveSignInProvider = operation({
  method: 'PUT',
  url: '/sign-in-provider',
  config: admin,
  schema: {
    operationId: 'saveSignInProvider',
    tags,
    summary: 'Set or change the sign-in provider',
    description:
      'Configures the OpenID provider with which staff of this business sign in. Fields that are not sent remain unchanged; the first request requires `issuer`, `clientId`, `clientSecret`, and `domains`. Returns 422 if the issuer does not respond as an OpenID provider. Changing the issuer or removing a domain ends the sessions that depend on it.',
    params: BusinessParams,
    body: shape.ProviderChanges,
    response: { 200: shape.SignInProvider },
  },
})

export const removeSignInProvider = operation({
  method: 'DELETE',
  url: '/sign-in-provider',
  config: { ...admin, fails: [404] },
  schema: {
    operationId: 'removeSignInProvider',
    tags,
    summary: 'Remove the sign-in provider',
    description:
      'Ends the sessions of everyone who signed in with the provider. Members keep the roles that the provider gave them until you remove them.',
    params: BusinessParams,
    response: { 200: Success },
  },
})

export const checkSignInDomain = operation({
  method: 'POST',
  url: '/sign-in-provider/check-domain',
  config: admin,
  schema: {
    operationId: 'checkSignInDomain',
    tags,
    summary: 'Look for the text record of a domain',
    description:
      'Checks the TXT record of a domain and returns the domain, `PROVEN` once the record is found. New records may take a while to appear. For a proven domain, a failed check counts like a failed daily check: 7 days after the first one, the domain becomes `PENDING`.',
    params: BusinessParams,
    body: shape.CheckDomainBody,
    response: { 200: shape.SignInDomain },
  },
})

export const staffLoginCallback = operation({
  method: 'GET',
  url: '/v1/users/login/callback/:businessId',
  config: { access: 'public', business: 'path', takesAnyParameter: true, fails: [403] },
  schema: {
    operationId: 'staffLoginCallback',
    tags,
    summary: 'Receive the browser from the provider of a business',
    description: 'Redirects to the `redirectUrl` of the login, with `code` or `error`. Not for clients.',
    params: BusinessParams,
    response: { 302: Type.Null({ 'x-response-description': 'To `redirectUrl`.' }) },
  },
})
