import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '#vocabulary/errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** `serving`, then `draining` (answers, but asks callers to connect elsewhere), then `closing` (503). */
    phase: 'serving' | 'draining' | 'closing'
    /** Tells balancers and keep-alive clients to go elsewhere, and gives them the time to hear it; then close. */
    drain(): Promise<void>
  }
}

/** How long a connection on which no request runs is kept once the service closes. */
const LAST_CALL_MS = 1_000

/**
 * Stopping without failing anybody: first readiness turns false and every answer says `Connection: close`, then new requests
 * on old connections are refused while running ones finish. Fastify alone would wait for idle keep-alive connections, and
 * Node for those on which nothing has come yet, such as the ones that browsers open in advance.
 */
export function drainOnClose(app: FastifyInstance, graceMs: number): void {
  app.decorate('phase', 'serving')
  app.decorate('drain', async () => {
    app.phase = 'draining'
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
    done(
      app.phase === 'closing'
        ? unavailable('The service is shutting down. Try again: another instance will answer.')
        : undefined,
    )
  })
  // An answer that began before the shutdown must end its connection too.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (app.phase !== 'serving') void reply.header('connection', 'close')
    done(null, payload)
  })
}
