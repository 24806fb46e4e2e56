import type { FastifyBaseLogger } from 'fastify'
import { RECLAIM, RECLAIM_STRAYS } from './graphile-internals.ts'
import type { HeartbeatQuery } from './heartbeat.ts'
import type { JobMeter } from './measure.ts'
import type { Rest } from './rest.ts'

const STRAYS_MS = 10_000

/**
 * Reclaims the jobs of dead workers, which graphile-worker leaves locked for hours. Every worker watches the others:
 * one whose advisory lock is free has lost its connection, and after a short wait its jobs are unlocked. The look that
 * all loops of a cell share asks for them, every second at least.
 */
export function reclaimDeadWorkersJobs(
  query: HeartbeatQuery,
  ownId: string,
  rest: Rest,
  log: FastifyBaseLogger,
  meter: JobMeter,
): { stop(): void } {
  async function reclaim(ids: readonly string[]) {
    for (const id of ids) {
      const [taken] = await query<{ jobs: number }>(RECLAIM, [id])
      if (!taken) continue // another worker was faster
      meter.lost.inc()
      meter.recovered.inc(taken.jobs)
      log.warn({ worker: id, jobs: taken.jobs }, 'reclaimed the jobs of a dead worker')
    }
  }

  async function reclaimStrays() {
    const [found] = await query<{ jobs: number }>(RECLAIM_STRAYS)
    if (!found) return
    meter.recovered.inc(found.jobs)
    log.warn({ jobs: found.jobs }, 'reclaimed jobs of workers without a heartbeat')
  }

  // The connection is gone, which the heartbeat reports, or a row is locked: next time.
  const detach = rest.attach({ query, ownId, onDead: (ids) => reclaim(ids).catch(() => {}) })
  const lookForStrays = () => void reclaimStrays().catch(() => {})
  lookForStrays()
  const timer = setInterval(lookForStrays, STRAYS_MS)
  return {
    stop() {
      clearInterval(timer)
      detach()
    },
  }
}
