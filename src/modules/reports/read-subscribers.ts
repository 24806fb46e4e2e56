import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { READER_GRAINS } from './count-subscriptions.ts'
import { tooManyFigures, tooManyIntervals } from './errors.ts'
import { intervalsBefore, intervalsOf, piecesOf, type Span, toSeconds } from './periods.ts'
import { MAX_CELLS, MAX_INTERVALS } from './read-sales.ts'
import type { SubscribersQuery, SubscribersReport, SubscribersRow } from './schemas.ts'
import { type Asker, timeOf } from './time-asked.ts'
import { subscriptionsUpTo } from './up-to.ts'

type Row = { collectionId: string | null; interval: number; joined: number; left: number; upToEvent: number }
type Change = { joined: number; left: number }

/** Who came and who went. How many are active at an end is all who came before it, less all who went. */
export async function readSubscribers(db: Db, asker: Asker, query: SubscribersQuery): Promise<SubscribersReport> {
  const { businessId, timeZone, at } = asker
  const { interval = 'day', collectionId, compare } = query
  const spans = intervalsOf(timeZone, interval, timeOf(at, query), MAX_INTERVALS)
  if (!spans) throw tooManyIntervals({ most: MAX_INTERVALS })
  const before = compare ? intervalsBefore(timeZone, interval, spans) : []
  const line = [...before, ...spans]
  const first = line[0] as Span
  // All that was before the first is one more span, in front.
  const pieces = [{ from: 0, to: first.from }, ...line].flatMap((span, index) =>
    piecesOf(span, READER_GRAINS).map((piece) => ({ ...piece, index })),
  )
  const column = (name: keyof (typeof pieces)[number]) => pieces.map((piece) => piece[name])
  const { rows } = await sql<Row>`
    select found.*, ${subscriptionsUpTo(businessId)} as up_to_event
      from (select) as one
      left join (
        select piece.interval, readers.collection_id, sum(readers.joined)::bigint as joined, sum(readers."left")::bigint as "left"
          from unnest(${column('index')}::integer[], ${column('grain')}::integer[], ${column('from')}::integer[],
                      ${column('to')}::integer[]) as piece (interval, grain, first, last)
         cross join lateral (
           select *
             from reports.readers
            where readers.business_id = ${businessId} and readers.grain = piece.grain
              and readers.at >= piece.first and readers.at < piece.last
              ${collectionId === undefined ? sql`` : sql`and readers.collection_id = ${collectionId}`}
           offset 0) as readers
         group by 1, 2) as found on true`.execute(db)
  const byCollection = Map.groupBy(
    rows.filter((row) => row.collectionId !== null),
    (row) => row.collectionId as string,
  )
  if (byCollection.size * line.length > MAX_CELLS) throw tooManyFigures({ most: MAX_CELLS })
  const items = [...byCollection.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, changes]) => rowsOf(id, changes, line, before.length, compare !== undefined))
  return {
    items: spans.flatMap((_, index) => items.flatMap((of) => of[index] ?? [])),
    upToEvent: rows[0]?.upToEvent ?? 0,
  }
}

/** A row for each span of one newsletter, undefined where there is nothing to tell. */
function rowsOf(
  collectionId: string,
  changes: readonly (Change & { interval: number })[],
  line: readonly Span[],
  before: number,
  compares: boolean,
): (SubscribersRow | undefined)[] {
  const byInterval = new Map(changes.map(({ interval, joined, left }) => [interval, { joined, left }]))
  const changeIn = (index: number): Change => byInterval.get(index) ?? { joined: 0, left: 0 }
  let active = changeIn(0).joined - changeIn(0).left
  const shown = line.map(({ from, to }, index) => {
    const { joined, left } = changeIn(index + 1)
    active += joined - left
    return { from: toSeconds(from), to: toSeconds(to), joined, left, active }
  })
  const hasSomething = (row: Change & { active: number }) => row.joined + row.left + row.active > 0
  return shown.slice(before).map((row, index) => {
    const previous = compares ? shown[before - (shown.length - before) + index] : undefined
    if (!hasSomething(row) && !(previous && hasSomething(previous))) return undefined
    return { collectionId, ...row, ...(previous && { previous }) }
  })
}
