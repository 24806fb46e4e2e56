import type { Static } from 'typebox'
import { findNames, listOperatorLog } from '#modules/access/index.ts'
import { toPage } from '#vocabulary/paging.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { BusinessContext } from './list-businesses.ts'
import type { OperatorAuditEntry, OperatorAuditQuery } from './schemas.ts'

/** What operators did, with the names of today: one question for the businesses of a page, one for its people. */
export async function listAudit(
  { control, people }: Pick<BusinessContext, 'control' | 'people'>,
  query: Static<typeof OperatorAuditQuery>,
) {
  const { rows, limit, filters } = await listOperatorLog(control, query)
  const [names, emails] = await Promise.all([
    findNames(
      control,
      rows.flatMap(({ businessId }) => businessId ?? []),
    ),
    people.readEmails([...new Set(rows.flatMap(({ actorId, subject }) => [actorId ?? [], accountOf(subject)].flat()))]),
  ])
  return toPage(
    rows,
    limit,
    filters,
    (row) => [row.id],
    (row): Static<typeof OperatorAuditEntry> => ({
      id: row.id,
      action: row.action,
      subject: row.subject,
      subjectEmail: emails.get(row.subject) ?? null,
      businessId: row.businessId,
      businessName: names.get(row.businessId ?? '') ?? null,
      actorId: row.actorId,
      actorEmail: emails.get(row.actorId ?? '') ?? null,
      data: row.data,
      timestamp: toSeconds(row.occurredAt),
    }),
  )
}

const accountOf = (subject: string) => (subject.startsWith('usr_') ? [subject] : [])
