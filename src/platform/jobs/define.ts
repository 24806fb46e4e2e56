import type { FastifyBaseLogger } from 'fastify'
import { type QueryExecutorProvider, sql } from 'kysely'
import type { Static, TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import type { SecretBox } from '../crypto/secret-box.ts'
import type { Cell, Control, ControlTx, Tx } from '../database/database.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Payments } from '../payments/provider.ts'
import type { SmsSender } from '../sms/twilio.ts'
import type { Storage } from '../storage/storage.ts'
import { flagOf, LONG } from './graphile-internals.ts'

/** The outside services that are configured. */
export type JobServices = {
  mail: Mailer | undefined
  sms: SmsSender | undefined
  payments: Payments
  storage: Storage | undefined
  box: SecretBox
  /** The text records of a name, as the configured name servers know them; none if there is no such name. */
  findTextRecords: (name: string) => Promise<string[]>
  publicUrl: string
  /** Who runs this service, where they want to be told of what needs them. */
  operatorEmail: string | undefined
  /** Where the pages are that mails about accounts lead to. */
  pagesUrl: string
}

/** The dependencies of every job. `db` is the database whose queue held the job. */
export type JobContext<Database> = {
  db: Database
  control: Control
  cells: ReadonlyMap<string, Cell>
  log: FastifyBaseLogger
  services: JobServices
  attempt: number
  /** Aborted when the worker has to stop. */
  signal: AbortSignal
  /** The names of all jobs of cells that this worker knows, those of extensions among them. */
  cellJobs: readonly string[]
  /**
   * A fencing check: call it first in a transaction whose effect must not happen twice. It fails when this run was
   * given up for dead and the job handed to another worker, and prevents that until the transaction ends.
   */
  fence: (tx: QueryExecutorProvider) => Promise<void>
}

type JobDefinition<Kind, Database, Payload extends TSchema> = {
  name: string
  /** The queue that it belongs to: a cell's, or the control database's. */
  on: Kind
  payload: Payload
  maxAttempts?: number
  /**
   * May take minutes or hours. Such jobs have half of the places of a worker's queue at most, so that mails need not wait for them.
   * Jobs of cells may not: they would lose the mark on the way to another cell, and go in pieces of seconds instead.
   */
  isLong?: Kind extends 'control' ? true : never
  /**
   * A run that exceeds it fails, is retried, and loses access to databases and services. Unlimited by default.
   */
  timeLimitSeconds?: number
  /** A cron schedule (UTC). The payload must allow an empty object. */
  cron?: string
  run: (payload: Static<Payload>, context: JobContext<Database>) => Promise<void>
}

export type CellJob<Payload extends TSchema = TSchema> = JobDefinition<'cell', Cell, Payload>
export type ControlJob<Payload extends TSchema = TSchema> = JobDefinition<'control', Control, Payload>
// oxlint-disable-next-line typescript/no-explicit-any -- a list of jobs with different payloads
export type AnyJob = CellJob<any> | ControlJob<any>

/**
 * A job carries ids, not copies, and may run twice: it looks at the state first, or changes it with a guarded update.
 */
export function defineJob<Payload extends TSchema>(job: CellJob<Payload>): CellJob<Payload>
export function defineJob<Payload extends TSchema>(job: ControlJob<Payload>): ControlJob<Payload>
export function defineJob(job: AnyJob): AnyJob {
  return job
}

export type EnqueueOptions = {
  runAt?: Date
  /** Only one job with this key waits at a time; a later one replaces it. One that runs already is followed by another. */
  key?: string
  /** The one that waits keeps its time, or a later one would put it off again and again. (One that has failed before does not.) */
  keepsTime?: boolean
  /** Smaller runs earlier. */
  priority?: number
}

export const DEFAULT_ATTEMPTS = 12 // with exponential backoff: some sixteen hours

/** Part of `tx`: workers see the job if, and only if, it commits. */
export function enqueue<Payload extends TSchema>(
  tx: Tx,
  job: CellJob<Payload>,
  payload: Static<Payload>,
  options?: EnqueueOptions,
): Promise<void>
export function enqueue<Payload extends TSchema>(
  tx: ControlTx,
  job: ControlJob<Payload>,
  payload: Static<Payload>,
  options?: EnqueueOptions,
): Promise<void>
export async function enqueue(
  tx: QueryExecutorProvider,
  job: AnyJob,
  payload: unknown,
  options: EnqueueOptions = {},
): Promise<void> {
  checkPayload(job, payload)
  const add = sql<{ id: string | null }>`
    select id from graphile_worker.add_job(
      identifier => ${job.name}, payload => ${JSON.stringify(payload)}::json, run_at => ${options.runAt ?? null}::timestamptz,
      max_attempts => ${job.maxAttempts ?? DEFAULT_ATTEMPTS}, job_key => ${options.key ?? null}, priority => ${options.priority ?? 0},
      flags => array_remove(array[${flagOf(payload)}::text, ${job.isLong ? LONG : null}::text], null),
      job_key_mode => ${options.keepsTime ? 'preserve_run_at' : 'replace'})`
  const { rows } = await add.execute(tx)
  // A worker took the one that waits just now: nothing was added, and it may be too early for what this one is about.
  if (rows[0]?.id == null) await add.execute(tx)
}

/** Enqueues all jobs for all payloads in one statement: sixty times cheaper for each than one after another. */
export async function enqueueAll<Payload extends TSchema>(
  tx: Tx,
  jobs: readonly CellJob<Payload>[],
  payloads: readonly Static<Payload>[],
): Promise<void> {
  if (payloads.length === 0) return
  for (const job of jobs) for (const payload of payloads) checkPayload(job, payload)
  const [names, attempts] = [jobs.map(({ name }) => name), jobs.map((job) => job.maxAttempts ?? DEFAULT_ATTEMPTS)]
  const [texts, flags] = [payloads.map((payload) => JSON.stringify(payload)), payloads.map(flagOf)]
  await sql`
    select from graphile_worker.add_jobs(array(
      select row (name, payload::json, null, null, attempts::smallint, null, 0, array_remove(array[flag], null))::graphile_worker.job_spec
        from unnest(${texts}::text[], ${flags}::text[]) as item (payload, flag),
             unnest(${names}::text[], ${attempts}::integer[]) as job (name, attempts)))`.execute(tx)
}

export function checkPayload(job: AnyJob, payload: unknown): void {
  if (Check(job.payload, payload)) return
  const [first] = Errors(job.payload, payload)
  throw new TypeError(`The payload of ${job.name} does not fit its schema: ${first?.instancePath} ${first?.message}`)
}
