import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { type FileRow, pictureOf } from '#modules/media/file.ts'
import { originalKeyOf, publicPrefixOf } from '#modules/media/keys.ts'
import { ladderOf } from '#modules/media/ladder.ts'
import { type Stretch, startShoppers } from '../../test/scenarios/beside.ts'
import { findViolations } from '../../test/scenarios/buyers.ts'
import { type LoadWorld, openLoadWorld } from '../../test/scenarios/load-world.ts'
import type { Uploaded, Uploads } from '../../test/scenarios/upload-child.ts'
import type { Child } from '../../test/support/child.ts'
import { noise } from '../../test/support/hostile-files.ts'
import { mediaOf, sweepFiles, toldOf } from '../../test/support/media.ts'
import { type MediaStore, openStore } from '../../test/support/media-stores.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, median, none, percentile, type Run } from '../report/figures.ts'

export const title = 'Uploads by 64 clients, and renditions made beside people who read'

const CLIENTS = 64
/** So many pictures are READY before the others come; every twentieth upload is one of them once more. */
const KNOWN = 20
const SHARES = { duplicateEvery: 20, hostileEvery: 20 }
const RATIO = 0.9
const RENDITIONS_PER_SECOND = 20
const BEGUN_PER_SECOND = 300
const GROWTH = 1.25
const WITHIN_MS = 2_400_000
const CHILD = fileURLToPath(new URL('../../test/scenarios/upload-child.ts', import.meta.url))

export async function run({ quick, note }: Run) {
  const store = await openStore('folder')
  const world = await openLoadWorld(undefined, { ...store.env, MEDIA_QUOTA_BYTES: String(10 ** 12) })
  try {
    const api = await world.start('api')
    const desk = await openDesk(world, api, store)
    const begun = await beginMany(desk, quick ? 300 : 1_000, note)
    const worker = await world.start('worker')
    const readers = await openReaders(desk)
    const wait = () => sleep(quick ? 4_000 : 15_000)
    await wait()
    readers.take() // the first are slow: nothing is in memory
    await wait()
    const alone = readers.take()
    const rendered = await renderPhotos(desk, quick ? 20 : 60, { width: 1_600, height: 1_200 }, readers)
    note(`renditions: ${rendered.perSecond.toFixed(1)} a second, AVIF ${rendered.avifPerSecond.toFixed(1)}`)
    const large = await renderPhotos(desk, quick ? 6 : 16, { width: 3_000, height: 2_000 }, readers)
    note(`of large ones: ${large.perSecond.toFixed(1)} a second`)
    const storm = await uploadMany(desk, quick ? 300 : 10_000, { readers, worker, note })
    await readers.close()
    return {
      figures: [
        ...begun,
        {
          name: 'renditions (WebP and JPEG) of photos of 2 megapixels, two cores',
          value: rendered.perSecond,
          unit: '/s',
          goal: `≥ ${RENDITIONS_PER_SECOND}/s`,
          ok: rendered.perSecond >= RENDITIONS_PER_SECOND,
        },
        { name: 'AVIF of photos of 2 megapixels, by one of the two places', value: rendered.avifPerSecond, unit: '/s' },
        { name: 'renditions of photos of 6 megapixels, two cores', value: large.perSecond, unit: '/s' },
        ...besides('while renditions are made', alone, rendered.stretch, RATIO),
        ...besides('while AVIF are made', alone, rendered.avifStretch, RATIO),
        ...storm.figures,
        ...besides('while 64 clients upload', alone, storm.sending),
        ...besides('while their files are worked off', alone, storm.working, RATIO),
        ...(await check(desk, storm.uploaded, note)),
      ],
    }
  } finally {
    await world.close()
    await store.close()
  }
}

function besides(when: string, alone: Stretch, during: Stretch, least?: number): Figure[] {
  const ratio = during.readsPerSecond / alone.readsPerSecond
  const reads = (percent: number): Figure => ({
    name: `reads ${when}, p${percent}`,
    value: percentile(during.readMs, percent),
    unit: `ms, ${percentile(alone.readMs, percent).toFixed(1)} alone`,
  })
  const goal = least === undefined ? {} : { goal: `≥ ${least}`, ok: ratio >= least }
  return [{ name: `reads ${when}, against alone`, value: ratio, unit: '×', ...goal }, reads(50), reads(99)]
}

type Desk = Awaited<ReturnType<typeof openDesk>>

