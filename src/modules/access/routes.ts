import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger } from 'fastify'
import type { Control, ControlTx } from '#platform/database/database.ts'
import { countFitting, isFitting } from '#platform/database/page-bytes.ts'
import { transaction } from '#platform/database/transaction.ts'
import { etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { serializerOf } from '#platform/http/serialization.ts'
import { hasSecondFactor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { toPage } from '#vocabulary/paging.ts'
import { listAudit } from './audit.ts'
import { createBusiness } from './create-business.ts'
import { invitationRequired, signupClosed } from './errors.ts'
import {
  acceptInvitation,
  createInvitation,
  declineInvitation,
  listOwnInvitations,
  revokeInvitation,
} from './invitations.ts'
import { type Logos, withLogo } from './logo.ts'
import * as operation from './operations.ts'
import {
  presentBusiness,
  presentInvitation,
  presentOwnInvitation,
  presentRole,
  presentShutBusiness,
} from './present.ts'
import { countMembers, getRole, listBusinessesOf, listInvitations, listRoles, toBusiness } from './queries.ts'
import { createRole, deleteRole, updateRole } from './roles.ts'
import { Business as BusinessShape } from './schemas.ts'
import { updateBusiness } from './update-business.ts'

export type AccessOptions = {
  control: Control
  /** Cells that can take a new business now. */
  findOpenCells: () => Promise<string[]>
  signup: 'open' | 'closed'
  /** Enqueues the mail of the invitation in the same transaction. 429 when there were too many today. */
  mailInvitation: (tx: ControlTx, invitation: { businessId: string; id: string; email: string }) => Promise<void>
  findConfirmedEmail: (tx: ControlTx, userId: string) => Promise<string | null>
  /** Throws 429 when this user has created too many businesses today; in the transaction that creates the next. */
  countBusiness: (tx: ControlTx, userId: string) => Promise<void>
  logos: Logos
}

export const accessRoutes: FastifyPluginAsyncTypebox<AccessOptions> = async (app, options) => {
  const { control, findOpenCells, signup, findConfirmedEmail, countBusiness } = options
  handle(app, operation.createBusiness, async (request, reply) => {
    if (signup === 'closed') throw signupClosed()
    const { actor, body } = request
    const cells = await findOpenCells()
    return createOnce(request, reply, control, async (tx) => {
      await countBusiness(tx, actor.userId)
      const ownerEmail = await findConfirmedEmail(tx, actor.userId)
      return presentBusiness(await createBusiness(tx, { ownerId: actor.userId, ownerEmail, actor, cells }, body), true)
    })
  })

  handle(app, operation.listBusinesses, async ({ actor, query, log }) => {
    const { rows, filters } = await listBusinessesOf(control, actor, query)
    const shown = countFitting(rows, query.limit ?? 20, isFitting)
    const present = (row: Business) => {
      const isShut = row.requireSecondFactor && !hasSecondFactor(actor, row.id)
      return isShut ? presentShutBusiness(row) : presentBusiness(row, true)
    }
    const page = toPage(
      rows,
      shown,
      filters,
      (row) => [row.id],
      (row) => presentReadable(row, present, log),
    )
    return { ...page, items: page.items.filter((item) => item !== undefined) }
  })

  await app.register(businessRoutes, { ...options, prefix: '/v1/businesses/:businessId' })

  handle(app, operation.acceptInvitation, async ({ actor, body: { token, id } }) => {
    if (token === undefined && id === undefined) throw invitationRequired()
    const accepted = token === undefined ? { id: id ?? '' } : { token }
    await transaction(control, (tx) => acceptInvitation(tx, actor, accepted))
    return { success: true } as const
  })

  handle(app, operation.listMyInvitations, async ({ actor, query }) => {
    const { rows, filters } = await listOwnInvitations(control, actor, query)
    return toPage(rows, query.limit ?? 20, filters, (row) => [row.id], presentOwnInvitation)
  })

  handle(app, operation.declineInvitation, async ({ actor, params }) => {
    await transaction(control, (tx) => declineInvitation(tx, actor, params.id))
    return { success: true } as const
  })
}

const serialize = serializerOf(BusinessShape)

/** Omits a damaged business from the list, so its members can still use their other ones. */
function presentReadable<Item>(
  row: Business,
  present: (row: Business) => Item,
  log: Pick<FastifyBaseLogger, 'error'>,
): Item | undefined {
  try {
    const item = present(toBusiness(row))
    serialize(item)
    return item
  } catch (error) {
    log.error({ err: error, businessId: row.id }, 'unreadable business left out of a list')
    return undefined
  }
}

const businessRoutes: FastifyPluginAsyncTypebox<AccessOptions> = async (app, { control, mailInvitation, logos }) => {
  handle(app, operation.getBusiness, (request, reply) => {
    const { business, permissions } = request
    const isMember = permissions.length > 0
    // Two views, two tags: otherwise a caller who logs in would get 304 for the other view.
    const etag = etagOf(isMember ? business.version : `${business.version}.storefront`)
    return sendVersioned(request, reply, etag, presentBusiness(business, isMember))
  })

  handle(app, operation.updateBusiness, async (request, reply) => {
    const { actor, business, cell, body } = request
    const context = { businessId: business.id, actor, expected: expectedOf(request) }
    const after = await withLogo(logos, { cell, businessId: business.id, sent: body.logo }, (held) =>
      transaction(control, (tx) => updateBusiness(tx, context, body, held)),
    )
    return sendVersioned(request, reply, etagOf(after.version), presentBusiness(after, true))
  })

  handle(app, operation.createRole, (request, reply) => {
    const { actor, business, body } = request
    const granter = { businessId: business.id, actor }
    return createOnce(request, reply, control, async (tx) => presentRole(await createRole(tx, granter, body)))
  })

  handle(app, operation.listRoles, async ({ business, query }) => {
    const { rows, filters } = await listRoles(control, business.id, query)
    return toPage(rows, query.limit ?? 20, filters, (row) => [row.id], presentRole)
  })

  handle(app, operation.countRoles, async ({ business }) => ({ items: await countMembers(control, business.id) }))

  handle(app, operation.getRole, async (request, reply) => {
    const role = await getRole(control, request.business.id, request.params.id)
    return sendVersioned(request, reply, etagOf(role.version), presentRole(role))
  })

  handle(app, operation.updateRole, async (request, reply) => {
    const { actor, business, params, body } = request
    const granter = { businessId: business.id, actor }
    const role = await transaction(control, (tx) => updateRole(tx, granter, params.id, expectedOf(request), body))
    return sendVersioned(request, reply, etagOf(role.version), presentRole(role))
  })

  handle(app, operation.deleteRole, async (request) => {
    const { actor, business, params } = request
    const granter = { businessId: business.id, actor }
    await transaction(control, (tx) => deleteRole(tx, granter, params.id, expectedOf(request)))
    return { success: true } as const
  })

  handle(app, operation.createInvitation, (request, reply) => {
    const { actor, business, body } = request
    const granter = { businessId: business.id, actor }
    return createOnce(request, reply, control, async (tx) => {
      const invitation = await createInvitation(tx, granter, body)
      await mailInvitation(tx, { ...invitation, email: body.email })
      return presentInvitation(invitation)
    })
  })

  handle(app, operation.listInvitations, async ({ business, query }) => {
    const { rows, filters } = await listInvitations(control, business.id, query)
    return toPage(rows, query.limit ?? 20, filters, (row) => [row.id], presentInvitation)
  })

  handle(app, operation.revokeInvitation, async ({ actor, business, params }) => {
    const granter = { businessId: business.id, actor }
    await transaction(control, (tx) => revokeInvitation(tx, granter, params.id))
    return { success: true } as const
  })

  handle(app, operation.listAudit, ({ business, query }) => listAudit(control, business.id, query))
}
