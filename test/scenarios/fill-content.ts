import { openPool } from '#platform/database/connection.ts'
import { type Cell } from '#platform/database/database.ts'

export type Filling = { businessId: string; entries: number; businesses?: number; entriesEach?: number }

/** Of ten entries six are in the journal, three in the guides, one in the letters, which are for those who pay. */
export const FILLED = { journal: 'col_journal', guides: 'col_guides', letters: 'col_letters' } as const
export const TOPICS = 5_000
export const filledId = (number: number) => `ent_${String(number).padStart(26, '0')}`

const LANGUAGES = 'en,de,fr,es,it,pt,nl,da,sv,nb,fi,is,pl,cs,sk,sl,hr,hu,ro,bg,el,tr,uk,lt,lv'
export const LOCALES = LANGUAGES.split(',').flatMap((language) => [language, `${language}-CH`])
const COLOURS = 'red,blue,green,black,white,amber,coral,ivory,olive,plum'
const THINGS = 'shirt,trousers,jacket,lantern,chair,mug,poster,satchel,hat,scarf,kettle,blanket'
const KINDS = 'story,guide,note,recipe'
const OTHER_WORDS = 'made,with,care,workshop,soft,durable,washable,topic'
const SECONDS = 1_789_000_000
const AT = `to_timestamp(${SECONDS})`

const SCHEMA = [
  { id: 'title', type: 'TEXT', required: true },
  { id: 'kind', type: 'SELECT', settings: { options: KINDS.split(',') } },
  { id: 'topic', type: 'TEXT' },
  { id: 'featured', type: 'BOOLEAN' },
  { id: 'number', type: 'NUMBER', settings: { integer: true } },
  { id: 'body', type: 'TEXT', settings: { variant: 'HTML' } },
  { id: 'related', type: 'RELATIONSHIP', settings: { targetType: 'ENTRY' } },
]
const PLANS = [{ id: 'monthly', name: 'Monthly', price: { amount: 500, currency: 'usd', interval: 'MONTHLY' } }]
const times = { createdAt: SECONDS, updatedAt: SECONDS }

/** SQL for the text of that JSON: each `<column>` in it stands for what the column holds. */
const toSql = (json: unknown) => {
  const bare = /"<(n|number|featured|blocks|statuses|plans)>"/g
  return `'${JSON.stringify(json)
    .replaceAll(bare, '<$1>')
    .replaceAll(/<(\w+)>/g, "' || $1 || '")}'`
}
const STATUSES = toSql([{ id: 'sts_1', status: '<status>', changedBy: 'SYSTEM', timestamp: SECONDS }])
const BLOCKS = toSql(SCHEMA.map((block) => ({ ...block, value: `<${block.id}>` })))
const owned = { id: '<id>', businessId: '<business_id>' }
const entry = { ...owned, owner: 'collection:<collection_id>', locale: '<locale>', blocks: '<blocks>' }
const DOCUMENT = toSql({ ...entry, statuses: '<statuses>', schemaVersion: 1, ...times })
const collection = { ...owned, name: '<name>', slug: '<slug>', description: '', type: '<type>', blocks: SCHEMA }
const COLLECTION = toSql({ ...collection, statuses: '<statuses>', schemaVersion: 1, ...times })
const NEWSLETTER = toSql({
  ...collection,
  statuses: '<statuses>',
  plans: PLANS,
  doubleOptIn: false,
  schemaVersion: 1,
  ...times,
})

/**
 * One business with many entries, and many businesses with some, straight into the tables, as the API would have written them but
 * for their versions: a quarter is of each `kind`, a fiftieth in each locale, `topic-<n>` is rare. Far too many to go through the
 * API; what is measured on them does.
 */
