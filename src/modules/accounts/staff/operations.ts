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
      'The OpenID provider with which staff of this business sign in. Changes what is sent and keeps the rest; the first time `issuer`, `clientId`, `clientSecret` and `domains` are needed. The issuer is asked whether it is one: 422 if it does not answer.',
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
    description: 'Roles that it gave stay with their people; nothing takes them any more but you.',
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
      'Answers the domain: PROVEN once its text record was found. Name servers may take a while to tell of it.',
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
