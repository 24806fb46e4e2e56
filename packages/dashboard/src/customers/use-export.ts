import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../api/client.ts'
import { useBusiness } from '../session/use-business.ts'
import { useProblem } from '../ui/problem.tsx'
import { saveFile } from '../ui/save-file.ts'
import { toast } from '../ui/toast.tsx'
import { type CustomerSearch, filtersOf } from './search.ts'

const EXPORT_MS = 300_000

/** `list` saves all that the filters find as CSV, `one` all that is kept about somebody as JSON. */
export function useExport() {
  const { t } = useLingui()
  const { id: businessId, slug } = useBusiness()
  const wordsOf = useProblem()
  const [isBusy, setBusy] = useState(false)
  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      toast(t`Couldn’t export. ${wordsOf(error).what}`)
    } finally {
      setBusy(false)
    }
  }
  const list = (search: CustomerSearch) =>
    run(async () => {
      const asked = { path: { businessId }, query: { ...filtersOf(search), format: 'csv' as const } }
      const file = await kontor.operations.exportCustomers(asked, { timeoutMs: EXPORT_MS })
      saveFile(file, `${slug}-customers.csv`)
    })
  const one = (userId: string) =>
    run(async () => {
      const kept = await kontor.operations.exportCustomer({ path: { businessId, userId } }, { timeoutMs: EXPORT_MS })
      saveFile(new Blob([JSON.stringify(kept, null, 2)], { type: 'application/json' }), `${slug}-${userId}.json`)
    })
  return { list, one, isBusy }
}
