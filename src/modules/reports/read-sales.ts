import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { tooManyFigures, tooManyIntervals } from './errors.ts'
import { FIGURES, figuresOf, less, orNothing, type Summed } from './figures.ts'
import { orderQueryOf } from './order-query.ts'
import { intervalsBefore, intervalsOf, piecesOf, type Span, toSeconds } from './periods.ts'
import type { CUSTOMERS, CustomersReport, Figures, SalesQuery, SalesReport, SalesRow } from './schemas.ts'
import { ALL, FIRST, GRAINS } from './sums.ts'
import { type Asker, timeOf } from './time-asked.ts'
import { ordersUpTo } from './up-to.ts'

/** More intervals than these are not answered: a month of hours, two years of days. */
export const MAX_INTERVALS = 800

/** More figures than these are not answered, where a shop has many markets: some megabytes. */
export const MAX_CELLS = 20_000

type Customer = (typeof CUSTOMERS)[number]
type Place = { market: string; currency: string; customer?: Customer }
type Cell = Place & { interval: number; figures: Figures }
type Row = Summed & { interval: number; market: string; currency: string; subject: number }

/** All orders, over time. */
export async function readSales(db: Db, asker: Asker, query: SalesQuery): Promise<SalesReport> {
  const { spans, before } = spansOf(asker, query)
  const { cells, upToEvent } = await readCells(db, asker.businessId, [...spans, ...before], query)
  return { items: toRows(cells, spans, before, query.compare !== undefined), upToEvent }
}

/** The same, by whether an order is the first of its customer. */
export async function readCustomers(db: Db, asker: Asker, query: SalesQuery): Promise<CustomersReport> {
  const { spans, before } = spansOf(asker, query)
  const { cells, upToEvent } = await readCells(db, asker.businessId, [...spans, ...before], query, true)
  const rows = toRows(cells, spans, before, query.compare !== undefined)
  return { items: rows as CustomersReport['items'], upToEvent }
}

function spansOf({ timeZone, at }: Asker, query: SalesQuery) {
  const { interval = 'day' } = query
  const spans = intervalsOf(timeZone, interval, timeOf(at, query), MAX_INTERVALS)
  if (!spans) throw tooManyIntervals({ most: MAX_INTERVALS })
  return { spans, before: query.compare ? alignEnds(spans, intervalsBefore(timeZone, interval, spans)) : [] }
}

/** Each interval with the one before at its place; where there are fewer, the first have an empty one. */
function alignEnds(spans: readonly Span[], before: readonly Span[]): Span[] {
  const from = before[0]?.from ?? spans[0]?.from ?? 0
  const missing = Array.from({ length: spans.length - before.length }, () => ({ from, to: from }))
  return [...missing, ...before]
}

/** The figures of each span, market and currency; if it `splits`, of first orders and of others. */
export async function readCells(
  db: Db,
  businessId: string,
  spans: readonly Span[],
  { market, currency }: Pick<SalesQuery, 'market' | 'currency'>,
  splits = false,
): Promise<{ cells: Cell[]; upToEvent: number }> {
  const pieces = spans.flatMap((span, interval) =>
    piecesOf(span, GRAINS.SALES).map((piece) => ({ ...piece, interval })),
  )
  const column = (name: keyof (typeof pieces)[number]) => pieces.map((piece) => piece[name])
  // `offset 0`: each piece is read through the index. Joined as a whole, PostgreSQL would compare every piece with every row.
  const { rows } = await sql<(Row | { interval: null }) & { upToEvent: number }>`
    select found.*, ${ordersUpTo(businessId)} as up_to_event
      from (select) as one
      left join (
        select piece.interval, sums.market, sums.currency, sums.subject, ${FIGURES}
          from unnest(${column('interval')}::integer[], ${column('grain')}::integer[], ${column('from')}::integer[],
                      ${column('to')}::integer[]) as piece (interval, grain, first, last)
         cross join lateral (
           select *
             from reports.sums
            where sums.business_id = ${businessId} and sums.kind = 'SALES' and sums.grain = piece.grain
              and sums.at >= piece.first and sums.at < piece.last
              ${splits ? sql`` : sql`and sums.subject = ${ALL}`}
              ${market === undefined ? sql`` : sql`and sums.market = ${market}`}
              ${currency === undefined ? sql`` : sql`and sums.currency = ${currency}`}
           offset 0) as sums
         group by 1, 2, 3, 4
         limit ${MAX_CELLS + 1}) as found on true`.execute(db)
  if (rows.length > MAX_CELLS) throw tooManyFigures({ most: MAX_CELLS })
  const found = rows.filter((row): row is (typeof rows)[number] & Row => row.interval !== null)
  return { cells: splits ? splitCells(found) : found.map(cellOf), upToEvent: rows[0]?.upToEvent ?? 0 }
}

const cellOf = ({ interval, market, currency, ...row }: Row): Cell => ({
  interval,
  market,
  currency,
  figures: figuresOf(row),
})

/** First orders are among all of them: those of customers who return are the others. */
function splitCells(rows: readonly Row[]): Cell[] {
  const keyOf = ({ interval, market, currency }: Row) => `${interval} ${market} ${currency}`
  const firsts = new Map(rows.filter(({ subject }) => subject === FIRST).map((row) => [keyOf(row), figuresOf(row)]))
  return rows.flatMap((row): Cell[] => {
    if (row.subject === FIRST) return [{ ...cellOf(row), customer: 'NEW' }]
    const first = firsts.get(keyOf(row))
    const cell = cellOf(row)
    const figures = first ? less(cell.figures, first) : cell.figures
    return figures.orders > 0 ? [{ ...cell, customer: 'RETURNING', figures }] : []
  })
}

/** A row for each span and place that has something, by time; with `compares`, also where only the time before has. */
export function toRows(
  cells: readonly Cell[],
  spans: readonly Span[],
  before: readonly Span[],
  compares: boolean,
): (SalesRow & Pick<Place, 'customer'>)[] {
  const byPlace = new Map<string, { place: Place; cells: Map<number, Figures> }>()
  for (const { interval, figures, ...place } of cells) {
    const key = `${place.market} ${place.currency} ${place.customer ?? ''}`
    const known = byPlace.get(key) ?? { place, cells: new Map<number, Figures>() }
    known.cells.set(interval, figures)
    byPlace.set(key, known)
  }
  const places = [...byPlace.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, known]) => known)
  return spans.flatMap((span, index) =>
    places.flatMap(({ place, cells: of }) => {
      const [now, past] = [of.get(index), of.get(spans.length + index)]
      if (!now && !past) return []
      const showOf = (shown: Span, figures: Figures | undefined) => ({
        from: toSeconds(shown.from),
        to: toSeconds(shown.to),
        ...orNothing(figures),
        orderQuery: orderQueryOf(shown, place),
      })
      const earlier = before[index]
      return [{ ...place, ...showOf(span, now), ...(compares && earlier && { previous: showOf(earlier, past) }) }]
    }),
  )
}
