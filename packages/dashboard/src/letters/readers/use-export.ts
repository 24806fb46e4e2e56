import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { toast } from '../../ui/toast.tsx'

const EXPORT_MS = 300_000

/** Saves all readers of a newsletter as CSV, whatever their state. */
export function useExport(id: string) {
  const { t } = useLingui()
  const { id: businessId, slug } = useBusiness()
  const wordsOf = useProblem()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const asked = { path: { businessId, id }, query: { format: 'csv' as const } }
      saveFile(await kontor.operations.exportSubscribers(asked, { timeoutMs: EXPORT_MS }), `${slug}-readers.csv`)
    } catch (error) {
      toast(t`Couldn’t export. ${wordsOf(error).what}`)
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy }
}
