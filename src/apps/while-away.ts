import { type createDirectory, findBusiness, findBusinessBySlug, findPermissions } from '#modules/access/index.ts'
import { type createAuthenticator, findSessionActor } from '#modules/accounts/index.ts'
import type { ControlAway } from '#platform/database/control-away.ts'
import { type Control, Database, type Databases, MAIN_CELL } from '#platform/database/database.ts'
import type { FollowedReplicas } from '#platform/database/replica.ts'
import type { WhileAway } from '#platform/http/access.ts'
import { withTimeout } from '#platform/with-timeout.ts'

const ASK_MS = 500

type Known = {
  away: ControlAway
  directory: Pick<ReturnType<typeof createDirectory>, 'known'>
  authenticator: Pick<ReturnType<typeof createAuthenticator>, 'known'>
  databases: Databases
  replicas: FollowedReplicas
}

/**
 * What reads go by while control is away: what this process knew when it went, else what the replica of control says, if that was near
 * then. What was changed in control in its last seconds may have reached neither.
 */
export function createWhileAway({ away, directory, authenticator, databases, replicas }: Known): WhileAway {
  const { known } = directory
  let replicaDb: Control | undefined

  /** The replica of `main`, which is that of control, too. */
  async function ask<Answer>(read: (db: Control) => Promise<Answer>): Promise<Answer | undefined> {
    const replica = replicas.all().get(MAIN_CELL)
    if (!replica?.isUsable()) return undefined
    const { pool } = replica
    if (replicaDb?.pool !== pool)
      replicaDb = new Database({ kind: 'control', name: 'control', pool, address: databases.control.address })
    const late = () => new Error('The replica of control does not answer')
    return withTimeout(ASK_MS, read(replicaDb), late).catch(() => undefined)
  }

  return {
    isTrusted: away.isTrusted,
    isAway: away.isAway,
    findCaller: (credential) =>
      authenticator.known(credential, (sessionId) => ask((db) => findSessionActor(db, sessionId))),
    findBusiness: (id) => known.findBusiness(id) ?? ask((db) => findBusiness(db, id)),
    findPublicBusiness: (idOrSlug) =>
      known.findPublicBusiness(idOrSlug) ??
      ask((db) => (idOrSlug.includes('_') ? findBusiness(db, idOrSlug) : findBusinessBySlug(db, idOrSlug))),
    permissionsOf: (actor, businessId) =>
      known.permissionsOf(actor, businessId) ?? ask((db) => findPermissions(db, businessId, actor.userId)),
  }
}

/** Whether anything can be read while control is away: from another cell, or from the replica of `main`. */
export const canRead = (databases: Databases, isUp: (cell: string) => boolean): boolean =>
  [...databases.cells].some(([name, { replica }]) => (name !== MAIN_CELL && isUp(name)) || replica !== undefined)