export async function fillContent(
  db: Cell,
  { businessId, entries, businesses = 0, entriesEach = 0 }: Filling,
  note?: (text: string) => void,
): Promise<void> {
  const pool = openPool(db.address.directUrl, { max: 1, statementTimeoutMs: 3_600_000 })
  const run = async (label: string, text: string) => {
    const start = performance.now()
    await pool.query(text)
    note?.(`${label}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
  }
  const owners = `
    select '${businessId}' as business_id, 0 as base, ${entries} as count
     union all
    select 'biz_other' || b, b * 1000, ${entriesEach} from generate_series(1, ${businesses}) as b`
  await pool.query(
    "set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '512MB'",
  )
  // An index is made faster than it is kept up row by row.
  const { rows } = await pool.query("select pg_get_indexdef('content.search_terms'::regclass) as definition")
  await pool.query('drop index content.search_terms')
  await run(
    'collections',
    `
    insert into content.collections
           (business_id, id, name, slug, description, type, blocks, statuses, status, plans, is_paid, schema_version, version,
            document, created_at, updated_at)
    select business_id, id, name, slug, '', type, '${JSON.stringify(SCHEMA)}', statuses::json, status, plans::json, plans <> '[]', 1, 1,
           case type when 'NEWSLETTER' then ${NEWSLETTER} else ${COLLECTION} end, ${AT}, ${AT}
      from (${owners}) as owners
     cross join (values ('${FILLED.journal}', 'Journal', 'journal', 'STANDARD', '[]'),
                        ('${FILLED.guides}', 'Guides', 'guides', 'STANDARD', '[]'),
                        ('${FILLED.letters}', 'Letters', 'letters', 'NEWSLETTER', '${JSON.stringify(PLANS)}')
                ) as made (id, name, slug, type, plans)
     cross join (values ('PUBLISHED')) as current (status)
     cross join lateral (select ${STATUSES} as statuses) as history`,
  )
  await run(
    'what is in the entries',
    `
    create temporary table filled as
    select business_id, n, n % ${TOPICS} as rare, ${idOf('n')} as id, ${idOf('base + 1 + (n - base) % least(count, 1000)')} as related,
           case when n % 10 < 6 then '${FILLED.journal}' when n % 10 < 9 then '${FILLED.guides}' else '${FILLED.letters}' end as collection_id,
           ${oneOf(LOCALES.join(','), 'n / 13')} as locale, ${oneOf(KINDS, 'n / 7')} as kind,
           case n / 17 % 20 when 0 then 'DRAFT' when 1 then 'ARCHIVED' else 'PUBLISHED' end as status,
           'topic-' || n % ${TOPICS} as topic, (n / 11 % 2 = 0)::text as featured, n as number,
           initcap(colour) || ' ' || thing || ' no ' || n as title, colour, thing
      from (${owners}) as owners
     cross join lateral generate_series(base + 1, base + count) as numbers (n)
     cross join lateral (select ${oneOf(COLOURS, 'n / 10')} as colour, ${oneOf(THINGS, 'n / 100')} as thing) as words`,
  )
  await run(
    'entries',
    `
    insert into content.entries
           (business_id, id, owner, collection_id, locale, blocks, statuses, status, schema_version, stale, publish_at, targets,
            version, document, created_at, updated_at)
    select business_id, id, 'collection:' || collection_id, collection_id, locale, blocks::json, statuses::json, status, 1, false, null,
           array['ENTRY ' || related], 1, ${DOCUMENT}, ${AT}, ${AT}
      from filled
     cross join lateral (
       select '<p>A ' || colour || ' ' || thing || ' made with care in workshop w' || rare || '.</p><p>'
                || repeat('Soft, durable, washable. ', 12) || '</p>' as body) as long
     cross join lateral (select ${BLOCKS} as blocks, ${STATUSES} as statuses) as written`,
  )
  await run(
    'values',
    `
    insert into content.entry_values
    select business_id, collection_id, block_id, value, status, id
      from filled
     cross join lateral (values ('', 'l:' || locale), ('title', 't:' || title), ('kind', 't:' || kind), ('topic', 't:' || topic),
                                ('featured', 't:' || featured), ('number', 'n:' || number), ('related', 't:' || related)
                        ) as held (block_id, value)
     order by 1, 2, 3, 4, 5, 6`,
  )
  await run(
    'search',
    `
    insert into content.search (business_id, entry_id, collection_id, status, held, terms)
    select business_id, id, collection_id, status,
           array[' l:' || locale, 'title t:' || title, 'kind t:' || kind, 'topic t:' || topic, 'featured t:' || featured, 'number n:' || number,
                 'related t:' || related],
           (format('%s:1A %s:1A no:1A %s:1A %s:1B topic:1C w%s:1D ', colour, thing, n, kind, rare)
              || case when n <> rare then rare || ':1C ' else '' end
              || 'a:1D made:1D with:1D care:1D in:1D workshop:1D soft:1D durable:1D washable:1D')::tsvector
      from filled`,
  )
  await run(
    'spellings',
    `
    insert into content.spellings
    select business_id, spelling, word
      from (select business_id, colour as word from filled
             union select business_id, thing from filled
             union select business_id, kind from filled
             union select business_id, unnest('{${OTHER_WORDS}}'::text[]) from filled) as words
     cross join lateral (
       select word as spelling union
       select overlay(word placing '' from at for 1) from generate_series(1, length(word)) as letter (at)) as shortened`,
  )
  await run('index of search terms', rows[0]?.definition)
  await run(
    'analyze',
    'vacuum analyze content.collections, content.entries, content.entry_values, content.search, content.spellings',
  )
  await pool.end()
}

const idOf = (number: string) => `'ent_' || lpad((${number})::text, 26, '0')`
const oneOf = (words: string, place: string) => `('{${words}}'::text[])[1 + ${place} % ${words.split(',').length}]`

/** A thousand collections, as many as there may be, each with some of the entries that the first has. Needs `fillContent`. */
export async function spreadContent(db: Cell, businessId: string, entriesEach: number): Promise<void> {
  const pool = openPool(db.address.directUrl, { max: 1, statementTimeoutMs: 600_000 })
  const columnsOf = async (table: string, changes: Record<string, string>) => {
    const { rows } = await pool.query<{ name: string }>(
      'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum',
      [`content.${table}`],
    )
    return rows.map(({ name }) => changes[name] ?? name).join(', ')
  }
  const spread = `'col_spread' || n`
  await pool.query(`
    insert into content.collections
    select ${await columnsOf('collections', { id: spread, slug: `'spread-' || n`, is_paid: 'false' })}
      from content.collections
     cross join generate_series(1, 1000 - 3) as n
     where business_id = '${businessId}' and id = '${FILLED.journal}'`)
  const entry = idOf(`1000000000 + n * 1000 + right(entry_id, 6)::integer`)
  for (const [table, id] of [
    ['entries', 'id'],
    ['entry_values', 'entry_id'],
    ['search', 'entry_id'],
  ] as const) {
    await pool.query(`
      insert into content.${table}
      select ${await columnsOf(table, { collection_id: spread, [id]: entry.replaceAll('entry_id', id) })}
        from content.${table}
       cross join generate_series(1, 1000 - 3) as n
       where business_id = '${businessId}' and ${id} <= '${filledId(entriesEach)}'`)
  }
  await pool.query('vacuum analyze content.collections, content.entries, content.entry_values, content.search')
  await pool.end()
}
