import { audit } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { withTimeout } from '#platform/with-timeout.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { domainNotFound } from '../errors.ts'
import { endStaffSessions } from './end-sessions.ts'
import { sendDomainNotice } from './mail-admins.ts'
import { proofValueOf, recordNameOf } from './records.ts'
import { CHECK_RESULTS, type CheckResult, type SignInDomain } from './schemas.ts'

export type FindTextRecords = (name: string) => Promise<string[]>

/** How long the TXT record of a proven domain may be missing. */
const GRACE_MS = 7 * 86_400_000
/** For all servers and retries of one lookup. */
const LOOKUP_MS = 10_000

type DomainRow = NonNullable<Awaited<ReturnType<typeof findDomain>>>

const findDomain = (db: ControlDb, businessId: string, domain: string) =>
  db
    .selectFrom('accounts.signInDomains')
    .selectAll()
    .where((row) => row.and({ businessId, domain }))
    .executeTakeFirst()

export const presentDomain = (row: DomainRow): SignInDomain => ({
  domain: row.domain,
  status: row.provenAt ? 'PROVEN' : 'PENDING',
  record: { name: recordNameOf(row.domain), type: 'TXT', value: proofValueOf(row.proof) },
  provenAt: row.provenAt && toSeconds(row.provenAt),
  lastCheckedAt: row.lastCheckedAt && toSeconds(row.lastCheckedAt),
  lastResult: CHECK_RESULTS.find((result) => result === row.lastResult) ?? null,
  lapsesAt: row.provenAt && row.failingSince && toSeconds(lapseOf(row.failingSince)),
})

const lapseOf = (failingSince: Date) => new Date(failingSince.getTime() + GRACE_MS)

type Check = { businessId: string; domain: string; actor?: Actor }

/** Checks the TXT record of a domain and stores the result. Domains proven by an operator need no record. */
export async function checkDomain(
  control: ControlDb,
  findTextRecords: FindTextRecords,
  { businessId, domain, actor }: Check,
): Promise<SignInDomain> {
  const row = await findDomain(control, businessId, domain)
  if (!row) throw domainNotFound({ domain })
  if (row.provenBy === 'OPERATOR') return presentDomain(row)
  const result = await lookUp(findTextRecords, row)
  const after = await transaction(control, (tx) => recordCheck(tx, { row, result, actor }))
  return presentDomain(after ?? row)
}

async function lookUp(findTextRecords: FindTextRecords, { domain, proof }: DomainRow): Promise<CheckResult> {
  const silent = () => new Error('the name servers do not answer')
  try {
    const found = await withTimeout(LOOKUP_MS, findTextRecords(recordNameOf(domain)), silent)
    return found.includes(proofValueOf(proof)) ? 'FOUND' : 'MISSING'
  } catch {
    return 'UNREACHABLE'
  }
}

/** Undefined when the domain was removed, or its proof replaced, during the lookup. */
async function recordCheck(
  tx: ControlTx,
  {
    row: { businessId, domain, proof },
    result,
    actor,
  }: { row: DomainRow; result: CheckResult; actor: Actor | undefined },
): Promise<DomainRow | undefined> {
  const row = await tx
    .updateTable('accounts.signInDomains')
    .set({ lastCheckedAt: now(), lastResult: result })
    .where((each) => each.and({ businessId, domain, proof }))
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  if (row.provenAt === null) return result === 'FOUND' ? prove(tx, row, 'DNS', actor) : row
  if (row.provenBy === 'OPERATOR') return row
  if (result === 'FOUND') return row.failingSince ? recover(tx, row) : row
  if (!row.failingSince) return startGrace(tx, row)
  return lapseOf(row.failingSince) <= now() ? lapse(tx, row) : row
}

type Changes = Partial<Pick<DomainRow, 'provenAt' | 'provenBy' | 'failingSince'>>

const updateDomain = (tx: ControlTx, { businessId, domain }: DomainRow, changes: Changes) =>
  tx
    .updateTable('accounts.signInDomains')
    .set(changes)
    .where((row) => row.and({ businessId, domain }))
    .returningAll()
    .executeTakeFirstOrThrow()

