import { useLingui } from '@lingui/react/macro'
import { useMemo } from 'react'
import type { GridColumn } from './cells.ts'

export type CellWords = ReturnType<typeof useCellWords>

/** What the cells of the grid say, made once for all of them. */
export function useCellWords() {
  const { t } = useLingui()
  return useMemo(
    () => ({
      only: t`The only variant`,
      isNew: t`new`,
      noAmount: t`This is no amount.`,
      multipleOf: (least: string) => t`Enter a multiple of ${least}.`,
      noPieces: t`A whole number, and no more than is there.`,
      notSold: t`not sold`,
      notCounted: t`not counted`,
      far: t`Far from the other prices of this market.`,
      asked: t`Processing…`,
      planned: (prices: string) => t`Planned: ${prices}`,
      sold: (count: number) => t`${count} sold just now`,
      came: (count: number) => t`${count} came just now`,
      nameOf: ({ kind, market }: GridColumn) => {
        const where = market?.name ?? ''
        if (kind === 'price') return t`price in ${where}`
        if (kind === 'compare') return t`price before a sale in ${where}`
        return { low: t`low at`, stock: t`in stock`, sku: t`SKU` }[kind]
      },
    }),
    [t],
  )
}
