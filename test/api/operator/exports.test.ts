import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { noteExport } from '#modules/access/index.ts'
import { dropArchives, makeArchive } from '#modules/operator/export-business.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { openArchive } from '../../../src/apps/portable/archive.ts'
import { writeArchive } from '../../../src/apps/portable/export-business.ts'
import { useHeldClock } from '../../support/clock.ts'
import { createMake, type Make } from '../../support/make.ts'
import { keysIn, type MediaStore, openStore, storesToTest } from '../../support/media-stores.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

const clock = useHeldClock()
const PATH = '/v1/operator/businesses'
const WRONG = '409 CONFLICT exportId WRONG_STATE'
type Shown = { id: string; status: string; rows: number; size: number | null; expiresAt: number }

for (const kind of storesToTest())
  describe(kind, () => {
    let api: TestApi
    let make: Make
    let store: MediaStore
    let operator: Awaited<ReturnType<Make['operator']>>
    const folder = mkdtempSync(path.join(tmpdir(), 'kontor-exports-'))
    before(async () => {
      store = await openStore(kind)
      api = await startApi({ env: store.env })
      make = createMake(api)
      operator = await make.operator()
    })
    after(async () => {
      await api.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const env = () => ({ ...api.databases.env, ...store.env })
    const exports = async (id: string): Promise<Shown[]> => (await operator.get(`${PATH}/${id}/exports`)).body.items
    const stored = async (id: string): Promise<string[]> => {
      const storage = createStorage(api.config)
      assert.ok(storage)
      const found = await Readable.from(storage.list(`private/exports/${id}/`)).toArray()
      await storage.close()
      return found.map(({ key }: { key: string }) => key)
    }
    const jobsOf = async (id: string) => {
      const { rows } = await sql`
        select 1 from graphile_worker._private_jobs where payload ->> 'businessId' = ${id}`.execute(
        api.services.databases.control,
      )
      return rows
    }
    const link = (id: string, exportId: string) => operator.post(`${PATH}/${id}/exports/${exportId}/link`, undefined)
    async function work(until: () => Promise<unknown>): Promise<void> {
      const worker = startTestWorker(env(), [makeArchive(writeArchive)])
      try {
        await until()
      } finally {
        await worker.stop()
      }
    }

    test('an operator has a business exported, and fetches the archive by a link that ends', async () => {
      const { id, slug } = await make.business({ cell: 'second' })
      const asked = await operator.post(`${PATH}/${id}/exports`, {})
      assert.equal(asked.status, 202, asked.text)
      assert.deepEqual([asked.body.status, asked.body.rows, asked.body.size], ['PENDING', 0, null])
      assert.equal(refusal(await operator.post(`${PATH}/${id}/exports`, {})), '409 CONFLICT id WRONG_STATE')
      assert.equal(refusal(await link(id, asked.body.id)), WRONG)
      await work(() => until('it is made', async () => (await exports(id))[0]?.status === 'READY'))

      const [made] = await exports(id)
      assert.ok(made && made.rows > 5 && (made.size ?? 0) > 1_000)
      const linked = await link(id, made.id)
      assert.equal(linked.status, 200, linked.text)
      const url = linked.body.url.replace(api.config.publicUrl, api.url)
      assert.match(url, /private(\/|%2F)exports/)
      const answer = await fetch(url)
      assert.equal(answer.status, 200)
      assert.match(answer.headers.get('content-disposition') ?? '', new RegExp(`filename="${slug}-[0-9-]+\\.tar"`))
      const bytes = Buffer.from(await answer.arrayBuffer())
      assert.equal(bytes.length, made.size)
      const file = path.join(folder, `${id}.tar`)
      writeFileSync(file, bytes)
      const { manifest } = await openArchive(file)
      assert.equal(manifest.business.id, id)
      assert.equal(
        manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
        made.rows,
      )
      const { body } = await operator.get(`/v1/operator/audit?businessId=${id}`)
      assert.deepEqual(
        body.items.map(({ action, actorId }: { action: string; actorId: string }) => [action, actorId]),
        [
          ['business.export-fetched', operator.id],
          ['business.export-asked', operator.id],
        ],
      )
      assert.equal((await operator.post(`${PATH}/${id}/exports`, {})).status, 202, 'another one can be made')
    })

    test('an archive goes from list and store after three days', async () => {
      const { id } = await make.business()
      await operator.post(`${PATH}/${id}/exports`, { withFiles: true })
      await work(() => until('it is made', async () => (await exports(id))[0]?.status === 'READY'))
      const [made] = await exports(id)
      assert.ok(made)
      assert.equal((await stored(id)).length, 1)
      assert.deepEqual(await store.keys(id), [], 'not among the files of the business')
      clock.advance(3 * 86_400 - 60)
      operator = await make.operator()
      await drop(api)
      assert.equal((await stored(id)).length, 1)
      clock.advance(61)
      assert.deepEqual(await exports(id), [])
      assert.equal(refusal(await link(id, made.id)), '404 NOT_FOUND')
      await drop(api)
      assert.deepEqual(await stored(id), [])
    })

    test('a business that goes while it is exported leaves no archive', async () => {
      const { id } = await make.business()
      const { control } = api.services.databases
      let hasEnded = false
      const job = makeArchive(async (context, wanted) => {
        const written = await writeArchive(context, wanted)
        await control.deleteFrom('access.businessExports').where('businessId', '=', id).execute()
        hasEnded = true
        return written
      })
      assert.equal((await operator.post(`${PATH}/${id}/exports`, {})).status, 202)
      const worker = startTestWorker(env(), [job])
      try {
        await until('it is written', () => hasEnded)
        await until('its job is over', async () => (await jobsOf(id)).length === 0)
      } finally {
        await worker.stop()
      }
      assert.deepEqual(await stored(id), [])
    })

    test('it stops as soon as it is noticed that nobody wants it any more, and is not tried again', async () => {
      const { id } = await make.business()
      const { control } = api.services.databases
      const asked = await operator.post(`${PATH}/${id}/exports`, {})
      let rows = 0
      const job = makeArchive(async (_context, { seen }) => {
        await control.deleteFrom('access.businessExports').where('businessId', '=', id).execute()
        for (; rows < 500; rows++) {
          clock.advance(3)
          seen(rows)
          await sleep(10)
        }
        return { rows, bytes: 1 }
      })
      await job.run({ businessId: id, exportId: asked.body.id }, contextOf(api))
      assert.ok(rows < 500, `${rows} rows`)
      operator = await make.operator()
    })

    test('one that takes longer than archives are kept is kept from its end on', async () => {
      const { id } = await make.business()
      const asked = await operator.post(`${PATH}/${id}/exports`, {})
      const job = makeArchive(async (context, wanted) => {
        for (const day of [2, 4, 6]) {
          clock.advance(2 * 86_400)
          wanted.seen(day)
          await until('it is noted', async () => (await rowOf(api, id))?.rows === day)
          await drop(api)
        }
        return writeArchive(context, wanted)
      })
      await job.run({ businessId: id, exportId: asked.body.id }, contextOf(api))
      operator = await make.operator()
      const [made] = await exports(id)
      assert.equal(made?.status, 'READY')
      assert.deepEqual(await stored(id), [`private/exports/${id}/${made?.id}.tar`])
      assert.equal((await link(id, made?.id ?? '')).status, 200)
    })

    test('one of which nobody has heard for three days is dropped, and its worker leaves nothing', async () => {
      const { id } = await make.business()
      const asked = await operator.post(`${PATH}/${id}/exports`, {})
      const job = makeArchive(async (context, wanted) => {
        const written = await writeArchive(context, wanted)
        clock.advance(3 * 86_400 + 1)
        await drop(api)
        return written
      })
      await job.run({ businessId: id, exportId: asked.body.id }, contextOf(api))
      assert.deepEqual(await stored(id), [])
      assert.equal(await rowOf(api, id), undefined)
      operator = await make.operator()
    })

    test('one whose worker died with its last attempt is in nobody’s way', async () => {
      const { id } = await make.business()
      const { control } = api.services.databases
      const dies = async () => {
        const asked = await operator.post(`${PATH}/${id}/exports`, {})
        assert.equal(asked.status, 202, asked.text)
        await noteExport(control, id, asked.body.id, { status: 'RUNNING', rows: 7 })
        assert.equal(refusal(await operator.post(`${PATH}/${id}/exports`, {})), '409 CONFLICT id WRONG_STATE')
        await sql`
          update graphile_worker._private_jobs set attempts = max_attempts where payload ->> 'businessId' = ${id}`.execute(
          control,
        )
      }
      await dies()
      await dies()
      await drop(api)
      assert.deepEqual(
        (await exports(id)).map(({ status }) => status),
        ['FAILED', 'FAILED'],
      )
    })
  })

const rowOf = (api: TestApi, id: string) =>
  api.services.databases.control
    .selectFrom('access.businessExports')
    .selectAll()
    .where('businessId', '=', id)
    .executeTakeFirst()

/** As a worker gives it to a job that it runs for the first time. */
const contextOf = (api: TestApi) =>
  ({
    db: api.services.databases.control,
    control: api.services.databases.control,
    cells: api.services.databases.cells,
    attempt: 1,
    fence: async () => {},
    services: { storage: createStorage(api.config) },
    signal: new AbortController().signal,
    log: api.app.log,
  }) as never

const drop = (api: TestApi) => dropArchives.run({}, contextOf(api))

describe('without a store, or without luck', () => {
  let api: TestApi
  let make: Make
  let operator: Awaited<ReturnType<Make['operator']>>
  before(async () => {
    api = await startApi()
    make = createMake(api)
    operator = await make.operator()
  })
  after(() => api.close())

  test('no archive is begun where there is no store to put it', async () => {
    const { id } = await make.business()
    assert.equal(refusal(await operator.post(`${PATH}/${id}/exports`, {})), '503 PROVIDER_NOT_CONFIGURED')
    assert.deepEqual((await operator.get(`${PATH}/${id}/exports`)).body, { items: [], isPossible: false })
  })

  test('what is not there is not exported', async () => {
    const unknown = 'biz_000000000000'
    assert.equal(refusal(await operator.get(`${PATH}/${unknown}/exports`)), '404 NOT_FOUND')
    const { id } = await make.business()
    const body = { everything: true }
    assert.equal(
      refusal(await operator.post(`${PATH}/${id}/exports`, body)),
      '422 VALIDATION_FAILED everything UNKNOWN_FIELD',
    )
  })

  test('one that cannot be made is said to have failed after the last attempt, and another can be asked for', async () => {
    const media = mkdtempSync(path.join(tmpdir(), 'kontor-exports-'))
    const own = await startApi({ databases: api.databases, env: { MEDIA_STORAGE: `folder:${media}` } })
    try {
      const other = createMake(own)
      const somebody = await other.operator()
      const { id } = await other.business()
      const asked = await somebody.post(`${PATH}/${id}/exports`, {})
      const job = makeArchive(async () => {
        throw new Error('the disk is full')
      })
      const { control } = own.services.databases
      const context = {
        db: control,
        attempt: 5,
        fence: async () => {},
        services: { storage: createStorage(own.config) },
        signal: new AbortController().signal,
        log: own.app.log,
      }
      await assert.rejects(job.run({ businessId: id, exportId: asked.body.id }, context as never), /disk is full/)
      const [shown] = (await somebody.get(`${PATH}/${id}/exports`)).body.items
      assert.equal(shown.status, 'FAILED')
      assert.equal(await noteExport(control, id, asked.body.id, { status: 'RUNNING' }), false, 'it is over')
      const link = await somebody.post(`${PATH}/${id}/exports/${asked.body.id}/link`, undefined)
      assert.equal(refusal(link), WRONG)
      assert.equal((await somebody.post(`${PATH}/${id}/exports`, {})).status, 202)
      assert.deepEqual(keysIn(media), [])
    } finally {
      await own.close()
      rmSync(media, { recursive: true, force: true })
    }
  })
})
