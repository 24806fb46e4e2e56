import { sizeOf } from '../../test/scenarios/fill-catalog.ts'
import { FILLED, fillContent, filledId, LOCALES, spreadContent, TOPICS } from '../../test/scenarios/fill-content.ts'
import type { Answer } from '../../test/support/client.ts'
import { findSequentialScans, recordStatements } from '../../test/support/explain.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { p95Bars, percentile, type Run } from '../report/figures.ts'

export const title = 'A million entries in one business, ten thousand businesses beside it'

const WRITERS = 16
/** In each of a thousand collections. The first 33 are drafts or archived. */
const WIDE_ENTRIES = 40
const NOTHING = 'search: nothing found'

type Reads = Record<string, () => Promise<Answer>>

/** Reads through the API, one after another, each with other values: no whole table is read, and how long they take. */
export async function run({ quick, note }: Run) {
  const api = await startApi()
  const make = createMake(api)
  const { id, db, path, admin } = await make.business({ cell: 'main' })
  const wide = await make.business({ cell: 'main' })
  const guest = await make.guest()
  const entries = quick ? 20_000 : 1_000_000
  await fillContent(db, { businessId: wide.id, entries: WIDE_ENTRIES })
  await spreadContent(db, wide.id, WIDE_ENTRIES)
  await fillContent(db, { businessId: id, entries, businesses: quick ? 2_000 : 10_000, entriesEach: 10 }, note)
  for (const table of ['entries', 'entry_values', 'search', 'spellings'])
    note(`${table}: ${await sizeOf(db, `content.${table}`)}`)

  const number = () => 1 + Math.floor(Math.random() * entries)
  /** Of twenty, one is a draft and one archived, and every tenth is for paying readers: guests find none of them. */
  const published = (): number => {
    const any = number()
    return Math.floor(any / 17) % 20 > 1 && any % 10 < 9 ? any : published()
  }
  const pick = (...values: string[]) => values[Math.floor(Math.random() * values.length)] as string
  const colour = () => pick('red', 'blue', 'green', 'olive', 'plum')
  const thing = () => pick('shirt', 'lantern', 'chair', 'satchel', 'kettle')
  const topic = () => `block.topic=topic-${number() % TOPICS}`
  const list = (query: () => string) => () => guest.get(`${path}/entries?${query()}`)
  const reads: Reads = {
    get: () => guest.get(`${path}/entries/${filledId(published())}`),
    'get with relations': () => guest.get(`${path}/entries/${filledId(published())}?include=relations`),
    list: list(() => ''),
    'list, one collection': list(() => `collectionId=${FILLED.guides}&limit=100`),
    'list, all statuses': () => admin.get(`${path}/entries`),
    'list with relations': list(() => 'include=relations'),
    'list across 1,000 collections': () => guest.get(`${wide.path}/entries`),
    'list across 1,000 collections, all statuses': () => wide.admin.get(`${wide.path}/entries`),
    'list across 1,000 collections, by locale and value': () =>
      wide.admin.get(`${wide.path}/entries?locale=en&block.featured=true`),
    locale: list(() => `locale=${pick(...LOCALES)}`),
    'value: common': list(() => `block.kind=${pick('story', 'guide', 'note')}`),
    'value: rare': list(topic),
    'value: two common': list(() => `block.kind=story&block.featured=${pick('true', 'false')}`),
    'value: common and rare': list(() => `block.kind=story&${topic()}`),
    'value: common, in a locale': list(() => `block.kind=story&locale=${pick(...LOCALES)}`),
    'search: rare word': list(() => `query=w${number() % TOPICS}`),
    'search: two common words': list(() => `query=${colour()}%20${thing()}`),
    'search: one common word': list(() => `query=${thing()}`),
    'search: in every entry': list(() => 'query=durable'),
    'search: in every entry, with a rare value': list(() => `query=durable&${topic()}`),
    'search: in every entry, in a locale': list(() => `query=durable&locale=${pick(...LOCALES)}`),
    'search: across 1,000 collections': () => wide.admin.get(`${wide.path}/entries?query=${thing()}`),
    'search: a typo': list(() => `query=${pick('shrit', 'lanten', 'chiar', 'satchell', 'ketle')}`),
    [NOTHING]: list(() => 'query=zzzyx'),
  }
  const times = new Map<string, number[]>()
  const found = new Map<string, number>()
  const measure = async (name: string, read: Reads[string]) => {
    const start = performance.now()
    const { status, text, body } = await read()
    times.set(name, [...(times.get(name) ?? []), performance.now() - start])
    if (status !== 200 && status !== 201) throw new Error(`${name}: ${status} ${text}`)
    found.set(name, (found.get(name) ?? 0) + (body.items?.length ?? 1))
  }
  const tell = (name: string) => {
    const taken = times.get(name) ?? []
    note(`${name}: p50 ${percentile(taken, 50).toFixed(1)} ms, p95 ${percentile(taken, 95).toFixed(1)} ms`)
  }
  const scans = new Set<string>()
  for (const [name, read] of Object.entries(reads)) {
    for (const scan of await findSequentialScans(await recordStatements(read))) scans.add(`${name}: ${scan}`)
    for (let round = 0; round < (quick ? 20 : 100); round++) await measure(name, read)
    tell(name)
  }

  const blocksOf = (value: string) => [
    { id: 'title', type: 'TEXT', value },
    { id: 'kind', type: 'SELECT', value: 'story' },
    { id: 'number', type: 'NUMBER', value: number() },
  ]
  const write = (collectionId: string, owner = { admin, path }) =>
    owner.admin.post(`${owner.path}/entries`, { collectionId, blocks: blocksOf(`${colour()} ${thing()} ${number()}`) })
  const schema = (await admin.get(`${path}/collections/${FILLED.journal}`)).body.blocks as object[]
  let isWriting = true
  const writing = (async () => {
    while (isWriting) {
      await measure('write an entry', () => write(FILLED.journal))
      await measure('change an entry', () =>
        admin.put(`${path}/entries/${filledId(number())}`, { locale: pick(...LOCALES) }),
      )
    }
  })()
  for (let round = 0; round < (quick ? 3 : 20); round++) {
    const blocks = [...schema, { id: `extra-${round}`, type: 'TEXT' }]
    await measure('change a schema', () => admin.put(`${path}/collections/${FILLED.journal}`, { blocks }))
    for (const name of ['get', 'list', 'value: common'])
      await measure(`${name}, meanwhile`, reads[name] as Reads[string])
  }
  isWriting = false
  await writing
  for (const name of ['write an entry', 'change an entry', 'change a schema', 'list, meanwhile']) tell(name)

  const rateOf = async (collectionOf: (writer: number) => string) => {
    const start = performance.now()
    const each = quick ? 20 : 100
    const writeSome = async (writer: number) => {
      for (let count = 0; count < each; count++)
        await measure('write, 16 at once', () => write(collectionOf(writer), wide))
    }
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeSome(writer)))
    return (WRITERS * each * 1000) / (performance.now() - start)
  }
  await rateOf((writer) => `col_spread${writer + 1}`) // for warming up
  const apart: number[] = []
  const together: number[] = []
  for (let round = 0; round < 3; round++) {
    apart.push(await rateOf((writer) => `col_spread${writer + 1}`))
    together.push(await rateOf(() => 'col_spread1'))
  }
  for (const scan of scans) note(scan)
  const odd = [...found].filter(([name, items]) => items > 0 === (name === NOTHING)).map(([name]) => name)
  await api.close()
  return {
    figures: [
      { name: 'statements that read a whole table', value: scans.size, unit: '', goal: '0', ok: scans.size === 0 },
      {
        name: 'kinds of requests that found nothing, or something they should not',
        value: odd.length,
        unit: '',
        goal: '0',
        ok: odd.length === 0,
        ...(odd.length > 0 && { note: odd.join(', ') }),
      },
      ...[...times].flatMap(([name, taken]) => [
        { name: `${name}, p50`, value: percentile(taken, 50), unit: 'ms' },
        { name: `${name}, p95`, value: percentile(taken, 95), unit: 'ms' },
      ]),
      { name: '16 writers, each in a collection of its own', value: Math.max(...apart), unit: '/s' },
      { name: '16 writers in one collection', value: Math.max(...together), unit: '/s' },
    ],
    charts: [p95Bars('p95 of each read and write', times)],
  }
}
