import { sql } from 'kysely'
import type { Cell } from '#platform/database/database.ts'

const STEP = 20_000
/** Of so many files, one is of that kind, or in that state. */
export const RARE = { audio: 1_000, application: 20, pending: 500, rejected: 400, unused: 2_000 }

/** Files straight into the tables; nothing is in the store. `file <n>` is the name of each, and a word that few have. */
export async function fillMedia(db: Cell, { businessId, files }: { businessId: string; files: number }): Promise<void> {
  for (let from = 0; from < files; from += STEP) {
    await db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx)
      await sql`
        insert into media.files (
          business_id, id, status, problem, file_name, sort_name, mime_type, kind, size, sha256, alt, tags, words, width, height,
          is_transparent, is_animated, placeholder, avif, upload_expires_at, completed_at, created_at, updated_at)
        select ${businessId}, 'med_' || lpad(n::text, 12, '0'), status, case status when 'REJECTED' then 'BROKEN' end,
               name, name, mime_type, split_part(mime_type, '/', 1), 1000 + n::bigint * 7919 % 5000000,
               encode(sha256(n::text::bytea), 'hex'), '{}', '{}', array['file', 'colour' || n % 10, 'number' || n / 10],
               case when is_ready then 1200 end, case when is_ready then 800 end, case when is_ready then false end,
               case when is_ready then false end, case when is_ready then 'data:' end, case when is_ready then 'DONE' end,
               at, at, at, at
          from (select n, 'file ' || md5(n::text) as name, now() - n * interval '0.3 seconds' as at, status, mime_type,
                       status = 'READY' and mime_type = 'image/jpeg' as is_ready
                  from generate_series(${from}::int, ${Math.min(from + STEP, files) - 1}::int) as n,
                       lateral (select case when n % ${RARE.pending} = 7 then 'PENDING'
                                            when n % ${RARE.rejected} = 9 then 'REJECTED' else 'READY' end as status,
                                       case when n % ${RARE.audio} = 3 then 'audio/mpeg'
                                            when n % ${RARE.application} = 5 then 'application/pdf'
                                            else 'image/jpeg' end as mime_type) as what) as made`.execute(tx)
      await sql`
        insert into media.words (business_id, word, file_id)
        select business_id, unnest(words), id from media.files
         where business_id = ${businessId} and id >= ${idOf(from)} and id < ${idOf(from + STEP)}`.execute(tx)
      await sql`
        insert into media.usages (business_id, kind, record_id, media_id)
        select business_id, 'PRODUCT', 'prod_' || id, id from media.files
         where business_id = ${businessId} and id >= ${idOf(from)} and id < ${idOf(from + STEP)}
           and substr(id, 5)::int % ${RARE.unused} <> 11`.execute(tx)
    })
  }
  await sql`
    insert into media.used (business_id, bytes)
    select business_id, sum(size) from media.files where business_id = ${businessId} and status <> 'REJECTED' group by 1`.execute(
    db,
  )
  await sql`vacuum (analyze) media.files, media.words, media.usages`.execute(db)
}

export const idOf = (number: number) => `med_${String(number).padStart(12, '0')}`
