import type { Selectable } from 'kysely'
import { nowMs } from '#platform/clock.ts'
import type { NewsletterSends } from '#platform/database/cell-tables.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { SendStatus } from '../schemas.ts'
import type { Condition } from '../segments/schemas.ts'

export type SendRow = Omit<Selectable<NewsletterSends>, 'status' | 'onUncertain' | 'conditions'> & {
  status: SendStatus
  onUncertain: 'SKIP' | 'RESEND'
  conditions: Condition[] | null
}

/** What is shown of a send: not its mail, of which a hundred are megabytes. */
export const SHOWN = [
  'id',
  'entryId',
  'status',
  'onUncertain',
  'scheduledAt',
  'startedAt',
  'finishedAt',
  'problem',
  'total',
  'sent',
  'failed',
  'suppressed',
  'uncertain',
  'remainderOf',
  'conditions',
  'automationId',
  'createdAt',
] as const satisfies readonly (keyof SendRow)[]
export type ShownSend = Pick<SendRow, (typeof SHOWN)[number]>

const doneOf = ({ sent, failed, suppressed, uncertain }: ShownSend) => sent + failed + suppressed + uncertain

export function presentSend(row: ShownSend) {
  const { total, sent, failed, suppressed, uncertain } = row
  const planned = total - doneOf(row)
  const perSecond = rateOf(row)
  const isMoving = row.status === 'RUNNING' && perSecond !== null && perSecond > 0
  return {
    id: row.id,
    entryId: row.entryId,
    status: row.status,
    scheduledAt: toSeconds(row.scheduledAt),
    startedAt: row.startedAt && toSeconds(row.startedAt),
    finishedAt: row.finishedAt && toSeconds(row.finishedAt),
    total,
    planned,
    sent,
    failed,
    suppressed,
    uncertain,
    perSecond,
    estimatedEndAt: isMoving ? Math.ceil(nowMs() / 1000 + planned / perSecond) : null,
    onUncertain: row.onUncertain,
    problem: row.problem,
    ...(row.remainderOf !== null && { remainderOf: row.remainderOf }),
    ...(row.conditions !== null && { conditions: row.conditions }),
    ...(row.automationId !== null && { automationId: row.automationId }),
    createdAt: toSeconds(row.createdAt),
  }
}

/** Mails per second over the whole time, to one decimal. A letter that goes out by itself has no pace. */
function rateOf(row: ShownSend): number | null {
  if (!row.startedAt || row.automationId !== null) return null
  const seconds = ((row.finishedAt?.getTime() ?? nowMs()) - row.startedAt.getTime()) / 1000
  return seconds > 0 ? Math.round((doneOf(row) / seconds) * 10) / 10 : null
}
