import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pino from 'pino'
import { carryEvents } from '#modules/access/outbox.ts'
import { deleteLeftovers } from '#modules/media/leftovers.ts'
import type { Cell } from '#platform/database/database.ts'
import { loadNames } from '#platform/database/migrate.ts'
import { useFaults } from '#platform/faults.ts'
import { tarHeader } from '#platform/portable/tar.ts'
import { createStorage, type Storage } from '#platform/storage/storage.ts'
import { newBusinessId, newId } from '#vocabulary/ids.ts'
import { BootError } from '../../../src/apps/boot.ts'
import { createArchive, openArchive, toFile } from '../../../src/apps/portable/archive.ts'
import { exportBusiness } from '../../../src/apps/portable/export-business.ts'
import { importBusiness } from '../../../src/apps/portable/import-business.ts'
import type { Manifest } from '../../../src/apps/portable/manifest.ts'
import { createMake, type Make } from '../../support/make.ts'
import { type MediaStore, openStore } from '../../support/media-stores.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

let api: TestApi
let make: Make
let store: MediaStore
let storage: Storage
let folder: string

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'kontor-forged-'))
  store = await openStore('folder')
  api = await startApi({ env: store.env })
  make = createMake(api)
  storage = createStorage(api.config) as Storage
})
after(async () => {
  await api.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const at = (name: string) => path.join(folder, name)
const cell = () => api.services.databases.cells.get('main') as Cell

async function* one(lines: readonly string[]) {
  yield lines
}

/** Of an archive with nothing in it. */
const emptyManifest = async (id: string): Promise<Manifest> => ({
  format: 1,
  kontor: '1.0.0',
  createdAt: new Date().toISOString(),
  business: { id, name: 'Forged', slug: `forged-${id.slice(4)}`, suspendedAt: null },
  schema: { control: await loadNames('control'), cell: await loadNames('cell') },
  asOf: { cell: '', control: '' },
  tables: [],
  jobs: { count: 0, parts: [] },
  people: [],
  leftOut: [],
  toSetAgain: [],
  media: { mode: 'reference', prefixes: [], files: 0, missing: 0, parts: [] },
})

type Forged = { id: string; rows?: Record<string, readonly object[]>; jobs?: readonly object[] }

/** An archive as somebody would write it who means no good: all its hashes are right. */
async function forge(name: string, { id, rows = {}, jobs = [] }: Forged) {
  const { id: model } = await make.business()
  const { control } = api.services.databases
  const { rows: found } = await sql<{ row: Record<string, unknown> }>`
    select to_json(businesses) as row from access.businesses where id = ${model}`.execute(control)
  const slug = `forged-${newBusinessId().slice(4)}`
  const all = { 'access.businesses': [{ ...found[0]?.row, id, slug }], ...rows }
  const archive = createArchive(await toFile(at(name)))
  const tables: Manifest['tables'] = []
  for (const [table, each] of Object.entries(all)) {
    const { count, parts } = await archive.addLines(`tables/${table}`, one(each.map((row) => JSON.stringify(row))))
    tables.push({ table, is: 'kept', rows: count, parts })
  }
  await archive.finish({
    ...(await emptyManifest(id)),
    business: { id, name: 'Forged', slug, suspendedAt: null },
    tables,
    jobs: await archive.addLines('jobs', one(jobs.map((job) => JSON.stringify(job)))),
  })
  return at(name)
}

const bringIn = async (file: string) =>
  importBusiness(api.services.databases, await openArchive(file), { cellName: 'main', storage, box: api.services.box })

test('a business whose id would reach into the files of another is refused', async () => {
  const { id: other } = await make.business()
  for (const [turn, id] of [`${other}/pictures`, '..', '', 'public'].entries())
    await assert.rejects(async () => bringIn(await forge(`id-${turn}.tar`, { id })), /is no id of a business/, id)
})

test('a manifest that is JSON and no manifest is refused, with what is wrong in it and what to do', async () => {
  const good = await emptyManifest(newBusinessId())
  const part = { name: 'tables/access.roles/000001.ndjson.gz', bytes: 1, sha256: '' }
  const { business: _business, ...homeless } = good
  const { tables: _tables, ...bare } = good
  const cases: [manifest: unknown, says: RegExp][] = [
    [null, /manifest\.json is not as an export writes it: it must be object/],
    [[], /it must be object|it must have required properties/],
    ['a manifest', /it must be object/],
    [7, /it must be object/],
    [{}, /it must have required properties/],
    [{ ...good, format: 2 }, /it is of the format 2, and this reads 1/],
    [{ ...good, format: '1' }, /it is of the format "1", and this reads 1/],
    [homeless, /required properties business/],
    [{ ...good, business: null }, /business must be object/],
    [{ ...good, business: { ...good.business, id: 5 } }, /business\.id must be string/],
    [bare, /required properties tables/],
    [{ ...good, tables: {} }, /tables must be array/],
    [{ ...good, tables: [null] }, /tables\.0 must be object/],
    [{ ...good, tables: [{ table: 'access.roles', is: 'kept', rows: '1', parts: [part] }] }, /tables\.0\.rows must be/],
    [{ ...good, tables: [{ table: 'access.roles', is: 'kept', rows: 1, parts: [7] }] }, /tables\.0\.parts\.0 must be/],
    [
      { ...good, tables: [{ table: 'access.roles', is: 'kept', rows: 0, since: 'long ago', parts: [] }] },
      /tables\.0\.since is no time/,
    ],
    [{ ...good, schema: { control: [] } }, /schema must have required properties cell/],
    [{ ...good, jobs: null }, /jobs must be object/],
    [{ ...good, people: [{ id: 'usr_1' }] }, /people\.0 must have required properties/],
    [{ ...good, media: { ...good.media, parts: null } }, /media\.parts must be array/],
  ]
  for (const [turn, [manifest, says]] of cases.entries()) {
    const file = at(`malformed-${turn}.tar`)
    await createArchive(await toFile(file)).finish(manifest as Manifest)
    await assert.rejects(openArchive(file), (error: Error) => {
      assert.ok(error instanceof BootError, error.stack)
      assert.match(error.message, says)
      assert.ok(error.message.startsWith(`${file} cannot be imported: `), error.message)
      if (!says.source.includes('format'))
        assert.match(error.message, /export the business again, and import that file as it is\.$/)
      return true
    })
  }
  await createArchive(await toFile(at('well-formed.tar'))).finish(good)
  assert.deepEqual((await openArchive(at('well-formed.tar'))).manifest, good)
})

test('a list of files that names none is refused, too', async () => {
  for (const [turn, [line, says]] of (
    [
      [
        '{"name":"media/1"}',
        /media\/000001\.ndjson\.gz, line 1, is not as an export writes it: it must have required properties/,
      ],
      ['null', /it must be object/],
      ['{"name"', /media\/000001\.ndjson\.gz, line 1, is no JSON/],
    ] as const
  ).entries()) {
    const archive = createArchive(await toFile(at(`files-${turn}.tar`)))
    const { parts } = await archive.addLines('media', one([line]))
    const manifest = await emptyManifest(newBusinessId())
    await archive.finish({ ...manifest, media: { ...manifest.media, mode: 'inside', files: 1, parts } })
    await assert.rejects(openArchive(at(`files-${turn}.tar`)), says)
  }
})

test('leftover files go only if they are of their own business', async () => {
  const { id: other } = await make.business()
  const { id } = await make.business({ cell: 'main' })
  const about = { mimeType: 'application/pdf', isAttachment: true, isImmutable: true, size: 4 }
  for (const business of [other, id]) await storage.put(`public/${business}/a/file.pdf`, Buffer.from('%PDF'), about)
  const prefixes = [`public/${other}/`, `public/${id}/../${other}/`, `public/${id}/`]
  for (const prefix of prefixes)
    await sql`insert into media.leftovers (business_id, prefix, due_at) values (${id}, ${prefix}, '2020-01-01')`.execute(
      cell(),
    )
  await deleteLeftovers(cell(), storage, pino({ level: 'silent' }), () => false)
  assert.deepEqual(await store.keys(other), [`public/${other}/a/file.pdf`])
  assert.deepEqual(await store.keys(id), [])
  const { rows: left } = await sql`select from media.leftovers where business_id = ${id}`.execute(cell())
  assert.equal(left.length, 0)
})

const jobOf = (businessId: string, changes: object = {}) => ({
  identifier: 'checkout.send-confirmation',
  payload: { businessId, orderId: newId('ord') },
  run_at: '2100-01-01T00:00:00Z',
  max_attempts: 1,
  key: null,
  priority: 0,
  ...changes,
})

type Waiting = { identifier: string; runAt: Date; maxAttempts: number; priority: number }

async function jobsNaming(businessId: string): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select identifier, run_at, max_attempts, jobs.priority
      from graphile_worker._private_jobs as jobs
      join graphile_worker._private_tasks as tasks on tasks.id = task_id
     where payload::text like ${`%${businessId}%`}`.execute(cell())
  return rows
}

test('a job of an archive takes the place of no job of another business, nor of the service', async () => {
  const { id: other } = await make.business()
  const id = newBusinessId()
  const keys = { theirs: `forged:${other}`, ours: `forged:${process.pid}`, own: `forged:${id}` }
  const add = (key: string, payload: object) =>
    sql`select graphile_worker.add_job('forged.test', ${JSON.stringify(payload)}::json, job_key => ${key},
                                       run_at => now() + interval '1 day')`.execute(cell())
  await add(keys.theirs, { businessId: other })
  await add(keys.ours, {})
  const jobs = Object.values(keys).map((key) => jobOf(id, { key }))
  await bringIn(await forge('jobs.tar', { id, jobs }))
  const { rows } = await sql<{ key: string; businessId: string | null }>`
    select key, payload ->> 'businessId' as business_id from graphile_worker._private_jobs
     where key = any (${Object.values(keys)}::text[])`.execute(cell())
  assert.deepEqual(
    new Map(rows.map(({ key, businessId }) => [key, businessId])),
    new Map([
      [keys.theirs, other],
      [keys.ours, null],
    ]),
  )
  assert.equal((await jobsNaming(id)).length, 3, 'they come in, under no key at all')
})

test('a job of an archive waits like any other: behind those of others, with the attempts that its kind has', async () => {
  const id = newBusinessId()
  const job = jobOf(id, { run_at: '1970-01-01T00:00:00Z', max_attempts: 32_000, priority: -32_000 })
  const before = Date.now()
  assert.equal((await bringIn(await forge('pushing.tar', { id, jobs: [job] }))).jobsLeftOut, 0)
  const [{ runAt, ...found } = { runAt: new Date(0) }, ...more] = await jobsNaming(id)
  assert.deepEqual([found, more], [{ identifier: 'checkout.send-confirmation', maxAttempts: 12, priority: 0 }, []])
  assert.ok(runAt.getTime() >= before - 1_000, runAt.toISOString())
})

test('an archive brings in no job of the service, none that names people or accounts, and none that says more than its kind', async () => {
  const { id: other } = await make.business()
  const { id: victim } = await make.guest()
  const id = newBusinessId()
  const orderId = newId('ord')
  const of = (identifier: string, payload: object) => jobOf(id, { identifier, payload: { businessId: id, ...payload } })
  const refused = [
    of('accounts.tell-erased', { userId: victim, guestIds: [], memberOf: [other] }),
    of('accounts.send-claim', { guestId: victim }),
    of('access.carry-events', {}),
    of('business.remove', {}),
    of('business.look-again', { cell: 'main' }),
    of('operator.export-business', { exportId: newId('exp') }),
    of('accounts.make-guest', { id: newId('usr'), email: 'victim@example.com', name: 'Victim' }),
    of('customers.erase-person', { userId: victim }),
    of('customers.sweep-erasures', {}),
    of('newsletter.mail-test', { entryId: newId('ent'), email: 'victim@example.com' }),
    of('payments.cancel-subscription', { subject: 'newsletter:1', subscriptionId: 'sub_theirs' }),
    of('forged.test', {}),
    of('checkout.send-confirmation', { orderId, userId: victim }),
    of('checkout.send-confirmation', {}),
    of('catalog.mail-low-stock', {
      variants: [{ productId: newId('prd'), variantId: newId('var'), businessId: other }],
    }),
    jobOf(other),
    jobOf(id, { payload: { orderId } }),
    jobOf(id, { payload: null }),
    jobOf(id, { run_at: 'infinity' }),
    [],
    'no job',
  ] as object[]
  const imported = await bringIn(await forge('service-jobs.tar', { id, jobs: [...refused, jobOf(id)] }))
  assert.equal(imported.jobsLeftOut, refused.length)
  assert.deepEqual(
    (await jobsNaming(id)).map(({ identifier }) => identifier),
    ['checkout.send-confirmation'],
  )
  assert.deepEqual(await jobsNaming(other), [])
})

test('of the jobs of a business in the cell of control, an archive has none of control', async () => {
  const { id } = await make.business({ cell: 'main' })
  for (const identifier of ['accounts.send-invitation', 'checkout.send-confirmation', 'accounts.make-guest'])
    await sql`select graphile_worker.add_job(${identifier}, ${JSON.stringify({ businessId: id })}::json,
                                             run_at => now() + interval '1 day')`.execute(cell())
  await exportBusiness(api.services.databases, id, { openSink: () => toFile(at('of-main.tar')), media: undefined })
  const archive = await openArchive(at('of-main.tar'))
  const lines = []
  for await (const some of archive.lines(archive.manifest.jobs.parts)) lines.push(...some.map(({ text }) => text))
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { identifier: string }).identifier),
    ['checkout.send-confirmation'],
  )
})

test('what is told of a business while it is being imported does not stand for its rows', async (t) => {
  const { control, cells } = api.services.databases
  const id = newBusinessId()
  const rows = {
    'access.event_outbox': [
      {
        business_id: id,
        id: newId('evt'),
        type: 'business.updated',
        subject: id,
        actor_kind: 'system',
        data: { fields: ['name'] },
        occurred_at: '2026-01-01T00:00:00Z',
      },
    ],
    'media.leftovers': [{ business_id: id, prefix: `public/${id}/a`, due_at: '2100-01-01T00:00:00Z' }],
  }
  const carry = () => carryEvents.run({}, { db: control, cells } as never)
  // Files take long, and this job comes every few minutes.
  useFaults((name) => (name === 'import.files' ? carry() : undefined))
  t.after(() => useFaults(undefined))
  await bringIn(await forge('told.tar', { id, rows }))
  const { rows: left } = await sql`select from media.leftovers where business_id = ${id}`.execute(cell())
  assert.equal(left.length, 1)
  await carry()
  const { rows: waiting } = await sql`select from access.event_outbox where business_id = ${id}`.execute(control)
  assert.equal(waiting.length, 0, 'once it is whole, its feed hears of it')
})

test('a part that unpacks to more than any part has is refused before it fills the memory', async () => {
  const archive = createArchive(await toFile(at('bomb.tar')))
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024), { level: 1 })
  const part = await archive.addStream('tables/access.roles/000001.ndjson.gz', bomb.length, Readable.from([bomb]))
  await archive.finish({
    ...(await emptyManifest(newBusinessId())),
    tables: [{ table: 'access.roles', is: 'kept', rows: 1, parts: [part] }],
  })
  await assert.rejects(openArchive(at('bomb.tar')), /cannot be unpacked/)
})

test('an archive whose blocks say that a file is shorter than nothing is refused', { timeout: 20_000 }, async () => {
  const block = tarHeader('manifest.json', 0, new Date())
  block.write('-0000001000\0', 124) // one block back: whoever believes it reads this block for ever
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  writeFileSync(at('backwards.tar'), Buffer.concat([block, Buffer.alloc(2048)]))
  await assert.rejects(openArchive(at('backwards.tar')), /no tar archive, or damaged/)
})

test('only its owner reads an archive, whatever lies where it is written', async () => {
  const { id } = await make.business()
  const { databases } = api.services
  writeFileSync(at('open.tar.part'), 'of a run that was cut off')
  chmodSync(at('open.tar.part'), 0o666)
  await exportBusiness(databases, id, { openSink: () => toFile(at('open.tar')), media: undefined })
  assert.equal(statSync(at('open.tar')).mode & 0o777, 0o600)

  writeFileSync(at('precious'), 'precious')
  symlinkSync(at('precious'), at('linked.tar.part'))
  await exportBusiness(databases, id, { openSink: () => toFile(at('linked.tar')), media: undefined })
  assert.equal(readFileSync(at('precious'), 'utf8'), 'precious')
  assert.equal((await openArchive(at('linked.tar'))).manifest.business.id, id)
})
