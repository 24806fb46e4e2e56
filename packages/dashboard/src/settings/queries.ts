import type { Answer, Query } from '@kontor/sdk'
import { pages, query } from '../api/query.ts'
import { nextDay, startOfDay } from '../i18n/days.ts'
import { ACTIONS } from './audit/actions.ts'
import type { AuditSearch, TeamSearch } from './routes.ts'

export type Role = Answer<'getRole'>
export type Member = Answer<'listMembers'>['items'][number]
export type Invitation = Answer<'listInvitations'>['items'][number]
export type AuditEntry = Answer<'listAudit'>['items'][number]

/** A business has a handful of roles, rarely more than a screen. */
export const rolesQuery = (businessId: string) => query(businessId, 'listRoles', { query: { limit: 100 } })
export const roleQuery = (businessId: string, id: string) => query(businessId, 'getRole', { path: { id } })
export const providerQuery = (businessId: string) => query(businessId, 'getSignInProvider')
export const countsQuery = (businessId: string) => query(businessId, 'countRoles')

export function membersQuery(businessId: string, { query: words, role }: TeamSearch) {
  const asked: Query<'listMembers'> = { limit: 100, ...(words && { query: words }), ...(role && { roleId: role }) }
  return pages(businessId, 'listMembers', { query: asked })
}

export const invitationsQuery = (businessId: string, status: 'PENDING' | 'EXPIRED') =>
  pages(businessId, 'listInvitations', { query: { limit: 100, status } })

export function auditQuery({ id, timeZone }: { id: string; timeZone: string }, search: AuditSearch) {
  const { person, kind, from, to } = search
  const actions = ACTIONS[kind as keyof typeof ACTIONS] as readonly string[] | undefined
  const asked: Query<'listAudit'> = {
    limit: 50,
    ...(person && { actorId: person }),
    ...(actions && { action: [...actions] }),
    ...(from && { from: startOfDay(from, timeZone) }),
    ...(to && { to: startOfDay(nextDay(to), timeZone) }),
  }
  return pages(id, 'listAudit', { query: asked })
}
