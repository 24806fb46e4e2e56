import { useLingui } from '@lingui/react/macro'
import { kontor } from '../api/client.ts'
import { useBusiness } from '../session/use-business.ts'
import { useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'

export const MOST_SLIPS = 50
const IN_LETTER = new Set(['US', 'CA', 'MX'])

/** Opens one PDF with a page for each order, on the paper of this reader’s country. */
export function usePrintSlips() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const wordsOf = useProblem()
  return async (ids: string[]) => {
    // Opened at once: a browser lets a page open another only while a key or button is pressed.
    const opened = open('', '_blank')
    try {
      const paper = IN_LETTER.has(new Intl.Locale(navigator.language).region ?? '') ? 'LETTER' : 'A4'
      const pdf = await kontor.operations.getPackingSlips(
        { path: { businessId }, query: { ids, paper } },
        { timeoutMs: 30_000 },
      )
      const address = URL.createObjectURL(pdf)
      if (opened) opened.location.replace(address)
      else toast(t`The slips are ready.`, { action: { label: t`Open`, run: () => void open(address, '_blank') } })
    } catch (error) {
      opened?.close()
      toast(t`No slips: ${wordsOf(error).what}`)
    }
  }
}
