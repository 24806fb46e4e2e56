import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'

export type Outbound = { isOpen: boolean; stored: string | null }

/**
 * Whether this database may send newsletters. A copy restored elsewhere, under another DEPLOYMENT_ID, would send
 * everything in progress a second time. Without a DEPLOYMENT_ID nothing is compared; the first one is stored.
 */
export async function readOutbound(db: Db, deploymentId: string | undefined): Promise<Outbound> {
  if (deploymentId === undefined) return { isOpen: true, stored: await findStored(db) }
  await sql`insert into newsletter.outbound (deployment_id) values (${deploymentId}) on conflict do nothing`.execute(db)
  const stored = await findStored(db)
  return { isOpen: stored === deploymentId, stored }
}

async function findStored(db: Db): Promise<string | null> {
  const row = await db.selectFrom('newsletter.outbound').select('deploymentId').executeTakeFirst()
  return row?.deploymentId ?? null
}

/** Called by an operator: from now on this deployment sends. */
export const enableOutbound = (db: Db, deploymentId: string) =>
  sql`
    insert into newsletter.outbound (deployment_id) values (${deploymentId})
    on conflict (single) do update set deployment_id = excluded.deployment_id`.execute(db)
