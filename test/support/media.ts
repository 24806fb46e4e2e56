import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
import pino from 'pino'
import { createTurns } from '#modules/media/work-off.ts'
import type { Db } from '#platform/database/database.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { createMake, type Make } from './make.ts'
import { type StartOptions, startApi, type TestApi } from './start-api.ts'

/** As `useApi`, with a folder to store files in. */
export function useMediaApi(options: StartOptions = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'kontor-media-test-'))
  const env = { MEDIA_STORAGE: `folder:${folder}`, ...options.env }
  type Used = { api: TestApi; make: Make; folder: string; env: Record<string, string> }
  const used = { folder, env } as unknown as Used
  before(async () => {
    used.api = await startApi({ ...options, env })
    used.make = createMake(used.api)
  })
  after(async () => {
    await used.api.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return used
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

/** The files of a business, as its ADMIN sees them. */
export function mediaOf({ admin, path: business }: Pick<Business, 'admin' | 'path'>) {
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

/** Puts bytes where an upload would have put them, whatever its address would have said to them. */
export function placeUpload(
  folder: string,
  { businessId, id }: { businessId: string; id: string },
  bytes: Buffer,
): void {
  mkdirSync(path.join(folder, 'incoming', businessId), { recursive: true })
  writeFileSync(path.join(folder, 'incoming', businessId, id), bytes)
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
  return count
}

/** All keys of the store, without what stands beside public files. */
export function keysIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('~'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()
}

export const readKey = (folder: string, key: string) => readFileSync(path.join(folder, key))
/** What HTTP is to say about a public file. */
export const aboutKey = (folder: string, key: string) => JSON.parse(readFileSync(path.join(folder, `${key}~`), 'utf8'))

/** Uploads a file and lets the worker look at it. */
export async function uploadPicture(
  used: { api: TestApi; folder: string },
  business: Pick<Business, 'admin' | 'path' | 'db'>,
  file: FileClaim,
  more: object = {},
) {
  const media = mediaOf(business)
  const started = await media.start(file, more)
  placeUpload(used.folder, started, file.bytes)
  await media.complete(started.id)
  await workOffMedia(used, business.db)
  return { started, ready: await media.get(started.id) }
}
