import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { type CsvCell, toCsv } from '../../../../../src/platform/transfer/csv-cells.ts'
import { kontor } from '../../api/client.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { toast } from '../../ui/toast.tsx'
import type { Level } from '../level.ts'
import type { Movement } from './balance.ts'

/** A page that would take longer than a minute is not asked for. */
const MOST_PAGES = 200
const COLUMNS = ['number', 'createdAt', 'kind', 'delta', 'quantity', 'reference', 'userId', 'reason'] as const

const rowOf = (movement: Movement): CsvCell[] =>
  COLUMNS.map((name) =>
    name === 'createdAt' ? new Date(movement.createdAt * 1_000).toISOString() : (movement[name] ?? ''),
  )

/** Saves the whole statement as CSV, oldest first. */
export function useFile() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const wordsOf = useProblem()
  const [isBusy, setBusy] = useState(false)
  const save = async ({ productId, variantId, sku }: Level) => {
    setBusy(true)
    try {
      const movements: Movement[] = []
      let cursor: string | null = ''
      for (let page = 0; cursor !== null && page < MOST_PAGES; page++) {
        const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor && { cursor }) }
        const path = { businessId, id: productId, variantId }
        const answer = await kontor.operations.listStockMovements({ path, query })
        movements.push(...answer.items)
        cursor = answer.cursor
      }
      const text = toCsv([COLUMNS, ...movements.toReversed().map(rowOf)])
      saveFile(new Blob([text], { type: 'text/csv' }), `${sku || variantId}-statement.csv`)
      if (cursor !== null) toast(t`The newest ${movements.length} movements are saved: there are more.`)
    } catch (error) {
      toast(t`Couldn’t save. ${wordsOf(error).what}`)
    } finally {
      setBusy(false)
    }
  }
  return { save, isBusy }
}
