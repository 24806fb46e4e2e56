import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { shutDown } from './refusals.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** `serving`, then `draining` (responds, but asks callers to connect elsewhere), then `closing` (503). */
    phase: 'serving' | 'draining' | 'closing'
    /** Aborted as soon as it is no longer `serving`: for responses that stay open. */
    draining: AbortSignal
    /**
     * Makes load balancers and keep-alive clients go elsewhere, and gives them the time to do so; then call `close`.
     */
    drain(): Promise<void>
  }
}

/** How long an idle connection is kept once the service closes. */
const LAST_CALL_MS = 1_000

/**
 * Graceful shutdown: first readiness turns false and every response says `Connection: close`, then new requests on old
 * connections are refused while running ones finish. Fastify alone would wait for idle keep-alive connections, and Node
 * for connections without a request yet, such as those that browsers open in advance.
 */
export function drainOnClose(app: FastifyInstance, graceMs: number): void {
  const draining = new AbortController()
  app.decorate('phase', 'serving')
  app.decorate('draining', draining.signal)
  app.decorate('drain', async () => {
    app.phase = 'draining'
    draining.abort()
    await sleep(graceMs)
    await app.close()
  })
  const open = new Set<Socket>()
  const busy = new Set<Socket>()
  app.server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      busy.delete(socket)
    })
  })
  app.addHook('preClose', async () => {
    app.phase = 'closing'
    draining.abort()
    setTimeout(() => {
      for (const socket of open) if (!busy.has(socket)) socket.destroy()
    }, LAST_CALL_MS).unref()
  })
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    busy.delete(socket)
    done()
  })
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    busy.add(socket)
    if (app.phase === 'serving') return done()
    void reply.header('connection', 'close')
    done(app.phase === 'closing' ? shutDown() : undefined)
  })
  // A response that began before the shutdown must close its connection too.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (app.phase !== 'serving') void reply.header('connection', 'close')
    done(null, payload)
  })
}
