import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Rule } from '#modules/checks/index.ts'
import { listPaymentsSince, type Payment } from '#modules/payments/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { type Payments, providerNamed, type SessionState, UnknownSession } from '#platform/payments/provider.ts'
import { RULES } from './rules.ts'

/** An invariant, and some of the rows that violate it. */
export type Finding = { check: string; violations: Record<string, unknown>[] }

const MAX_SHOWN = 20
const DAY_MS = 24 * 3_600_000
const AT_ONCE = 8

/** The invariants of every module, keyed by their sentence. */
export const invariants: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.says, rule]))

/**
 * The violations of an invariant, in one business or in all of a cell. PostgreSQL pushes the condition down to each
 * table's index.
 */
export function queryOf(sentence: string, businessId?: string): RawBuilder<Record<string, unknown>> {
  const rule = invariants.get(sentence)
  if (!rule) throw new Error(`There is no rule: ${sentence}`)
  const ofOne = businessId === undefined ? sql`` : sql`where business_id = ${businessId}`
  return sql<Record<string, unknown>>`
    select * from (${sql.raw(rule.query)}
) as found ${ofOne} limit ${MAX_SHOWN}`
}

export async function check(db: QueryExecutorProvider, sentence: string, businessId?: string): Promise<Finding> {
  const { rows } = await queryOf(sentence, businessId).execute(db)
  return { check: sentence, violations: rows }
}

/** Checks every invariant in turn. Read-only; the service can go on meanwhile. */
export async function verify(db: QueryExecutorProvider, businessId?: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const sentence of invariants.keys()) findings.push(await check(db, sentence, businessId))
  return findings
}

/** Compares each payment session of the last day with the provider's state and reports differences. */
export async function compareWithProvider(db: Db, configured: Payments, businessId?: string): Promise<Finding> {
  const violations: Record<string, unknown>[] = []
  const since = new Date(nowMs() - DAY_MS)
  for (let after: Payment | undefined; ; ) {
    const payments = await listPaymentsSince(db, since, after, 'order')
    await forEachLimit(AT_ONCE, payments, async (payment) => {
      if (businessId !== undefined && payment.businessId !== businessId) return
      const provider = providerNamed(configured, payment.provider)
      if (payment.pageId === null || !provider) return
      const state = await provider.readSession(payment.account, payment.pageId).catch((error: unknown) => {
        if (error instanceof UnknownSession) return 'unknown' as const
        throw error
      })
      if (!agrees(payment, state)) violations.push(toViolation(payment, state))
    })
    after = payments.at(-1)
    if (!after) return { check: 'the payment provider says the same', violations: violations.slice(0, MAX_SHOWN) }
  }
}

type Theirs = SessionState | 'unknown'

/** A session that has ended here and is unknown there agrees: nobody can pay it. */
const agrees = ({ status, paid, refunded }: Payment, state: Theirs) =>
  state === 'unknown'
    ? status === 'ENDED'
    : (status === 'OPENING' ? 'OPEN' : status) === state.status &&
      paid === (state.status === 'PAID' ? state.amount : 0) &&
      refunded === state.refunded

const toViolation = ({ businessId, id, subject, status, paid, refunded }: Payment, state: Theirs) => ({
  businessId,
  id,
  subject,
  ours: { status, paid, refunded },
  theirs:
    state === 'unknown'
      ? state
      : { status: state.status, paid: state.status === 'PAID' ? state.amount : 0, refunded: state.refunded },
})
