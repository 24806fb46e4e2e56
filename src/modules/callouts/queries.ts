import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'

const KEPT_MS = 10 * 60_000

/** `answer` is null where the service failed and the business's own settings count. */
export type Kept = { inputHash: Buffer; answer: unknown }

export async function findAnswers(db: Db, businessId: string, hashes: readonly Buffer[]): Promise<Kept[]> {
  const { rows } = await sql<Kept>`
    select input_hash, answer
      from callouts.answers
     where business_id = ${businessId} and input_hash = any (${hashes}::bytea[]) and expires_at > ${now()}`.execute(db)
  return rows
}

/**
 * Keeps answers for ten minutes, and returns what is kept: if another process has asked the same meanwhile, what that was
 * told counts for both.
 */
export async function keepAnswers(db: Db, businessId: string, answers: readonly Kept[]): Promise<Kept[]> {
  const at = now()
  const inOrder = answers.toSorted((a, b) => a.inputHash.compare(b.inputHash)) // two who keep the same do not deadlock
  const { rows } = await sql<Kept>`
    insert into callouts.answers as known (business_id, input_hash, answer, expires_at)
    select ${businessId}, told.input_hash, told.answer::json, ${new Date(at.getTime() + KEPT_MS)}
      from unnest(${inOrder.map(({ inputHash }) => inputHash)}::bytea[],
                  ${inOrder.map(({ answer }) => (answer === null ? null : JSON.stringify(answer)))}::text[])
             as told (input_hash, answer)
    on conflict (business_id, input_hash) do update
      set answer = case when known.expires_at <= ${at} then excluded.answer else known.answer end,
          expires_at = case when known.expires_at <= ${at} then excluded.expires_at else known.expires_at end
    returning input_hash, answer`.execute(db)
  return rows
}

/** Deletes what is over, some thousands at a time. */
export async function forgetAnswers(db: Db): Promise<number> {
  for (let total = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from callouts.answers
       where ctid = any (array(select ctid from callouts.answers where expires_at <= ${now()} limit 5000))`.execute(db)
    total += Number(numAffectedRows)
    if (numAffectedRows === 0n) return total
  }
}
