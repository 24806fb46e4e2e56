import { sql } from 'kysely'
import { Type } from 'typebox'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { wasApplied } from '#platform/database/migrate.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { isHere } from '#platform/moves/fence.ts'
import { hashesOfSecret } from './token.ts'

const BATCH = 1_000
/** By then no process of the previous release is left, which would mail links that cannot be verified any more. */
const AFTER_MS = 24 * 3_600_000

type Position = { businessId: string; id: string }

/**
 * Subscriptions once had their own secrets, in plain text: a copy of the database was enough to forge links. Replaces
 * them by hashes, so that mailed links still work and no new one can be forged.
 */
export const forgetSecrets = defineJob({
  name: 'newsletter.forget-secrets',
  on: 'cell',
  payload: Type.Object({}),
  cron: '34 3 * * *',
  async run(_payload, { db, signal }) {
    const before = new Date(nowMs() - AFTER_MS)
    if (!(await wasApplied(db, '0010_subscription_secrets.sql', before))) return
    let after: Position | undefined = { businessId: '', id: '' }
    while (after && !signal.aborted) after = await forgetSome(db, after)
  },
})

/** Returns where to continue; undefined at the end. */
const forgetSome = (db: Db, after: Position): Promise<Position | undefined> =>
  transaction(db, async (tx) => {
    const { rows } = await sql<Position & { secret: string }>`
      select business_id, id, secret
        from newsletter.subscriptions
       where (business_id, id) > (${after.businessId}, ${after.id}) and secret <> '' and ${isHere('business_id')}
       order by business_id, id
       limit ${BATCH}
         for update`.execute(tx)
    if (rows.length === 0) return undefined
    const hashes = rows.map(({ secret }) => hashesOfSecret(secret))
    await sql`
      update newsletter.subscriptions as known
         set secret = '', mailed_proofs = array[made.leave, made.confirm]
        from unnest(${rows.map(({ businessId }) => businessId)}::text[], ${rows.map(({ id }) => id)}::text[],
                    ${hashes.map(([leave]) => leave)}::bytea[], ${hashes.map(([, confirm]) => confirm)}::bytea[])
             as made (business_id, id, leave, confirm)
       where known.business_id = made.business_id and known.id = made.id`.execute(tx)
    return rows.at(-1)
  })
