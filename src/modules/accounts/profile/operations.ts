import { Type } from 'typebox'
import { operation } from '#platform/http/operation.ts'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import { BusinessId, BusinessParams, Id, PageOf, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from '../schemas.ts'
import { alsoCheckPassword } from '../sign-in/passwords.ts'

const LIMITED = 'A session that is limited to one business (see `needsConfirmation` of `GET /v1/users/me`)'
const own = { access: 'guest', business: 'none' } as const
const account = { access: 'signed-in', business: 'none' } as const

export const getMe = operation({
  method: 'GET',
  url: '/me',
  config: own,
  schema: { operationId: 'getMe', tags: ['Accounts'], summary: 'Get my profile', response: { 200: shape.User } },
})

export const updateMe = operation({
  method: 'PUT',
  url: '/update',
  config: { ...own, keys: 'unbound' },
  schema: {
    operationId: 'updateMe',
    tags: ['Accounts'],
    summary: 'Change my profile',
    description:
      'Changes what is sent. `apiTokens` is the whole list of keys: one that is left out is deleted, one sent with its mask is kept, one without a value is made by the service and shown this once. `POST /v1/users/keys` makes one alone.',
    body: shape.UpdateBody,
    response: { 200: shape.User },
  },
})

export const listKeys = operation({
  method: 'GET',
  url: '/keys',
  config: { ...account, keys: 'refused', takesLimitedSessions: true },
  schema: {
    operationId: 'listKeys',
    tags: ['Accounts'],
    summary: 'List my API keys',
    description: `Oldest first, including expired keys. ${LIMITED} lists only keys that are bound to that business.`,
    response: { 200: Type.Object({ items: Type.Array(shape.ApiKey) }) },
  },
})

export const createKey = operation({
  method: 'POST',
  url: '/keys',
  config: { ...account, keys: 'refused', takesLimitedSessions: true, fails: [409] },
  schema: {
    operationId: 'createKey',
    tags: ['Accounts'],
    summary: 'Make an API key',
    description: `Returns the full \`value\`, which cannot be retrieved again. The key has the current permissions of its user, limited to \`permissions\` and \`businessId\`. A key with \`permissions\` cannot read or change the account beyond \`GET /v1/users/me\`. ${LIMITED} creates only keys that are bound to that business.`,
    body: shape.NewKeyBody,
    response: { 201: shape.ApiKey },
  },
})

export const deleteKey = operation({
  method: 'DELETE',
  url: '/keys/:id',
  config: { ...account, keys: 'refused', takesLimitedSessions: true, fails: [404] },
  schema: {
    operationId: 'deleteKey',
    tags: ['Accounts'],
    summary: 'Delete an API key',
    description: `The key stops working immediately. ${LIMITED} deletes only keys that are bound to that business.`,
    params: Type.Object({ id: Id }),
    response: { 200: Success },
  },
})

export const revokeKey = operation({
  method: 'POST',
  url: '/keys/revoke',
  config: { access: 'public', business: 'none' },
  schema: {
    operationId: 'revokeKey',
    tags: ['Accounts'],
    summary: 'Revoke an API key that has leaked',
    description:
      'For anybody who has found one. From this answer on the key opens nothing, and its owner gets a mail. A text that never was a key is answered alike.',
    body: shape.RevokeKeyBody,
    response: { 200: Success },
  },
})

export const updateMyBusinessConfig = operation({
  method: 'PUT',
  url: '/me/businesses/:businessId',
  config: { access: 'signed-in', business: 'path' },
  schema: {
    operationId: 'updateMyBusinessConfig',
    tags: ['Accounts'],
    summary: 'Save my settings for a business',
    params: Type.Object({ businessId: BusinessId }),
    body: shape.ConfigBody,
    response: { 200: shape.User },
  },
})

export const claimOrder = operation({
  method: 'POST',
  url: '/claim',
  config: { ...account, keys: 'unbound' },
  schema: {
    operationId: 'claimOrder',
    tags: ['Accounts'],
    summary: 'Keep an order that a business made for me',
    description:
      'With the token from the mail about it, which went to the address that the business wrote. The account must have ' +
      'confirmed that address. The business is told nothing.',
    body: shape.ClaimBody,
    response: { 200: Success },
  },
})

export const exportMe = operation({
  method: 'GET',
  url: '/me/export',
  config: { ...account, keys: 'unbound' },
  schema: {
    operationId: 'exportMe',
    tags: ['Accounts'],
    summary: 'Export my data',
    response: {
      200: Type.Unsafe<unknown>({
        'x-response-description': 'The data of the account.',
        type: 'object',
        additionalProperties: true,
        examples: [{ user: { id: 'usr_01jcq3v7k8f5t9x2m4n6p8r0sw' } }],
      }),
    },
  },
})

export const requestExport = operation({
  method: 'POST',
  url: '/me/export',
  config: { ...account, keys: 'refused' },
  schema: {
    operationId: 'requestExport',
    tags: ['Accounts'],
    summary: 'Have everything of mine made into a file',
    description:
      'Account, orders with their shipments and entries, and subscriptions, of all businesses. A worker makes it; while one is being made, asking again returns that one. Five a day.',
    response: { 202: shape.WholeExport },
  },
})

export const listExports = operation({
  method: 'GET',
  url: '/me/exports',
  config: { ...account, keys: 'refused' },
  schema: {
    operationId: 'listExports',
    tags: ['Accounts'],
    summary: 'List my exports',
    description: 'The newest first. They go a day after they were made.',
    response: { 200: Type.Object({ items: Type.Array(shape.WholeExport) }) },
  },
})

export const getExport = operation({
  method: 'GET',
  url: '/me/exports/:id',
  config: { ...account, keys: 'refused' },
  schema: {
    operationId: 'getExport',
    tags: ['Accounts'],
    summary: 'Get one of my exports',
    params: shape.ExportParams,
    response: { 200: shape.WholeExport },
  },
})

export const fetchExport = operation({
  method: 'GET',
  url: '/me/exports/:id/file',
  config: { ...account, keys: 'refused', fails: [409], downloads: ['application/json'] },
  schema: {
    operationId: 'fetchExport',
    tags: ['Accounts'],
    summary: 'Fetch the file of an export',
    description:
      'One JSON document, for a day after it was made: `madeAt`, `account` (what `GET /v1/users/me/export` returns) and `businesses`, each with `id`, `name`, `subscriptions` and `orders`. While it is being made: 409 `WRONG_STATE`.',
    params: shape.ExportParams,
  },
})

export const eraseMe = operation({
  method: 'DELETE',
  url: '/me',
  config: { ...account, keys: 'refused', fails: [409] },
  schema: {
    operationId: 'eraseMe',
    tags: ['Accounts'],
    summary: 'Delete my account',
    description:
      'Deletes it at once and for good. Jobs then take the person out of what businesses keep: subscriptions end, and orders that have ended name nobody any more. The last ADMIN of a business must hand it over first (409).',
    response: { 200: Success },
  },
})

export const requestPhoneCode = operation({
  method: 'POST',
  url: '/phone-number',
  config: { ...own, keys: 'unbound' },
  schema: {
    operationId: 'requestPhoneCode',
    tags: ['Accounts'],
    summary: 'Send a code to a phone number',
    body: shape.PhoneBody,
    response: { 200: Success },
  },
})

export const confirmPhone = operation({
  method: 'POST',
  url: '/phone-number/confirm',
  config: { ...own, keys: 'unbound' },
  schema: {
    operationId: 'confirmPhone',
    tags: ['Accounts'],
    summary: 'Confirm a phone number',
    description:
      'Takes the code from the SMS. A guest who verified the number earlier is merged into the caller. If another account has the number, it returns 409 `PHONE_IN_USE`.',
    body: shape.PhoneConfirmBody,
    response: { 200: Success },
  },
})

export const changePassword = operation({
  method: 'POST',
  url: '/reset-password',
  config: { ...account, keys: 'refused', shares: 'passwords', alsoCheck: alsoCheckPassword('newPassword') },
  schema: {
    operationId: 'changePassword',
    tags: ['Accounts'],
    summary: 'Change my password',
    description: 'All other sessions end at once.',
    body: shape.ChangePasswordBody,
    response: { 200: Success },
  },
})

export const listSessions = operation({
  method: 'GET',
  url: '/sessions',
  config: { ...account, keys: 'unbound' },
  schema: {
    operationId: 'listSessions',
    tags: ['Accounts'],
    summary: 'List my sessions',
    response: { 200: Type.Object({ items: Type.Array(shape.Session) }) },
  },
})

export const endSessions = operation({
  method: 'DELETE',
  url: '/sessions',
  config: { ...account, keys: 'refused', fails: [404] },
  schema: {
    operationId: 'endSessions',
    tags: ['Accounts'],
    summary: 'End other sessions',
    description: 'Ends one session (`id`), or all but this one.',
    querystring: Type.Object({ id: Type.Optional(Id) }),
    response: { 200: Success },
  },
})

export const searchUsers = operation({
  method: 'GET',
  url: '/search',
  config: { access: 'ADMIN', business: 'query' },
  schema: {
    operationId: 'searchUsers',
    tags: ['Accounts'],
    summary: 'Search the members and customers of a business',
    querystring: shape.SearchQuery,
    response: { 200: PageOf(shape.User) },
  },
})

export const listColleagues = operation({
  method: 'GET',
  url: '/colleagues',
  config: { access: PERMISSIONS, business: 'path' },
  schema: {
    operationId: 'listColleagues',
    tags: ['Accounts'],
    summary: 'List the names of my colleagues',
    description:
      'Everybody who has a role in the business, by name only, for everybody who has one; 1,000 at most. Whoever was only offered a role is not among them.',
    params: BusinessParams,
    response: { 200: shape.Colleagues },
  },
})

export const listMembers = operation({
  method: 'GET',
  url: '/members',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'listMembers',
    tags: ['Roles'],
    summary: 'List members',
    description:
      'Everybody who has a role in the business, by name. Whoever was only invited is in the list of invitations.',
    params: BusinessParams,
    querystring: shape.MemberQuery,
    response: { 200: PageOf(shape.Member) },
  },
})

export const setMemberRoles = operation({
  method: 'PUT',
  url: '/members/:id',
  config: { access: 'ADMIN', business: 'path' },
  schema: {
    operationId: 'setMemberRoles',
    tags: ['Roles'],
    summary: 'Set the roles of a member',
    description:
      'The member has these roles afterwards, and no others; without any they are a member no more. ADMIN has to be accepted: it is offered by mail, and until then nothing is taken. The last ADMIN stays (409).',
    params: RecordParams,
    body: shape.MemberRoles,
    response: { 200: Success },
  },
})

export const setRole = operation({
  method: 'PUT',
  url: '/set-role',
  config: { access: 'ADMIN', business: 'body' },
  schema: {
    operationId: 'setRole',
    tags: ['Accounts'],
    summary: 'Give a user a role',
    description:
      'Adds the role to the user in that business; repeating it changes nothing. A user who has neither joined the business nor bought anything there gets a mail, and has the role after accepting it. So does a user who is to become ADMIN. `roleId: null` removes the user’s roles and open invitations there.',
    body: shape.SetRoleBody,
    response: { 200: Success },
  },
})
