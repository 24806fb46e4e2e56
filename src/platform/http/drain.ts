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

/**
 * Stopping without failing anybody: first readiness turns false and every answer says `Connection: close`, then new requests
 * on old connections are refused while running ones finish. Fastify alone would wait for idle keep-alive connections.
 */
export function drainOnClose(app: FastifyInstance, graceMs: number): void {
  app.decorate('phase', 'serving')
  app.decorate('drain', async () => {
    app.phase = 'draining'
    await sleep(graceMs)
    await app.close()
  })
  app.addHook('preClose', async () => {
    app.phase = 'closing'
  })
  app.addHook('onRequest', (_request, reply, done) => {
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
