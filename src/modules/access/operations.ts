import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const createBusiness = operation({
  method: 'POST',
  url: '/v1/businesses',
  config: { access: 'signed-in', business: 'none', idempotent: true, keys: 'unbound' },
  schema: {
    operationId: 'createBusiness',
    tags: ['Businesses'],
    summary: 'Create a business',
    description: 'The caller becomes its ADMIN. Returns 403 where the operator has closed sign-up.',
    body: shape.NewBusiness,
    response: { 201: shape.Business },
  },
})

export const listBusinesses = operation({
  method: 'GET',
  url: '/v1/businesses',
  config: { access: 'signed-in', business: 'none' },
  schema: {
    operationId: 'listBusinesses',
    tags: ['Businesses'],
    summary: 'List my businesses',
    description:
      'The businesses in which the caller has a role. A session that is limited to one business (see `needsConfirmation` of `GET /v1/users/me`) lists that business only.',
    querystring: PageOnly,
    response: { 200: PageOf(shape.Business) },
  },
})

export const acceptInvitation = operation({
  method: 'POST',
  url: '/v1/users/invitations/accept',
  config: { access: 'signed-in', business: 'none', keys: 'unbound' },
  schema: {
    operationId: 'acceptInvitation',
    tags: ['Invitations'],
    summary: 'Accept an invitation',
    description: 'By its `token`, or its `id`. The caller must be the invited user, or have the invited email address.',
    body: shape.AcceptInvitation,
    response: { 200: Success },
  },
})

export const listMyInvitations = operation({
  method: 'GET',
  url: '/v1/users/invitations',
  config: { access: 'signed-in', business: 'none', keys: 'unbound' },
  schema: {
    operationId: 'listMyInvitations',
    tags: ['Invitations'],
    summary: 'List my invitations',
    description: 'Invitations to my email address, and roles that I was given in businesses that I have not joined.',
    querystring: PageOnly,
    response: { 200: PageOf(shape.OwnInvitation) },
  },
})

export const declineInvitation = operation({
  method: 'DELETE',
  url: '/v1/users/invitations/:id',
  config: { access: 'signed-in', business: 'none', keys: 'unbound', fails: [404] },
  schema: {
    operationId: 'declineInvitation',
    tags: ['Invitations'],
    summary: 'Decline an invitation',
    params: shape.OwnInvitationParams,
    response: { 200: Success },
  },
})

export const getBusiness = operation({
  method: 'GET',
  url: '',
  config: { access: 'guest', business: 'path', keys: 'strangers', versioned: true },
  schema: {
    operationId: 'getBusiness',
    tags: ['Businesses'],
    summary: 'Get a business',
    description: 'Guests and users without a role see what a storefront needs: name, logo, locales, markets.',
    params: BusinessParams,
    response: { 200: shape.Business },
  },
})

export const updateBusiness = operation({
  method: 'PUT',
  url: '',
  config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updateBusiness',
    tags: ['Businesses'],
    summary: 'Change a business',
    description: 'Changes what is sent and keeps the rest; arrays are replaced whole.',
    params: BusinessParams,
    body: shape.BusinessChanges,
    response: { 200: shape.Business },
  },
})

export const createRole = operation({
  method: 'POST',
  url: '/roles',
  config: { access: 'SETTINGS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'createRole',
    tags: ['Roles'],
    summary: 'Create a role',
    description: 'You can give only permissions that you have.',
    params: BusinessParams,
    body: shape.NewRole,
    response: { 201: shape.Role },
  },
})

export const listRoles = operation({
  method: 'GET',
  url: '/roles',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'listRoles',
    tags: ['Roles'],
    summary: 'List roles',
    params: BusinessParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.Role) },
  },
})

export const countRoles = operation({
  method: 'GET',
  url: '/roles/counts',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'countRoles',
    tags: ['Roles'],
    summary: 'Count the members of roles',
    description: 'How many members have each role. Whoever was only offered one is not counted.',
    params: BusinessParams,
    response: { 200: shape.RoleCounts },
  },
})

export const getRole = operation({
  method: 'GET',
  url: '/roles/:id',
  config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'getRole',
    tags: ['Roles'],
    summary: 'Get a role',
    params: RecordParams,
    response: { 200: shape.Role },
  },
})

export const updateRole = operation({
  method: 'PUT',
  url: '/roles/:id',
  config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updateRole',
    tags: ['Roles'],
    summary: 'Change a role',
    description:
      'Takes effect at once for everybody who has it. The last ADMIN of a business stays. A role that others have cannot become ADMIN (409), because nobody becomes ADMIN without agreeing.',
    params: RecordParams,
    body: shape.RoleChanges,
    response: { 200: shape.Role },
  },
})

export const deleteRole = operation({
  method: 'DELETE',
  url: '/roles/:id',
  config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true, fails: [409] },
  schema: {
    operationId: 'deleteRole',
    tags: ['Roles'],
    summary: 'Delete a role',
    description: 'Possible only when no user has it any more.',
    params: RecordParams,
    response: { 200: Success },
  },
})

export const createInvitation = operation({
  method: 'POST',
  url: '/invitations',
  config: { access: 'SETTINGS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'createInvitation',
    tags: ['Invitations'],
    summary: 'Invite a person',
    description:
      'The person becomes a member with that role by accepting the invitation with an account of this email address. An open invitation to the same address is replaced.',
    params: BusinessParams,
    body: shape.NewInvitation,
    response: { 201: shape.Invitation },
  },
})

export const listInvitations = operation({
  method: 'GET',
  url: '/invitations',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'listInvitations',
    tags: ['Invitations'],
    summary: 'List invitations',
    params: BusinessParams,
    querystring: shape.InvitationQuery,
    response: { 200: PageOf(shape.Invitation) },
  },
})

export const revokeInvitation = operation({
  method: 'DELETE',
  url: '/invitations/:id',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'revokeInvitation',
    tags: ['Invitations'],
    summary: 'Revoke an invitation',
    params: RecordParams,
    response: { 200: Success },
  },
})

export const listAudit = operation({
  method: 'GET',
  url: '/audit',
  config: { access: 'ADMIN', business: 'path' },
  schema: {
    operationId: 'listAudit',
    tags: ['Events'],
    summary: 'List the audit log',
    description: 'Changes to the business, its roles and its members, newest first; by whom, of what kind, and when.',
    params: BusinessParams,
    querystring: shape.AuditQuery,
    response: { 200: PageOf(shape.AuditEntry) },
  },
})
