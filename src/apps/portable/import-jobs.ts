import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { Check, Clean } from 'typebox/value'
import { nowMs } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { DEFAULT_ATTEMPTS } from '#platform/jobs/define.ts'
import { addJobs, businessOf } from '#platform/jobs/graphile-internals.ts'
import { jobs } from '../jobs.ts'
import { CARRIED_JOBS } from './carried-jobs.ts'

const carried = new Map(
  jobs.flatMap((job) => (job.on === 'cell' && CARRIED_JOBS.includes(job.name) ? [[job.name, job]] : [])),
)

const Line = Type.Object({ identifier: Type.String(), payload: Type.Unknown(), run_at: Type.String() })

/**
 * An archive says of a job which one it is, its payload and when it is due, no more. A key could be one that somebody else is going to
 * use, and without it a job is at most done twice. Returns how many lines are no jobs that an archive carries, for this business:
 * they are left out.
 */
export async function importJobs(tx: Tx, businessId: string, lines: readonly string[]): Promise<number> {
  const known = lines.flatMap((line) => readJob(businessId, line) ?? [])
  if (known.length > 0) await addJobs(tx, businessId, known)
  return lines.length - known.length
}

function readJob(businessId: string, text: string): string | undefined {
  const line = parse(text)
  if (!Check(Line, line)) return undefined
  const { identifier, payload, run_at } = line
  const job = carried.get(identifier)
  const dueMs = Date.parse(run_at)
  if (!job || businessOf(payload) !== businessId || Number.isNaN(dueMs)) return undefined
  if (!Check(job.payload, payload) || !isDeepStrictEqual(Clean(job.payload, structuredClone(payload)), payload))
    return undefined
  return JSON.stringify({
    identifier,
    payload,
    run_at: new Date(Math.max(dueMs, nowMs())), // not before those of others that wait already
    max_attempts: job.maxAttempts ?? DEFAULT_ATTEMPTS,
    key: null,
    priority: 0,
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
