import { useLingui } from '@lingui/react/macro'
import { useBusinessSentences } from '../settings/audit/business-sentences.ts'
import type { AuditEntry, Placement } from './types.ts'
import { usePlacementWords } from './words.tsx'

type Data = {
  name?: string
  cell?: string
  businessId?: string
  changed?: number
  account?: string | null
  state?: Placement
  to?: string
  weight?: number
}

/** What was done, as one would say it after the name of who did it. */
export function useSentence(): (entry: AuditEntry) => string {
  const { t } = useLingui()
  const businessSentences = useBusinessSentences()
  const placementWords = usePlacementWords()
  return ({ action, subject, subjectEmail, businessId, businessName, data: sent }) => {
    const data = (sent ?? {}) as Data
    const account = subjectEmail ?? subject
    const job = data.name ? `${data.name} (${subject})` : subject
    const named = subject === businessId ? (businessName ?? subject) : subject
    const of = [data.name, data.cell].filter(Boolean).join(', ') || named
    const count = data.changed
    const to = data.to ?? ''
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
      'business.move-started': () => t`had the business moved to the cell ${to}`,
      'business.move-taken-back': () => t`had the business stay, which was to move to the cell ${to}`,
      'business.move-resumed': () => t`had the move of the business to the cell ${to} go on`,
      'business.moved': () => t`moved the business to the cell ${to}`,
      'cell.added': () => t`added the cell ${subject}`,
      'cell.changed': () => {
        const { state, weight } = data
        const word = state && placementWords(state)
        if (word && weight !== undefined) return t`set the cell ${subject} to “${word}”, with the weight ${weight}`
        if (word) return t`set the cell ${subject} to “${word}”`
        return weight === undefined ? t`changed the cell ${subject}` : t`gave the cell ${subject} the weight ${weight}`
      },
      'cell.removed': () => t`removed the cell ${subject}`,
      'operator.added': () => t`made ${account} an operator`,
      'operator.removed': () => t`made ${account} an operator no more`,
    }
    return sentences[action]?.() ?? `${action} ${subject}`
  }
}
