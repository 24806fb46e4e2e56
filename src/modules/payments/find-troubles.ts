import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { readSubject } from './subject.ts'

/**
 * Orders whose payment waits for a person, the newest first: paid, but not what was asked for; or a refund failed, and no
 * other was asked for since.
 */
export type Troubles = { wrong: string[]; refundsFailed: string[] }

export async function findTroubles(db: Db, businessId: string, since: Date, limit: number): Promise<Troubles> {
  const { rows } = await sql<{ kind: 'wrong' | 'refundsFailed'; subject: string }>`
    (select 'wrong' as kind, subject
       from payments.payments
      where business_id = ${businessId} and status = 'WRONG' and starts_with(subject, 'order:')
      order by id desc
      limit ${limit})
    union all
    (select distinct 'refundsFailed', failed.subject
       from (select payments.subject
               from payments.refunds
               join payments.payments on payments.business_id = refunds.business_id and payments.id = refunds.payment_id
              where refunds.business_id = ${businessId} and refunds.status = 'FAILED' and refunds.created_at >= ${since}
                and starts_with(payments.subject, 'order:')
                and not exists (select
                                  from payments.refunds as later
                                 where later.business_id = refunds.business_id and later.payment_id = refunds.payment_id
                                   and later.status <> 'FAILED' and later.created_at >= refunds.created_at)
              order by refunds.created_at desc
              limit ${limit}) as failed)`.execute(db)
  const idsOf = (kind: keyof Troubles) =>
    rows.filter((row) => row.kind === kind).map(({ subject }) => readSubject(subject).id)
  return { wrong: idsOf('wrong'), refundsFailed: idsOf('refundsFailed') }
}
