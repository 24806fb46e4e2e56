import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import {
  createKontor,
  type ErrorCode,
  KontorError,
  type KontorOptions,
  type KontorStorage,
} from '../../packages/sdk/src/index.ts'
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

/** In place of the service, to answer what it rarely does. Each answer is given once, the last for ever. */
export async function openStub(context: TestContext, ...answers: [status: number, headers: object, body: unknown][]) {
  const seen: { method: string; key: string | undefined }[] = []
  const listener: RequestListener = ({ method = '', headers }, response) => {
    seen.push({ method, key: headers['idempotency-key'] as string | undefined })
    const [status, more, body] = answers[Math.min(seen.length, answers.length) - 1] ?? [200, {}, {}]
    response.writeHead(status, { 'content-type': 'application/json', ...more })
    if (body !== 'never') response.end(typeof body === 'string' ? body : JSON.stringify(body))
    else response.flushHeaders()
  }
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  const open = (options: Partial<KontorOptions> = {}) =>
    createKontor({ baseUrl, businessId: 'biz_1', apiKey: 'k', timeoutMs: 300, ...options })
  return { seen, baseUrl, open, kontor: open() }
}
