import assert from 'node:assert/strict'
import { type ErrorCode, KontorError, type KontorStorage } from '../../packages/sdk/src/index.ts'
import type { TestApi } from '../support/start-api.ts'

/** For `assert.rejects`. */
export const isError = (status: number, code: ErrorCode) => (error: unknown) => {
  assert.ok(error instanceof KontorError, String(error))
  assert.deepEqual([error.status, error.code], [status, code], error.message)
  return true
}

/** What arrives at the API: `POST /v1/users/login`, in this order. */
export function watchRequests({ app }: TestApi) {
  const seen: string[] = []
  app.server.on('request', ({ method = '', url = '' }) => seen.push(`${method} ${url.replace(/\?.*/, '')}`))
  return {
    count: (request: string) => seen.filter((one) => one === request).length,
    clear: () => void seen.splice(0),
  }
}

/** Like `localStorage`; two clients with the same one are two tabs. */
export function createStorage() {
  const values = new Map<string, string>()
  const storage: KontorStorage = {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
  return {
    storage,
    values,
    /** The session in it, changed by hand. */
    edit(change: (session: Record<string, unknown>) => object) {
      for (const [key, value] of values) values.set(key, JSON.stringify(change(JSON.parse(value) as never)))
    },
  }
}
