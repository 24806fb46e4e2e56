import { useLingui } from '@lingui/react/macro'
import type { AuditEntry } from './types.ts'

type Data = { name?: string; cell?: string; businessId?: string; changed?: number; account?: string | null }

/** What was done, as one would say it after the name of who did it. */
export function useSentence(): (entry: AuditEntry) => string {
  const { t } = useLingui()
  return ({ action, subject, data: sent }) => {
    const data = (sent ?? {}) as Data
    const job = data.name ? `${data.name} (${subject})` : subject
    const of = [data.name, data.cell].filter(Boolean).join(', ') || subject
    const count = data.changed
    const sentences: Record<string, () => string> = {
      'business.suspended': () => t`suspended the business`,
      'business.resumed': () => t`opened the business again`,
      'business.limits-set': () => t`set the limits of the business`,
      'business.payments-set': () =>
        data.account ? t`set the account that the money goes to` : t`took away the account that the money goes to`,
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
      'operator.added': () => t`made ${subject} an operator`,
      'operator.removed': () => t`made ${subject} an operator no more`,
    }
    return sentences[action]?.() ?? `${action} ${subject}`
  }
}
