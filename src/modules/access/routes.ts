import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { countFitting, isFitting } from '#platform/database/page-bytes.ts'
import { transaction } from '#platform/database/transaction.ts'
import { etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { invalid } from '#vocabulary/errors.ts'
import { toPage } from '#vocabulary/paging.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams, Success } from '#vocabulary/schemas.ts'
import { listAudit } from './audit.ts'
import { createBusiness } from './create-business.ts'
import { signupClosed } from './errors.ts'
import {
  acceptInvitation,
  createInvitation,
  declineInvitation,
  listOwnInvitations,
  revokeInvitation,
} from './invitations.ts'
import { presentBusiness, presentInvitation, presentOwnInvitation, presentRole } from './present.ts'
import { getRole, listBusinessesOf, listInvitations, listRoles } from './queries.ts'
import { createRole, deleteRole, updateRole } from './roles.ts'
import * as shape from './schemas.ts'
import { updateBusiness } from './update-business.ts'

export type AccessOptions = {
  control: ControlDb
  /** Cells that can take a new business at the moment. */
  findOpenCells: () => Promise<string[]>
  signup: 'open' | 'closed'
  /** Sees to it that the invitation is mailed; part of the transaction that makes it. 429 when there were enough today. */
  mailInvitation: (tx: ControlTx, invitation: { businessId: string; id: string; email: string }) => Promise<void>
  /** 429 when this user has created enough businesses today; part of the transaction that makes the next one. */
  countBusiness: (tx: ControlTx, userId: string) => Promise<void>
}

export const accessRoutes: FastifyPluginAsyncTypebox<AccessOptions> = async (app, options) => {
  const { control, findOpenCells, signup, countBusiness } = options
  app.post(
    '/v1/businesses',
    {
      config: { access: 'signed-in', business: 'none', idempotent: true, keys: 'unbound' },
      schema: {
        operationId: 'createBusiness',
        tags: ['Businesses'],
        summary: 'Create a business',
        description: 'The caller becomes its ADMIN. Where the operator has closed sign-up this answers 403.',
        body: shape.NewBusiness,
        response: { 201: shape.Business },
      },
    },
    async (request, reply) => {
      if (signup === 'closed') throw signupClosed()
      const { actor, body } = request
      const cells = await findOpenCells()
      return createOnce(request, reply, control, async (tx) => {
        await countBusiness(tx, actor.userId)
        return presentBusiness(await createBusiness(tx, { ownerId: actor.userId, actor, cells }, body), true)
      })
    },
  )

  app.get(
    '/v1/businesses',
    {
      config: { access: 'signed-in', business: 'none' },
      schema: {
        operationId: 'listBusinesses',
        tags: ['Businesses'],
        summary: 'List my businesses',
        description: 'Those in which the caller has a role.',
        querystring: PageOnly,
        response: { 200: PageOf(shape.Business) },
      },
    },
    async ({ actor, query }) => {
      const { rows, filters } = await listBusinessesOf(control, actor, query)
      const shown = countFitting(rows, query.limit ?? 20, isFitting)
      return toPage(rows, shown, filters, (row) => [row.id], (row) => presentBusiness(row, true)) // biome-ignore format: one line
    },
  )

  await app.register(businessRoutes, { ...options, prefix: '/v1/businesses/:businessId' })

  app.post(
    '/v1/users/invitations/accept',
    {
      config: { access: 'signed-in', business: 'none', keys: 'unbound' },
      schema: {
        operationId: 'acceptInvitation',
        tags: ['Invitations'],
        summary: 'Accept an invitation',
        description:
          'By its `token`, or its `id`. The caller must be the invited user, or have the invited email address.',
        body: shape.AcceptInvitation,
        response: { 200: Success },
      },
    },
    async ({ actor, body: { token, id } }) => {
      if (token === undefined && id === undefined)
        throw invalid('token', 'REQUIRED', 'Send the token of the invitation, or its id.')
      const accepted = token === undefined ? { id: id ?? '' } : { token }
      await transaction(control, (tx) => acceptInvitation(tx, actor, accepted))
      return { success: true } as const
    },
  )

  app.get(
    '/v1/users/invitations',
    {
      config: { access: 'signed-in', business: 'none', keys: 'unbound' },
      schema: {
        operationId: 'listMyInvitations',
        tags: ['Invitations'],
        summary: 'What waits for me to accept',
        description:
          'Invitations to my email address, and roles that I was given in businesses that I have not joined.',
        querystring: PageOnly,
        response: { 200: PageOf(shape.OwnInvitation) },
      },
    },
    async ({ actor, query }) => {
      const { rows, filters } = await listOwnInvitations(control, actor, query)
      return toPage(rows, query.limit ?? 20, filters, (row) => [row.id], presentOwnInvitation)
    },
  )

  app.delete(
    '/v1/users/invitations/:id',
    {
      config: { access: 'signed-in', business: 'none', keys: 'unbound', fails: [404] },
      schema: {
        operationId: 'declineInvitation',
        tags: ['Invitations'],
        summary: 'Decline an invitation',
        params: shape.OwnInvitationParams,
        response: { 200: Success },
      },
    },
    async ({ actor, params }) => {
      await transaction(control, (tx) => declineInvitation(tx, actor, params.id))
      return { success: true } as const
    },
  )
}

const businessRoutes: FastifyPluginAsyncTypebox<AccessOptions> = async (app, { control, mailInvitation }) => {
  app.get(
    '',
    {
      config: { access: 'guest', business: 'path', versioned: true },
      schema: {
        operationId: 'getBusiness',
        tags: ['Businesses'],
        summary: 'Get a business',
        description: 'Guests and users without a role see what a storefront needs: name, locales, markets.',
        params: BusinessParams,
        response: { 200: shape.Business },
      },
    },
    (request, reply) => {
      const { business, permissions } = request
      const isMember = permissions.length > 0
      // Two views, two tags: whoever logs in must not be told that nothing has changed.
      const etag = etagOf(isMember ? business.version : `${business.version}.storefront`)
      return sendVersioned(request, reply, etag, presentBusiness(business, isMember))
    },
  )

  app.put(
    '',
    {
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
    },
    async (request, reply) => {
      const { actor, params, body } = request
      const context = { businessId: params.businessId, actor, expected: expectedOf(request) }
      const business = await transaction(control, (tx) => updateBusiness(tx, context, body))
      return sendVersioned(request, reply, etagOf(business.version), presentBusiness(business, true))
    },
  )

  app.post(
    '/roles',
    {
      config: { access: 'SETTINGS_WRITE', business: 'path', idempotent: true },
      schema: {
        operationId: 'createRole',
        tags: ['Roles'],
        summary: 'Create a role',
        description: 'Nobody can give a permission that they lack.',
        params: BusinessParams,
        body: shape.NewRole,
        response: { 201: shape.Role },
      },
    },
    (request, reply) => {
      const { actor, params, body } = request
      const granter = { businessId: params.businessId, actor }
      return createOnce(request, reply, control, async (tx) => presentRole(await createRole(tx, granter, body)))
    },
  )

  app.get(
    '/roles',
    {
      config: { access: 'SETTINGS_WRITE', business: 'path' },
      schema: {
        operationId: 'listRoles',
        tags: ['Roles'],
        summary: 'List roles',
        params: BusinessParams,
        querystring: PageOnly,
        response: { 200: PageOf(shape.Role) },
      },
    },
    async ({ params, query }) => {
      const { rows, filters } = await listRoles(control, params.businessId, query)
      return toPage(rows, query.limit ?? 20, filters, (row) => [row.id], presentRole)
    },
  )

  app.get(
    '/roles/:id',
    {
      config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'getRole',
        tags: ['Roles'],
        summary: 'Get a role',
        params: RecordParams,
        response: { 200: shape.Role },
      },
    },
    async (request, reply) => {
      const role = await getRole(control, request.params.businessId, request.params.id)
      return sendVersioned(request, reply, etagOf(role.version), presentRole(role))
    },
  )

  app.put(
    '/roles/:id',
    {
      config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'updateRole',
        tags: ['Roles'],
        summary: 'Change a role',
        description:
          'Takes effect at once for everybody who has it. The last ADMIN of a business stays. A role that others have cannot become ADMIN (409): nobody is made that without agreeing.',
        params: RecordParams,
        body: shape.RoleChanges,
        response: { 200: shape.Role },
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request
      const granter = { businessId: params.businessId, actor }
      const role = await transaction(control, (tx) => updateRole(tx, granter, params.id, expectedOf(request), body))
      return sendVersioned(request, reply, etagOf(role.version), presentRole(role))
    },
  )

  app.delete(
    '/roles/:id',
    {
      config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true, fails: [409] },
      schema: {
        operationId: 'deleteRole',
        tags: ['Roles'],
        summary: 'Delete a role',
        description: 'Only when nobody has it any more.',
        params: RecordParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { actor, params } = request
      const granter = { businessId: params.businessId, actor }
      await transaction(control, (tx) => deleteRole(tx, granter, params.id, expectedOf(request)))
      return { success: true } as const
    },
  )

  app.post(
    '/invitations',
    {
      config: { access: 'SETTINGS_WRITE', business: 'path', idempotent: true },
      schema: {
        operationId: 'createInvitation',
        tags: ['Invitations'],
        summary: 'Invite somebody',
        description:
          'They become a member with that role when they accept it with an account of this email address. An open invitation to the same address is replaced.',
        params: BusinessParams,
        body: shape.NewInvitation,
        response: { 201: shape.Invitation },
      },
    },
    (request, reply) => {
      const { actor, params, body } = request
      const granter = { businessId: params.businessId, actor }
      return createOnce(request, reply, control, async (tx) => {
        const invitation = await createInvitation(tx, granter, body)
        await mailInvitation(tx, { ...invitation, email: body.email })
        return presentInvitation(invitation)
      })
    },
  )

  app.get(
    '/invitations',
    {
      config: { access: 'SETTINGS_WRITE', business: 'path' },
      schema: {
        operationId: 'listInvitations',
        tags: ['Invitations'],
        summary: 'List invitations',
        params: BusinessParams,
        querystring: PageOnly,
        response: { 200: PageOf(shape.Invitation) },
      },
    },
    async ({ params, query }) => {
      const { rows, filters } = await listInvitations(control, params.businessId, query)
      return toPage(rows, query.limit ?? 20, filters, (row) => [row.id], presentInvitation)
    },
  )

  app.delete(
    '/invitations/:id',
    {
      config: { access: 'SETTINGS_WRITE', business: 'path' },
      schema: {
        operationId: 'revokeInvitation',
        tags: ['Invitations'],
        summary: 'Take an invitation back',
        params: RecordParams,
        response: { 200: Success },
      },
    },
    async ({ actor, params }) => {
      const granter = { businessId: params.businessId, actor }
      await transaction(control, (tx) => revokeInvitation(tx, granter, params.id))
      return { success: true } as const
    },
  )

  app.get(
    '/audit',
    {
      config: { access: 'ADMIN', business: 'path' },
      schema: {
        operationId: 'listAudit',
        tags: ['Events'],
        summary: 'List the audit log',
        description: 'Changes to the business, its roles and its members, newest first.',
        params: BusinessParams,
        querystring: PageOnly,
        response: { 200: PageOf(shape.AuditEntry) },
      },
    },
    ({ params, query }) => listAudit(control, params.businessId, query),
  )
}
