import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import type { Clicks } from '../schemas.ts'
import { getSend } from '../sending/queries.ts'
import type { SendRow } from '../sending/send.ts'

type Counted = { link: number; clicks: number; readers: number }

/** What readers of a send have clicked, in the order of the letter. */
export async function countClicks(
  db: Db,
  businessId: string,
  { entryId, id: sendId }: { entryId: string; id: string },
): Promise<Clicks> {
  return countClicksOf(db, await getSend(db, businessId, entryId, sendId))
}

export async function countClicksOf(
  db: Db,
  { businessId, id: sendId, links }: Pick<SendRow, 'businessId' | 'id' | 'links'>,
): Promise<Clicks> {
  if (!links) return { isCounted: false, readers: 0, links: [] }
  const { rows } = await sql<Counted & { link: number | null }>`
    select link, sum(clicks)::int as clicks, count(distinct subscription_id)::int as readers
      from newsletter.clicks
     where business_id = ${businessId} and send_id = ${sendId}
     group by grouping sets ((link), ())`.execute(db)
  const byLink = new Map(rows.map((row) => [row.link, row]))
  return {
    isCounted: true,
    readers: byLink.get(null as never)?.readers ?? 0,
    links: links.map((url, link) => ({
      url,
      clicks: byLink.get(link)?.clicks ?? 0,
      readers: byLink.get(link)?.readers ?? 0,
    })),
  }
}
