import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type QueryExecutorProvider, sql } from 'kysely'
import { listPaymentsSince, type Payment } from '#modules/payments/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { type PageState, type PaymentProvider, UnknownPage } from '#platform/payments/provider.ts'
import { someAtATime } from '#platform/some-at-a-time.ts'

/** A rule, and some of what breaks it. */
export type Finding = { check: string; violations: Record<string, unknown>[] }

const MAX_SHOWN = 20
const DAY_MS = 24 * 3_600_000
const AT_ONCE = 8

/** The rules, by their sentences. */
export const invariants: ReadonlyMap<string, string> = new Map(
  readFileSync(path.join(import.meta.dirname, 'invariants.sql'), 'utf8')
    .split(/^-- check: /m)
    .slice(1)
    .map((part): [string, string] => {
      const [sentence = '', ...lines] = part.split('\n')
      return [sentence.trim(), lines.join('\n').trim()]
    }),
)

export async function check(db: QueryExecutorProvider, sentence: string): Promise<Finding> {
  const query = invariants.get(sentence)
  if (query === undefined) throw new Error(`There is no rule: ${sentence}`)
  const { rows } = await sql<Record<string, unknown>>`
    select * from (${sql.raw(query)}
) as found limit ${MAX_SHOWN}`.execute(db)
  return { check: sentence, violations: rows }
}

/** Every rule, one after another. Reads only; the service can go on meanwhile. */
export async function verify(db: QueryExecutorProvider): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const sentence of invariants.keys()) findings.push(await check(db, sentence))
  return findings
}

/** Asks the provider about each order's page of the last day, and tells where it says something else than we do. */
export async function compareWithProvider(db: Db, provider: PaymentProvider): Promise<Finding> {
  const violations: Record<string, unknown>[] = []
  const since = new Date(nowMs() - DAY_MS)
  for (let after: Payment | undefined; ; ) {
    const payments = await listPaymentsSince(db, since, after, 'order')
    await someAtATime(AT_ONCE, payments, async (payment) => {
      if (payment.pageId === null) return
      const state = await provider.readPage(payment.account, payment.pageId).catch((error: unknown) => {
        if (error instanceof UnknownPage) return 'unknown' as const
        throw error
      })
      if (!agrees(payment, state)) violations.push(toViolation(payment, state))
    })
    after = payments.at(-1)
    if (!after) return { check: 'the payment provider says the same', violations: violations.slice(0, MAX_SHOWN) }
  }
}

type Theirs = PageState | 'unknown'

/** One that has ended here and is not known there: both say that nobody can pay it. */
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
