import type { Static } from 'typebox'
import {
  type BusinessOverview,
  findOverview,
  listForOperator,
  type OverviewQuery,
  stateOf,
} from '#modules/access/index.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Watch } from '#platform/database/watch.ts'
import { toPage } from '#vocabulary/paging.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { businessNotFound } from './errors.ts'
import type { OperatorBusiness, OperatorBusinessDetail } from './schemas.ts'

/** What the app hands in of accounts. */
export type People = {
  /** Users whose address begins with this. */
  findByEmailPrefix: (prefix: string) => Promise<readonly string[]>
  readEmails: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

export type BusinessContext = { control: ControlDb; people: People; watch: Pick<Watch, 'cells'> }

export async function listBusinesses({ control, people, watch }: BusinessContext, query: OverviewQuery) {
  const text = query.query?.trim()
  const ownerIds = text?.includes('@') ? await people.findByEmailPrefix(text) : undefined
  const { rows, limit, filters, positionOf } = await listForOperator(control, query, ownerIds)
  const emails = await people.readEmails([...new Set(rows.flatMap(({ adminIds }) => adminIds))])
  return toPage(rows, limit, filters, positionOf, (row) => presentBusiness(row, emails, watch))
}

export async function getBusiness(
  { control, people, watch }: BusinessContext,
  id: string,
): Promise<Static<typeof OperatorBusinessDetail>> {
  const row = await findOverview(control, id)
  if (!row) throw businessNotFound()
  const emails = await people.readEmails(row.adminIds)
  const { requestsPerMinute = null, requestsAtOnce = null, jobsAtOnce = null } = row.limits ?? {}
  const { mediaBytes = null, mailsPerDay = null } = row.limits ?? {}
  return {
    ...presentBusiness(row, emails, watch),
    limits: { requestsPerMinute, requestsAtOnce, jobsAtOnce, mediaBytes, mailsPerDay },
  }
}

const SHOWN_OF_ACCOUNT = 4

function presentBusiness(
  row: BusinessOverview,
  emails: ReadonlyMap<string, string>,
  watch: Pick<Watch, 'cells'>,
): Static<typeof OperatorBusiness> {
  const { deadJobs, stoppedSends, brokenRules } = row
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    cell: row.cell,
    cellState: watch.cells.get(row.cell)?.state ?? 'unknown',
    state: stateOf(row),
    suspendedAt: row.suspendedAt && toSeconds(row.suspendedAt),
    suspendedReason: row.suspendedReason,
    deleteAt: row.deleteAt && toSeconds(row.deleteAt),
    health: deadJobs + stoppedSends + brokenRules > 0 ? 'TROUBLED' : 'GOOD',
    deadJobs,
    stoppedSends,
    admins: row.adminIds.map((userId) => ({ userId, email: emails.get(userId) ?? null })),
    size: { rows: row.rows, mediaBytes: row.mediaBytes },
    lastDay: { requests: row.requests, mails: row.mails, jobs: row.jobs },
    measuredAt: row.measuredAt && toSeconds(row.measuredAt),
    lastCheck: row.checkedAt && { checkedAt: toSeconds(row.checkedAt), broken: brokenRules },
    paymentAccount: row.paymentAccount && row.paymentAccount.slice(-SHOWN_OF_ACCOUNT),
    createdAt: toSeconds(row.createdAt),
  }
}
