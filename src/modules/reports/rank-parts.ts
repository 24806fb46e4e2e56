import { type RawBuilder, sql } from 'kysely'
import { type Piece, piecesOf, type Span } from './periods.ts'
import type { ProductSort } from './schemas.ts'
import { GRAINS, type Kind } from './sums.ts'

export type Ranking = {
  businessId: string
  kind: Exclude<Kind, 'SALES'>
  span: Span
  market: string | undefined
  currency: string | undefined
  sort: ProductSort
  limit: number
}

/** What parts are sorted by, and the column that holds the power of two below it. */
const SORTS: Record<ProductSort, { figure: RawBuilder<unknown>; size: RawBuilder<unknown> }> = {
  '-net': { figure: sql`sums.total - sums.refunded`, size: sql`sums.net_size` },
  '-units': { figure: sql`sums.units`, size: sql`sums.unit_size` },
}

/** From this length on, the rows of a span are found by size. */
const LONG = 96
/** A power of two is computed with an error far below this. */
const SLACK = 1.000_001

const clamped = (sum: RawBuilder<unknown>) => sql`least(greatest(${sum}, -9007199254740991), 9007199254740991)::bigint`

const within = ({ businessId, kind, market, currency }: Ranking, columnOf = plain) => sql`
  sums.business_id = ${businessId} and sums.kind = ${kind}
  ${market === undefined ? sql`` : sql`and ${columnOf('market')} = ${market}`}
  ${currency === undefined ? sql`` : sql`and ${columnOf('currency')} = ${currency}`}`
const plain = (column: 'market' | 'currency') => sql.ref(`sums.${column}`)
/** Which no index can look up: otherwise PostgreSQL expects so few rows that it would rather sort all than take the largest first. */
const inOrder = (column: 'market' | 'currency') => sql`(${plain(column)} || '')`

/** The rows of these pieces, each piece with bounds of its own: joined to a list of pieces, PostgreSQL could not tell how many they are. */
const rowsOf = (ranking: Ranking, pieces: readonly Piece[]) =>
  pieces.length === 0
    ? sql`select ''::text as market, ''::text as currency, 0::bigint as subject, 0::bigint as figure where false`
    : sql.join(
        pieces.map(
          ({ grain, from, to }) => sql`
            select sums.market, sums.currency, sums.subject, ${SORTS[ranking.sort].figure} as figure
              from reports.sums
             where ${within(ranking)} and sums.grain = ${grain} and sums.at >= ${from} and sums.at < ${to}`,
        ),
        sql` union all `,
      )

/** Tables `ranked`, all parts of a span with what they are sorted by, and `bound`, which is of `leadersSql`. */
export const allSql = (ranking: Ranking) => sql`
  ranked as (
    select subject, market, currency, ${clamped(sql`sum(figure)`)} as rank
      from (${rowsOf(ranking, piecesOf(ranking.span, GRAINS[ranking.kind]))}) as parts
     group by 1, 2, 3
  ), bound as (select null::float8 as most)`

/**
 * The same for the parts that lead in some piece of the span: the largest of each long span, found by their size, and of the short
 * ones together. No other part comes to more than `bound`: the sum of what each piece has left out at most; null if nothing was.
 * What sells most does so all year: of a hundred thousand parts some hundreds are added up.
 */
export function leadersSql(ranking: Ranking) {
  const pieces = piecesOf(ranking.span, GRAINS[ranking.kind])
  const long = pieces
    .filter(({ grain }) => grain >= LONG)
    .flatMap(({ grain, from, to }) =>
      Array.from({ length: (to - from) / grain }, (_, index) => ({ grain, at: from + index * grain })),
    )
  const short = pieces.filter(({ grain }) => grain < LONG)
  const most = Math.max(100, 10 * ranking.limit)
  const { figure, size } = SORTS[ranking.sort]
  const spans = sql`
    unnest(${long.map(({ grain }) => grain)}::integer[], ${long.map(({ at }) => at)}::integer[]) as span (grain, at)`
  return sql`
    edges as materialized (
      select subject, market, currency, sum(figure) as figure from (${rowsOf(ranking, short)}) as parts group by 1, 2, 3
    ), edge_leaders as materialized (
      select * from edges order by figure desc limit ${most}
    ), span_leaders as materialized (
      select span.grain, span.at, leader.*
        from ${spans}
       cross join lateral (
         select sums.subject, sums.market, sums.currency, ${size} as size
           from reports.sums
          where ${within(ranking, inOrder)} and sums.kind <> 'SALES' and sums.grain = span.grain and sums.grain >= ${sql.lit(LONG)}
            and sums.at = span.at
          order by ${size} desc
          limit ${most}) as leader
    ), bound as (
      select sum(most) as most
        from (select power(2, min(size) + 1) * ${sql.lit(SLACK)}::float8 as most
                from span_leaders group by grain, at having count(*) = ${most}
               union all
              select min(figure)::float8 * ${sql.lit(SLACK)}::float8 from edge_leaders having count(*) = ${most}) as left_out
    ), leaders as materialized (
      select subject, market, currency from span_leaders union select subject, market, currency from edge_leaders
    ), ranked as (
      select leaders.subject, leaders.market, leaders.currency,
             ${clamped(sql`coalesce(spans.figure, 0) + coalesce(edges.figure, 0)`)} as rank
        from leaders
        left join edges using (subject, market, currency)
       cross join lateral (
         select sum(one.figure) as figure
           from ${spans}
          cross join lateral (
            select ${figure} as figure
              from reports.sums
             where sums.business_id = ${ranking.businessId} and sums.kind = ${ranking.kind} and sums.grain = span.grain
               and sums.at = span.at and sums.subject = leaders.subject and sums.market = leaders.market
               and sums.currency = leaders.currency
             limit 1) as one) as spans
    )`
}
