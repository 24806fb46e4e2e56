import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { loadConfig } from '#platform/config.ts'
import { createStorage, type Storage, type Upload } from '#platform/storage/storage.ts'
import { startS3Twin } from '../../twins/s3/server.ts'
import { startApi } from './start-api.ts'

export type OpenStorage = {
  storage: Storage
  /** Sends the body to the address that was given out, or to one like it. Answers the status. */
  send(upload: Pick<Upload, 'url' | 'headers'>, body: Buffer, method?: string): Promise<number>
  /** Fetches from the address that was given out. */
  fetch(url: string): Promise<Response>
  /** Whether the store itself compares a body with its announced hash; the service always does. */
  checksHashes: boolean
  close(): Promise<void>
}

const NEVER_ASKED = 'postgres://nobody@127.0.0.1:1/none'

function open(env: Record<string, string>): Storage {
  const storage = createStorage(loadConfig({ NODE_ENV: 'test', DATABASE_URL: NEVER_ASKED, ...env }))
  if (!storage) throw new Error('MEDIA_STORAGE is not set')
  return storage
}

async function send(url: string, headers: Record<string, string>, body: Buffer, method: string): Promise<number> {
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const response = await fetch(url, { method, headers, ...(hasBody && { body: new Uint8Array(body) }) })
  await response.arrayBuffer()
  return response.status
}

/** A folder, with an API that takes its uploads. */
export async function openFolderStorage(): Promise<OpenStorage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kontor-media-'))
  const env = { MEDIA_STORAGE: `folder:${folder}` }
  const api = await startApi({ env })
  const storage = open({ ...env, PUBLIC_URL: api.config.publicUrl })
  return {
    storage,
    send: ({ url, headers }, body, method = 'PUT') =>
      send(url.replace(api.config.publicUrl, api.url), headers, body, method),
    fetch: (url) => fetch(url.replace(api.config.publicUrl, api.url)),
    checksHashes: true,
    async close() {
      await storage.close()
      await api.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function openS3Storage(): Promise<OpenStorage> {
  const twin = await startS3Twin()
  const opened = openOtherStorage(twin.env)
  return {
    ...opened,
    async close() {
      await opened.close()
      await twin.close()
    },
  }
}

/** Another store, by TEST_S3_ENDPOINT and the other S3_ settings, each with TEST_ in front; undefined: none is named. */
export function otherStoreSettings(): Record<string, string> | undefined {
  if (!process.env.TEST_S3_ENDPOINT) return undefined
  const settings = Object.entries(process.env)
    .filter(([name]) => name.startsWith('TEST_S3_'))
    .map(([name, value = '']) => [name.slice('TEST_'.length), value])
  return { MEDIA_STORAGE: 's3', MEDIA_PUBLIC_URL: 'https://media.example.com', ...Object.fromEntries(settings) }
}

/** Any store that the settings lead to. */
export function openOtherStorage(env: Record<string, string>): OpenStorage {
  const storage = open(env)
  return {
    storage,
    send: ({ url, headers }, body, method = 'PUT') => send(url, headers, body, method),
    fetch: (url) => fetch(url),
    checksHashes: false,
    close: () => storage.close(),
  }
}
