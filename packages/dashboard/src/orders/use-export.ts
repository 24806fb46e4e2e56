import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../api/client.ts'
import { useBusiness } from '../session/use-business.ts'
import { useProblem } from '../ui/problem.tsx'
import { saveFile } from '../ui/save-file.ts'
import { toast } from '../ui/toast.tsx'
import { filtersOf, type OrderSearch } from './filters.ts'

const EXPORT_MS = 300_000

/** Saves what the filters find as a CSV file. */
export function useExport(search: OrderSearch) {
  const { t } = useLingui()
  const { id: businessId, slug, timeZone } = useBusiness()
  const wordsOf = useProblem()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const file = await kontor.operations.exportOrders(
        { path: { businessId }, query: { ...filtersOf(search, timeZone), format: 'csv' } },
        { timeoutMs: EXPORT_MS },
      )
      saveFile(file, `${slug}-orders.csv`)
    } catch (error) {
      toast(t`Couldn’t export. ${wordsOf(error).what}`)
    } finally {
      setBusy(false)
    }
  }
  return { run: () => void run(), isBusy }
}
