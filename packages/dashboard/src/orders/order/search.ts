import { oneOf, wholeOf, wordOf } from '../../shell/search.ts'

const SHEETS = ['refund', 'ship', 'return'] as const
const SHOWN = ['comments', 'money'] as const

/** What the address of an order says besides its id. */
export type OrderSearch = {
  /** The task beside the work. `ship` with a `shipment` changes that one. */
  sheet?: (typeof SHEETS)[number] | undefined
  shipment?: string | undefined
  /** Whose steps are open: the id of a line, or `all`. */
  why?: string | undefined
  /** The moment at which the order is shown, in Unix seconds. */
  at?: number | undefined
  show?: (typeof SHOWN)[number] | undefined
}

/** From an address everything comes as words; from a link of this page `at` is the number that it was given. */
export const readOrderSearch = (search: Record<string, unknown>): OrderSearch => ({
  sheet: oneOf(search.sheet, SHEETS),
  shipment: wordOf(search.shipment),
  why: wordOf(search.why),
  at: wholeOf(typeof search.at === 'number' ? String(search.at) : search.at),
  show: oneOf(search.show, SHOWN),
})
