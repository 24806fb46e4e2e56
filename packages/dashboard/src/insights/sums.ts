import type { Span } from './period.ts'

/** What can be added up. */
const NAMES = ['orders', 'units', 'subtotal', 'discount', 'shipping', 'tax', 'total', 'refunded', 'net'] as const
export type Figures = Record<(typeof NAMES)[number], number>

type Counted = Figures & { orderQuery: string }
export type Row = Span & Counted & { previous?: (Span & Counted) | undefined }

export const NOTHING = Object.fromEntries(NAMES.map((name) => [name, 0])) as Figures

export const addUp = (rows: readonly Figures[]): Figures =>
  Object.fromEntries(NAMES.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)])) as Figures

/** Per order, rounded to the smallest coin. */
export const averageOf = ({ net, orders }: Pick<Figures, 'net' | 'orders'>) =>
  orders === 0 ? 0 : Math.round(net / orders)

/** What of all orders behind these rows can be asked for at once: every row is of another time, market or kind of customer. */
export function orderQueryOf(rows: readonly Counted[]): string | undefined {
  const queries = rows.filter(({ orders }) => orders > 0).map(({ orderQuery }) => new URLSearchParams(orderQuery))
  if (queries.length === 0) return undefined
  const merged = new URLSearchParams()
  for (const name of new Set(queries.flatMap((query) => [...query.keys()]))) {
    const values = [...new Set(queries.flatMap((query) => query.getAll(name)))]
    if (name === 'createdFrom') merged.set(name, String(Math.min(...values.map(Number))))
    else if (name === 'createdTo') merged.set(name, String(Math.max(...values.map(Number))))
    else if (name !== 'customer' || values.length === 1) for (const value of values) merged.append(name, value)
  }
  return merged.toString()
}

export type Point<One extends Span> = Span & { rows: One[] }

/** The rows of each span. A row belongs where its middle is: clocks that change move its edges. */
export function pointsOf<One extends Span>(spans: readonly Span[], rows: readonly One[]): Point<One>[] {
  const points = spans.map(({ from, to }): Point<One> => ({ from, to, rows: [] }))
  for (const row of rows) {
    const middle = (row.from + row.to) / 2
    points.find(({ from, to }) => from <= middle && middle < to)?.rows.push(row)
  }
  return points
}

export const previousOf = (rows: readonly Row[]) => rows.flatMap(({ previous }) => previous ?? [])

/** How much more it is, as a share; undefined where there was nothing to compare with. */
export const changeOf = (now: number, before: number): number | undefined =>
  before === 0 ? undefined : (now - before) / before

/** What has begun by now, and so can be compared: the rest of a day is not a bad day. */
export const begunBy = <One extends Span>(points: readonly One[], now: number) =>
  points.filter(({ from }) => from <= now)

/** Currencies in which something was sold, those of the shop first. */
export function currenciesOf(rows: readonly { currency: string }[], own: readonly string[]): string[] {
  const sold = new Set(rows.map(({ currency }) => currency))
  return [...own.filter((currency) => sold.has(currency)), ...[...sold].filter((currency) => !own.includes(currency))]
}
