import type { Selectable } from 'kysely'
import type { NewsletterAutomations } from '#platform/database/cell-tables.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Automation, Trigger } from './schemas.ts'

export type AutomationRow = Omit<Selectable<NewsletterAutomations>, 'trigger'> & { trigger: Trigger }

/** What became of it lately. */
export type Sendings = { sentLately: number; latestSendId: string | null }

export const presentAutomation = (row: AutomationRow & Sendings): Automation => ({
  id: row.id,
  collectionId: row.collectionId,
  trigger: row.trigger,
  entryId: row.entryId,
  delayMinutes: row.delayMinutes,
  limit: { times: row.times, days: row.days },
  isEnabled: row.isEnabled,
  problem: row.problem,
  sentLately: row.sentLately,
  latestSendId: row.latestSendId,
  createdAt: toSeconds(row.createdAt),
  updatedAt: toSeconds(row.updatedAt),
})
