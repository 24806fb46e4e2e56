import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { sweepMedia } from '#modules/media/sweep.ts'
import { createTurns } from '#modules/media/work-off.ts'
import type { Db } from '#platform/database/database.ts'
import { createStorage } from '#platform/storage/storage.ts'
import type { Client } from './client.ts'
import type { Make } from './make.ts'
import { storesToTest } from './media-stores.ts'
import type { TestApi } from './start-api.ts'
import { useWorld, type World } from './world.ts'

/** The same tests on a folder and on S3; with TEST_MEDIA_STORE, on that one only. */
export function onEachStore(define: (used: World<'media'>) => void): void {
  for (const kind of storesToTest())
    void suite(`on ${kind}`, () => define(useWorld({ providers: ['media'], store: kind, own: true })))
}

export const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

export type FileClaim = { bytes: Buffer; mimeType: string; fileName?: string; size?: number; sha256?: string }

export const claimOf = ({ bytes, mimeType, fileName = 'picture', size, sha256 }: FileClaim) => ({
  fileName,
  mimeType,
  size: size ?? bytes.length,
  sha256: sha256 ?? sha256Of(bytes),
})

type Business = Awaited<ReturnType<Make['business']>>
type Place = { admin: Client; path: string }

/** The files of a business, as its ADMIN sees them. */
export function mediaOf({ admin, path: business }: Place) {
  const list = `${business}/media`
  return {
    list,
    async start(claim: FileClaim, more: object = {}) {
      const answer = await admin.post(list, { ...claimOf(claim), ...more })
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    },
    get: async (id: string) => (await admin.get(`${list}/${id}`)).body,
    complete: (id: string) => admin.post(`${list}/${id}/complete`, undefined),
    ids: async (query = '') => {
      const answer = await admin.get(`${list}?${query}`)
      assert.equal(answer.status, 200, answer.text)
      return (answer.body.items as { id: string }[]).map(({ id }) => id)
    },
  }
}

/** What the worker does with uploads, now; `kind` `avif`: what it does when there are none. */
export async function workOffMedia(
  { api }: { api: TestApi },
  db: Db,
  kind: 'upload' | 'avif' = 'upload',
): Promise<number> {
  const storage = createStorage(api.config)
  assert.ok(storage)
  const workOffOne = createTurns(db, { storage, log: pino({ level: 'silent' }) })
  let count = 0
  while (await workOffOne(kind, new AbortController().signal)) count++
  await storage.close()
  return count
}

/** What the worker does every minute. */
export async function sweepFiles({ api }: { api: TestApi }, db: Db): Promise<void> {
  const storage = createStorage(api.config)
  await sweepMedia.run({}, { db, services: { storage }, signal: new AbortController().signal } as never)
  await storage?.close()
}

/** Of which files it was told that something became of them, as often as it was: by the feed, or on the way there. */
export async function toldOf(db: Db, businessId: string, ...types: string[]): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    select subject from cell.event_outbox where business_id = ${businessId} and type = any (${types})
     union all
    select subject from cell.events where business_id = ${businessId} and type = any (${types})`.execute(db)
  return rows.map(({ subject }) => subject)
}

/** The key of a public file, from its address. */
export const keyOf = ({ url }: { url: string }) => `public/${url.slice(url.indexOf('biz_'))}`

/** Uploads a file and lets the worker look at it. */
export async function uploadPicture(
  used: Pick<World<'media'>, 'api' | 'store'>,
  business: Pick<Business, 'admin' | 'path' | 'db'>,
  file: FileClaim,
  more: object = {},
) {
  const media = mediaOf(business)
  const started = await media.start(file, more)
  await used.store.place(started, file.bytes)
  await media.complete(started.id)
  await workOffMedia(used, business.db)
  return { started, ready: await media.get(started.id) }
}
