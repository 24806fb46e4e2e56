import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { checkFailed } from './events.ts'
import type { Broken } from './find-broken.ts'
import { mailOperator, mailSoon } from './mail-operator.ts'

/** A business whose check is through, and what was found. */
export type Checked = {
  businessId: string
  startedAt: Date
  lastNumber: number
  /** Those that it was checked by. */
  rules: readonly string[]
  found: Readonly<Record<string, Broken>>
  unchecked: readonly string[]
}

/** Writes down what was found. A rule that was not broken before is told, once: by an event, and in a mail to the operator. */
export async function settle(tx: Tx, checked: readonly Checked[]): Promise<void> {
  if (checked.length === 0) return
  const ids = checked.map(({ businessId }) => businessId)
  const before = await tx
    .selectFrom('checks.broken')
    .select(['businessId', 'rule'])
    .where('businessId', 'in', ids)
    .forUpdate()
    .execute()
  const keyOf = (businessId: string, rule: string) => `${businessId} ${rule}`
  const wasBroken = new Set(before.map(({ businessId, rule }) => keyOf(businessId, rule)))
  const broken = checked.flatMap(({ businessId, found }) =>
    Object.entries(found).map(([rule, { count, examples }]) => ({ businessId, rule, count, examples })),
  )
  // Of a rule that took too long nothing is known: what was broken stays so.
  const stays = new Set([
    ...broken.map(({ businessId, rule }) => keyOf(businessId, rule)),
    ...checked.flatMap(({ businessId, unchecked }) => unchecked.map((rule) => keyOf(businessId, rule))),
  ])
  const restored = before.filter(({ businessId, rule }) => !stays.has(keyOf(businessId, rule)))
  if (restored.length > 0)
    await sql`
      delete from checks.broken
       using unnest(${restored.map(({ businessId }) => businessId)}::text[], ${restored.map(({ rule }) => rule)}::text[])
             as restored (business_id, rule)
       where broken.business_id = restored.business_id and broken.rule = restored.rule`.execute(tx)
  if (broken.length > 0)
    await sql`
      insert into checks.broken (business_id, rule, count, examples, since)
      select "businessId", rule, count, examples, ${now()}
        from json_to_recordset(${JSON.stringify(broken)}::json)
             as broken ("businessId" text, rule text, count bigint, examples json)
      on conflict (business_id, rule) do update set count = excluded.count, examples = excluded.examples`.execute(tx)
  await sql`
    insert into checks.businesses (business_id, started_at, finished_at, last_number, rules, unchecked)
    select business_id, started_at, ${now()}, last_number, array(select json_array_elements_text(rules)),
           array(select json_array_elements_text(unchecked))
      from json_to_recordset(${JSON.stringify(checked.map(toColumns))}::json)
           as checked (business_id text, started_at timestamptz, last_number bigint, rules json, unchecked json)
    on conflict (business_id) do update
      set started_at = excluded.started_at, finished_at = excluded.finished_at, last_number = excluded.last_number,
          rules = excluded.rules, unchecked = excluded.unchecked`.execute(tx)
  const news = broken.filter(({ businessId, rule }) => !wasBroken.has(keyOf(businessId, rule)))
  if (news.length === 0) return
  await record(
    tx,
    ...news.map(({ businessId, rule, count }) =>
      checkFailed({ businessId, subject: businessId, data: { rule, count } }),
    ),
  )
  await enqueue(tx, mailOperator(), {}, mailSoon())
}

const toColumns = ({ businessId, startedAt, lastNumber, rules, unchecked }: Checked) => ({
  business_id: businessId,
  started_at: startedAt,
  last_number: lastNumber,
  rules: rules.toSorted(), // as `listDue` compares them
  unchecked,
})
