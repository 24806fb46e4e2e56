import type { Query } from '@kontor/sdk'
import { oneOf, type Search, wordOf } from '../shell/search.ts'

/** What the address of the list says. */
export type StockSearch = {
  query?: string | undefined
  show?: 'low' | 'empty' | undefined
  sort?: '-quantity' | undefined
  /** The saved view that was opened. */
  view?: string | undefined
}

export const readStockSearch = (search: Search): StockSearch => ({
  query: wordOf(search.query),
  show: oneOf(search.show, ['low', 'empty']),
  sort: oneOf(search.sort, ['-quantity']),
  view: wordOf(search.view),
})

/** The same, as the API takes it. */
export const askedOf = ({ query, show, sort }: StockSearch): Query<'listStock'> => ({
  ...(query ? { query } : {}),
  ...(show === 'low' ? { low: true } : {}),
  ...(show === 'empty' ? { empty: true } : {}),
  ...(sort ? { sort } : {}),
})

export const KINDS = ['orders', 'people'] as const
export type StatementSearch = {
  /** Which movements are shown: those of orders, or those of people and imports. */
  kind?: (typeof KINDS)[number] | undefined
  do?: 'correct' | undefined
}
export const readStatementSearch = (search: Search): StatementSearch => ({
  kind: oneOf(search.kind, KINDS),
  do: oneOf(search.do, ['correct']),
})
