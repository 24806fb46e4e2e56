import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
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
