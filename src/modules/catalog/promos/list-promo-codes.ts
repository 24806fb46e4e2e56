import { type RawBuilder, sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { decodeCursor } from '#vocabulary/paging.ts'
import { livePromos, toPromo } from './change-promo-code.ts'
import { foldCode } from './promo-code.ts'
import type { PromoCodeQuery, PromoCountQuery, PromoCounts, PromoStatus } from './schemas.ts'

/** As `promoRefusal` has it, with the uses; in the order of `PROMO_STATUSES`. */
const statusAt = (at: Date): RawBuilder<PromoStatus> => sql`
  case when ends_at <= ${at} then 'ENDED'
       when redemptions >= max_redemptions then 'USED_UP'
       when starts_at > ${at} then 'PLANNED'
       else 'ACTIVE'
  end`

/** Newest first. */
export async function listPromos(db: Db, businessId: string, asked: PromoCodeQuery) {
  const { limit = 20, cursor, code, query, market, status } = asked
  const folded = code === undefined ? undefined : foldCode(code)
  const filters = { list: 'promo-codes', businessId, code: folded, query, market, status }
  const position = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const rows = await matching(db, businessId, asked)
    .selectAll()
    .$if(folded !== undefined, (promos) => promos.where('code', '=', folded ?? ''))
    .$if(status !== undefined, (promos) => promos.where(statusAt(now()), 'in', status ?? []))
    .$if(position !== undefined, (promos) => promos.where('id', '<', position ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return { rows: rows.map(toPromo), filters }
}

/** How many have each status. */
export async function countPromos(db: Db, businessId: string, asked: PromoCountQuery): Promise<PromoCounts['items']> {
  const counted = matching(db, businessId, asked).select(statusAt(now()).as('value'))
  return db
    .selectFrom(counted.as('counted'))
    .select(['value', ({ fn }) => fn.countAll<number>().as('count')])
    .groupBy('value')
    .orderBy('value')
    .execute()
}

function matching(db: Db, businessId: string, { query, market }: PromoCountQuery) {
  const part = foldCode(query ?? '')
  return livePromos(db, businessId)
    .$if(part !== '', (promos) => promos.where(sql<boolean>`position(${part} in code) > 0`))
    .$if(market !== undefined, (promos) => promos.where(sql<boolean>`coalesce(${market} = any (markets), true)`))
}