/** One business that uploads all of it, by a key of its owner. */
async function openDesk(world: LoadWorld, api: Child, store: MediaStore) {
  const business = await world.make.shop({ cell: 'main' })
  const key = await world.make.apiKey(business.admin.id)
  const common = {
    url: api.url,
    publicUrl: world.aside.config.publicUrl,
    headers: { 'x-api-key': key.value },
    clients: CLIENTS,
    ...SHARES,
  }
  const upload = (lists: string[], options: Pick<Uploads, 'from' | 'count' | 'known' | 'beginOnly'>) =>
    uploadInChild({ ...common, lists, ...options })
  const count = async (condition: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ files: number }>`
      select count(*) as files from media.files where business_id = ${business.id} and ${condition}`.execute(
      business.db,
    )
    return rows[0]?.files ?? 0
  }
  return { world, api, store, business, upload, count }
}

async function uploadInChild(options: Uploads): Promise<Uploaded> {
  const child = fork(CHILD, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const answer = once(child, 'message')
  child.send(options)
  const [done] = (await answer) as [Uploaded]
  if (done.failed.length > 0) throw new Error(`${done.failed.length} uploads failed, the first: ${done.failed[0]}`)
  return done
}

/** All of one business take room from one row; those of many businesses do not meet there. */
async function beginMany({ world: { make }, business, upload }: Desk, count: number, note: Run['note']) {
  const others: string[] = []
  for (let n = 0; n < CLIENTS; n++)
    others.push(`${(await make.business({ cell: 'main', owner: business.admin })).path}/media`)
  const begin = async (lists: string[]) => {
    const { seconds, beginMs } = await upload(lists, { from: 0, count, known: 0, beginOnly: true })
    return { perSecond: count / seconds, p99: percentile(beginMs, 99) }
  }
  await begin(others) // the first are slow
  const many = await begin(others)
  const one = await begin(others.slice(0, 1))
  note(`begun: ${one.perSecond.toFixed(0)} a second in one business, ${many.perSecond.toFixed(0)} in ${CLIENTS}`)
  return [
    {
      name: 'uploads begun by 64 clients of one business',
      value: one.perSecond,
      unit: '/s',
      goal: `≥ ${BEGUN_PER_SECOND}/s`,
      ok: one.perSecond >= BEGUN_PER_SECOND,
    },
    { name: 'uploads begun by 64 clients of one business, p99', value: one.p99, unit: 'ms' },
    { name: 'uploads begun by 64 clients of as many businesses', value: many.perSecond, unit: '/s' },
  ]
}

/** People who read a few products at an easy pace. */
async function openReaders({ world: { make }, api, business }: Desk) {
  const productIds: string[] = []
  for (let n = 0; n < 20; n++) productIds.push((await make.product(business)).id)
  const tokens = [(await make.user()).token]
  return startShoppers({ url: api.url, path: business.path, tokens, productIds, buyers: 0 })
}

type Readers = ReturnType<typeof startShoppers>
const slow = { withinMs: WITHIN_MS, everyMs: 200 }

type Size = { width: number; height: number }

/** Photos that wait for the worker; then their AVIF. */
async function renderPhotos({ business, store, count }: Desk, photos: number, size: Size, readers: Readers) {
  const { width, height } = size
  const media = mediaOf(business)
  const started = []
  for (let n = 0; n < photos; n++) {
    // Soft as photos are, not noise in each pixel.
    const bytes = await noise(width / 4, height / 4)
      .resize(width, height, { kernel: 'cubic' })
      .jpeg({ quality: 85 })
      .toBuffer()
    const one = await media.start({ bytes, mimeType: 'image/jpeg', fileName: `Photo ${n}.jpg` })
    await store.place(one, bytes)
    started.push(one.id)
  }
  readers.take()
  const begun = performance.now()
  for (const id of started) await media.complete(id)
  await until('photos are READY', async () => (await count(sql`status = 'PROCESSING'`)) === 0, slow)
  const seconds = (performance.now() - begun) / 1_000
  const stretch = readers.take()
  const avif = async () => count(sql`avif = 'DONE'`)
  const [before, since] = [await avif(), performance.now()]
  const enough = Math.max(2, Math.round(photos / 10))
  await until('some AVIF are made', async () => (await avif()) >= before + enough, slow)
  const avifSeconds = (performance.now() - since) / 1_000
  const made = (await avif()) - before
  const avifStretch = readers.take()
  const rungs = ladderOf({ ...size, isTransparent: false, isAnimated: false })
  const avifRungs = rungs.filter(({ mimeType }) => mimeType === 'image/avif').length
  return {
    perSecond: (photos * (rungs.length - avifRungs)) / seconds,
    avifPerSecond: (made * avifRungs) / avifSeconds,
    stretch,
    avifStretch,
  }
}

const memoryOf = ({ process: { pid } }: Child) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

type Beside = { readers: Readers; worker: Child; note: Run['note'] }

async function uploadMany({ api, business, upload, count }: Desk, uploads: number, { readers, worker, note }: Beside) {
  const lists = [`${business.path}/media`]
  const isDone = async () => (await count(sql`status = 'PROCESSING'`)) === 0
  const first = await upload(lists, { from: 0, count: KNOWN, known: 0 })
  await until('the first are worked off', isDone, slow)
  readers.take()
  const memory: { api: number; worker: number }[] = []
  const sampling = setInterval(() => memory.push({ api: memoryOf(api), worker: memoryOf(worker) }), 250)
  const begun = performance.now()
  const more = await upload(lists, { from: KNOWN, count: uploads, known: KNOWN }).catch((error: unknown) => {
    clearInterval(sampling) // or it would look at processes that are gone, and hide what happened
    throw error
  })
  const sending = readers.take()
  note(`${uploads} sent in ${more.seconds.toFixed(1)} s`)
  await until('all are worked off', isDone, slow)
  const seconds = (performance.now() - begun) / 1_000
  const working = readers.take()
  clearInterval(sampling)
  note(`worked off after ${seconds.toFixed(1)} s`)
  const growth = (of: 'api' | 'worker') => {
    const quarter = Math.ceil(memory.length / 4)
    const of4 = [memory.slice(0, quarter), memory.slice(-quarter)].map((part) => median(part.map((one) => one[of])))
    return { from: of4[0] ?? 0, to: of4[1] ?? 0 }
  }
  const flat = (of: 'api' | 'worker'): Figure => {
    const { from, to } = growth(of)
    const name = `memory of the ${of === 'api' ? 'API' : 'worker'}, last quarter against first`
    const unit = `× (${from.toFixed(0)} MB, ${to.toFixed(0)} MB)`
    return { name, value: to / from, unit, goal: `≤ ${GROWTH}`, ok: to / from <= GROWTH }
  }
  const figures: Figure[] = [
    { name: 'uploads: begun, sent and completed', value: uploads, unit: '' },
    { name: 'of them files that were there already', value: more.duplicates, unit: '' },
    { name: 'uploads by 64 clients', value: uploads / more.seconds, unit: '/s' },
    { name: 'small pictures worked off, beside the uploads and after', value: more.files.length / seconds, unit: '/s' },
    flat('api'),
    flat('worker'),
  ]
  return { figures, sending, working, uploaded: [...first.files, ...more.files] }
}

/** What rows, room, events and the store say in the end. */
async function check(desk: Desk, uploaded: Uploaded['files'], note: Run['note']): Promise<Figure[]> {
  const { world, business, store } = desk
  const { db, id: businessId } = business
  const ids = uploaded.map(({ id }) => id)
  const { rows } = await sql<FileRow>`select * from media.files where business_id = ${businessId}`.execute(db)
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  const other = uploaded.filter(({ id, becomes }) => statuses.get(id) !== becomes)
  for (const { id, becomes } of other.slice(0, 5)) note(`${id} is ${statuses.get(id)}, not ${becomes}`)
  const known = new Set(ids)
  const told = (await toldOf(db, businessId, 'media.ready', 'media.rejected')).filter((id) => known.has(id))
  const tellers = new Set(told)
  await sweepFiles({ api: world.aside }, db)
  const expected = new Set(rows.flatMap(keysOfRow))
  const found = await store.keys(businessId)
  const stored = new Set(found)
  const missing = [...expected].filter((key) => !stored.has(key))
  const violations = await findViolations(db)
  for (const words of violations.slice(0, 5)) note(words)
  const over = found.filter((key) => !expected.has(key))
  for (const key of over.slice(0, 5)) note(`left over: ${key}`)
  return [
    none('files that are lost, or neither READY nor REJECTED as they should be', other.length),
    none('files that became READY or REJECTED twice', told.length - tellers.size),
    none('files of which no event tells', ids.length - tellers.size),
    none('rules broken (room used is the sum of the rows, and others)', violations.length),
    { name: 'objects in the store', value: found.length, unit: '' },
    none('objects that a row names and the store has not', missing.length),
    none('objects that no row names, after the sweep', over.length),
  ]
}

function keysOfRow(row: FileRow): string[] {
  const picture = row.status === 'READY' ? pictureOf(row) : undefined
  if (!picture) return []
  return [originalKeyOf(row), ...ladderOf(picture).map(({ name }) => publicPrefixOf(row) + name)]
}
