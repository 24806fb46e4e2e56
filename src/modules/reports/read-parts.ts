import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { decodeCursor, encodeCursor, type Filters } from '#vocabulary/paging.ts'
import { FIGURES, figuresOf, orNothing, type Summed } from './figures.ts'
import { type Narrowed, orderQueryOf } from './order-query.ts'
import { daysBefore, daysOf, piecesOf, type Span, toSeconds } from './periods.ts'
import { allSql, leadersSql } from './rank-parts.ts'
import type {
  Figures,
  ProductSort,
  ProductsQuery,
  ProductsReport,
  ProductsRow,
  PromoCodesReport,
  PromoCodesRow,
} from './schemas.ts'
import { GRAINS, type Kind } from './sums.ts'
import { type Asker, timeOf } from './time-asked.ts'
import { ordersUpTo } from './up-to.ts'

type Part = {
  subject: number
  market: string
  currency: string
  rank: number
  key: string
  variantId: string
  name: string
  now: Summed
  past: Summed | null
}
type PartKind = Exclude<Kind, 'SALES'>
type Place = { rank: number; subject: number; market: string; currency: string }

/** What of all sales is each variant's. */
export async function readProducts(db: Db, asker: Asker, query: ProductsQuery): Promise<ProductsReport> {
  const { parts, spans, cursor, upToEvent } = await readPage(db, asker, 'PRODUCT', query)
  return { items: parts.map((part) => toProduct(part, spans)), cursor, upToEvent }
}

/** What orders with each promo code come to. */
export async function readPromoCodes(db: Db, asker: Asker, query: ProductsQuery): Promise<PromoCodesReport> {
  const { parts, spans, cursor, upToEvent } = await readPage(db, asker, 'PROMO', query)
  const items = parts.map(
    (part): PromoCodesRow => ({ ...toRow(part, spans, { promoCode: part.key }), promoCode: part.key }),
  )
  return { items, cursor, upToEvent }
}

type Spans = { now: Span; past: Span | undefined }

export const toProduct = (part: Part, spans: Spans): ProductsRow => ({
  ...toRow(part, spans, { productId: part.key, variantId: part.variantId }),
  productId: part.key,
  variantId: part.variantId,
  name: part.name,
})

function toRow({ market, currency, now, past }: Part, spans: Spans, narrowed: Narrowed) {
  const show = (span: Span, figures: Figures | undefined) => ({
    from: toSeconds(span.from),
    to: toSeconds(span.to),
    ...orNothing(figures),
    orderQuery: orderQueryOf(span, { market, currency, ...narrowed }),
  })
  return {
    market,
    currency,
    ...show(spans.now, figuresOf(now)),
    ...(spans.past && { previous: show(spans.past, past ? figuresOf(past) : undefined) }),
  }
}

async function readPage(db: Db, { businessId, timeZone, at }: Asker, kind: PartKind, query: ProductsQuery) {
  const { limit = 20, cursor, market, currency, sort = '-net', compare } = query
  const now = daysOf(timeZone, timeOf(at, query))
  const spans = { now, past: compare && daysBefore(timeZone, now) }
  const marks: Filters = { list: `reports-${kind}`, businessId, market, currency, sort, from: now.from, to: now.to }
  const position = decodeCursor(marks, cursor, ['number', 'number', 'string', 'string'])
  const [rank, subject, ofMarket, ofCurrency] = position ?? []
  const after = position && {
    rank: Number(rank),
    subject: Number(subject),
    market: String(ofMarket),
    currency: String(ofCurrency),
  }
  const { parts, upToEvent } = await readParts(db, { businessId, kind, spans, market, currency, sort, after, limit })
  const shown = parts.slice(0, limit)
  const last = parts.length > limit ? shown.at(-1) : undefined
  return {
    parts: shown,
    spans,
    cursor: last ? encodeCursor(marks, [last.rank, last.subject, last.market, last.currency]) : null,
    upToEvent,
  }
}

type Asked = {
  businessId: string
  kind: PartKind
  spans: Spans
  market?: string | undefined
  currency?: string | undefined
  sort: ProductSort
  after?: Place | undefined
  limit: number
}

/**
 * The parts that rank highest in a span, one more than `limit` if there are more. Only those that lead somewhere are added up; if
 * that cannot show which ones are highest, because many sell alike or the page is a late one, all are.
 */
export async function readParts(db: Db, asked: Asked): Promise<Found> {
  const { parts, most, upToEvent } = await readRanked(db, asked, leadersSql)
  const isSure = most === null || (parts.length > asked.limit && (parts[asked.limit - 1]?.rank ?? 0) > most)
  return isSure ? { parts, upToEvent } : readRanked(db, asked, allSql)
}

type Found = { parts: Part[]; upToEvent: number }

/** Parts are added up by what they are sorted by alone; the other figures are read for those of the page. */
async function readRanked(db: Db, asked: Asked, rankedSql: typeof allSql): Promise<Found & { most: number | null }> {
  const { businessId, kind, spans, market, currency, sort, after, limit } = asked
  const { rows } = await sql<(Part | { subject: null }) & { most: number | null; upToEvent: number }>`
    with ${rankedSql({ businessId, kind, span: spans.now, market, currency, sort, limit })}, page as materialized (
      select *
        from ranked
       where ${
         after
           ? sql`(rank, subject, market, currency)
                 < (${after.rank}::bigint, ${after.subject}::bigint, ${after.market}, ${after.currency})`
           : sql`true`
       }
       order by rank desc, subject desc, market desc, currency desc
       limit ${limit + 1}
    )
    select page.*, subjects.key, subjects.variant_id, subjects.name, now.figures as now,
           ${spans.past ? sql`past.figures` : sql`null`} as past, bound.most, ${ordersUpTo(businessId)} as up_to_event
      from bound
      left join page on true
      left join reports.subjects
        on subjects.business_id = ${businessId} and subjects.kind = ${kind} and subjects.number = page.subject
      left join lateral (${figuresSql(businessId, kind, spans.now)}) as now on true
      ${spans.past ? sql`left join lateral (${figuresSql(businessId, kind, spans.past)}) as past on true` : sql``}
     order by page.rank desc, page.subject desc, page.market desc, page.currency desc`.execute(db)
  return {
    parts: rows.filter((row): row is Part & (typeof rows)[number] => row.subject !== null),
    most: rows[0]?.most ?? null,
    upToEvent: rows[0]?.upToEvent ?? 0,
  }
}

function piecesSql(span: Span, kind: PartKind) {
  const pieces = piecesOf(span, GRAINS[kind])
  return sql`
    unnest(${pieces.map(({ grain }) => grain)}::integer[], ${pieces.map(({ from }) => from)}::integer[],
           ${pieces.map(({ to }) => to)}::integer[]) as piece (grain, first, last)`
}

/** All figures of a part in a span, by the keys of its pieces. */
const figuresSql = (businessId: string, kind: PartKind, span: Span) => sql`
  select to_json(summed) as figures
    from (select ${FIGURES}
            from ${piecesSql(span, kind)}
           cross join generate_series(piece.first, piece.last - 1, piece.grain) as span (at)
           cross join lateral (
             select *
               from reports.sums
              where sums.business_id = ${businessId} and sums.kind = ${kind} and sums.grain = piece.grain and sums.at = span.at
                and sums.subject = page.subject and sums.market = page.market and sums.currency = page.currency
              limit 1) as sums
          having count(*) > 0) as summed`
