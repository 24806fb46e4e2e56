import { useLingui } from '@lingui/react/macro'
import { useBusinessSentences } from '../settings/audit/business-sentences.ts'
import type { AuditEntry } from './types.ts'

type Data = { name?: string; cell?: string; businessId?: string; changed?: number; account?: string | null }

/** What was done, as one would say it after the name of who did it. */
export function useSentence(): (entry: AuditEntry) => string {
  const { t } = useLingui()
  const businessSentences = useBusinessSentences()
  return ({ action, subject, subjectEmail, businessId, businessName, data: sent }) => {
    const data = (sent ?? {}) as Data
    const account = subjectEmail ?? subject
    const job = data.name ? `${data.name} (${subject})` : subject
    const named = subject === businessId ? (businessName ?? subject) : subject
    const of = [data.name, data.cell].filter(Boolean).join(', ') || named
    const count = data.changed
    const sentences: Record<string, () => string> = {
      ...businessSentences(data),
      'job.retried': () => t`ran the job ${job} again`,
      'job.discarded': () => t`discarded the job ${job}`,
      'jobs.retried': () => {
        if (count === undefined) return t`wanted to run all dead jobs of ${of} again`
        return count === 1 ? t`ran 1 dead job of ${of} again` : t`ran ${count} dead jobs of ${of} again`
      },
      'jobs.discarded': () => {
        if (count === undefined) return t`wanted to discard all dead jobs of ${of}`
        return count === 1 ? t`discarded 1 dead job of ${of}` : t`discarded ${count} dead jobs of ${of}`
      },
      'operator.added': () => t`made ${account} an operator`,
      'operator.removed': () => t`made ${account} an operator no more`,
    }
    return sentences[action]?.() ?? `${action} ${subject}`
  }
}
