import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../api/client.ts'
import { useBusiness } from '../session/use-business.ts'
import { useProblem } from '../ui/problem.tsx'
import { saveFile } from '../ui/save-file.ts'
import { toast } from '../ui/toast.tsx'

const EXPORT_MS = 300_000

/** Saves all products as a CSV file, as the import reads it. */
export function useExport() {
  const { t } = useLingui()
  const { id: businessId, slug } = useBusiness()
  const wordsOf = useProblem()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const file = await kontor.operations.exportProducts(
        { path: { businessId }, query: { format: 'csv' } },
        { timeoutMs: EXPORT_MS },
      )
      saveFile(file, `${slug}-products.csv`)
    } catch (error) {
      toast(t`Couldn’t export. ${wordsOf(error).what}`)
    } finally {
      setBusy(false)
    }
  }
  return { run: () => void run(), isBusy }
}
