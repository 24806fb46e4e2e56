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

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export const readOrderSearch = (search: Record<string, unknown>): OrderSearch => ({
  sheet: SHEETS.find((sheet) => sheet === search.sheet),
  shipment: textOf(search.shipment),
  why: textOf(search.why),
  at: typeof search.at === 'number' && Number.isSafeInteger(search.at) ? search.at : undefined,
  show: SHOWN.find((kind) => kind === search.show),
})