/** The operator knows that it is theirs. Undefined when the business has not named this domain. */
export const proveDomain = (control: ControlDb, businessId: string, domain: string): Promise<Date | undefined> =>
  transaction(control, async (tx) => {
    const row = await findDomain(tx, businessId, domain)
    if (!row) return undefined
    const isDone = row.provenAt && row.provenBy === 'OPERATOR'
    return (isDone ? row : await prove(tx, row, 'OPERATOR')).provenAt ?? undefined
  })

async function prove(tx: ControlTx, row: DomainRow, by: 'DNS' | 'OPERATOR', actor?: Actor): Promise<DomainRow> {
  const { businessId, domain } = row
  const after = await updateDomain(tx, row, { provenAt: now(), provenBy: by, failingSince: null })
  await audit(tx, { businessId, action: 'sign-in-domain.proven', subject: domain, actor, data: { by } })
  await tellOthers(tx, row)
  return after
}

const MAX_TOLD = 20

/** Other businesses that have proven the same domain learn that it happened, not who it was. */
async function tellOthers(tx: ControlTx, { businessId, domain }: DomainRow): Promise<void> {
  const others = await tx
    .selectFrom('accounts.signInDomains')
    .select('businessId')
    .where('domain', '=', domain)
    .where('businessId', '<>', businessId)
    .where('provenAt', 'is not', null)
    .orderBy('businessId')
    .limit(MAX_TOLD)
    .execute()
  for (const other of others) {
    await audit(tx, { ...other, action: 'sign-in-domain.proven-elsewhere', subject: domain })
    await enqueue(tx, sendDomainNotice, { ...other, domain, notice: 'SHARED' })
  }
}

async function recover(tx: ControlTx, row: DomainRow): Promise<DomainRow> {
  await audit(tx, { businessId: row.businessId, action: 'sign-in-domain.recovered', subject: row.domain })
  return updateDomain(tx, row, { failingSince: null })
}

async function startGrace(tx: ControlTx, row: DomainRow): Promise<DomainRow> {
  const { businessId, domain, lastResult } = row
  const after = await updateDomain(tx, row, { failingSince: now() })
  const data = { result: lastResult, lapsesAt: toSeconds(lapseOf(now())) }
  await audit(tx, { businessId, action: 'sign-in-domain.check-failed', subject: domain, data })
  await enqueue(tx, sendDomainNotice, { businessId, domain, notice: 'FAILING', lapsesAt: lapseOf(now()).getTime() })
  return after
}

async function lapse(tx: ControlTx, row: DomainRow): Promise<DomainRow> {
  const { businessId, domain, lastResult } = row
  const after = await updateDomain(tx, row, { provenAt: null, provenBy: null, failingSince: null })
  const sessions = await endStaffSessions(tx, businessId)
  const data = { result: lastResult, sessions }
  await audit(tx, { businessId, action: 'sign-in-domain.lapsed', subject: domain, data })
  await enqueue(tx, sendDomainNotice, { businessId, domain, notice: 'LAPSED' })
  return after
}

const CHECK_EVERY_MS = 23 * 3_600_000
const MAX_DOMAINS = 2_000

/** Domains whose daily check is due, or whose grace is over: the longest unchecked first, as many as one run takes. */
export const listDomainsToCheck = (db: ControlDb) =>
  db
    .selectFrom('accounts.signInDomains')
    .select(['businessId', 'domain'])
    .where('provenBy', '=', 'DNS')
    .where((row) =>
      row.or([
        row('lastCheckedAt', 'is', null),
        row('lastCheckedAt', '<', new Date(nowMs() - CHECK_EVERY_MS)),
        row('failingSince', '<=', new Date(nowMs() - GRACE_MS)),
      ]),
    )
    .orderBy('lastCheckedAt', (order) => order.asc().nullsFirst())
    .limit(MAX_DOMAINS)
    .execute()

const domainOf = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

/** Whether an address may be signed in by the provider of this business. */
export async function isProvenAddress(db: ControlDb, businessId: string, email: string): Promise<boolean> {
  const row = await findDomain(db, businessId, domainOf(email))
  return row?.provenAt != null
}

/** The same while a session begins: a domain that lapses or is removed waits for `tx`, and then ends that session, too. */
export async function holdProvenAddress(tx: ControlTx, businessId: string, email: string): Promise<boolean> {
  const row = await tx
    .selectFrom('accounts.signInDomains')
    .select('provenAt')
    .where((each) => each.and({ businessId, domain: domainOf(email) }))
    .forShare()
    .executeTakeFirst()
  return row?.provenAt != null
}
