import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Kysely, type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { AppError, conflict, invalid } from '#vocabulary/errors.ts'
import { now } from '../clock.ts'
import { handleOf } from '../database/database.ts'
import { transaction } from '../database/transaction.ts'
import { fault } from '../faults.ts'
import { errorBody } from './errors.ts'
import { sendText } from './text.ts'

const MAX_KEY_LENGTH = 255
/** Outcomes worth repeating: done, or refused for a reason that the request itself carries. */
const isKept = (status: number) => (status >= 200 && status < 300) || status === 409 || status === 422

type Claim = { businessId: string; caller: string; key: string; requestHash: Buffer }
type Record = { status: number; body: string; requestHash: Buffer }

/**
 * Runs `work` in one transaction and answers 201, or another `status`, with what it returns (text is sent as it stands). With an
 * `Idempotency-Key`, that answer is written in the same transaction, so a repeat gets it again, whatever happened to the first
 * answer on its way: same key and body, the same bytes; same key and another body, 422; while the first still runs, 409.
 */
export async function createOnce<Tables, Body extends object | string>(
  request: FastifyRequest,
  reply: FastifyReply,
  db: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Body>,
  status = 201,
): Promise<Body> {
  const claim = claimOf(request)
  const { kind } = handleOf(db)
  void reply.code(status)
  if (!claim) {
    const body = await transaction(db, work)
    return typeof body === 'string' ? sendText(reply, body) : body
  }

  const settle = (run: (tx: Transaction<Tables>) => Promise<{ status: number; body: string }>) =>
    transaction(db, async (tx) => {
      const known = await findRecord(tx, kind, claim)
      if (known) return { ...known, replayed: true }
      const { status, body } = await run(tx)
      await insertRecord(tx, kind, claim, status, body)
      await fault('idempotency.before-commit')
      return { status, body, replayed: false }
    })

  const run = async (tx: Transaction<Tables>) => {
    const body = await work(tx)
    return { status, body: typeof body === 'string' ? body : (reply.serialize(body) as string) }
  }
  const answer = await settle(run).catch(async (error: unknown) => {
    if (!(error instanceof AppError) || !isKept(error.status) || refusals.has(error)) throw error
    // That transaction is undone, and its lock gone: this is the outcome, unless a twin has been faster.
    const body = JSON.stringify(errorBody(error, request.id))
    const refused = await settle(async () => ({ status: error.status, body }))
    if (!refused.replayed) throw error
    return refused
  })
  await fault('idempotency.after-commit')
  if (answer.replayed) void reply.header('idempotency-replayed', 'true')
  return sendText(reply.code(answer.status), answer.body)
}

/** The key that came with a request, if any; 422 when it cannot be one. */
export function keyOfRequest({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH) {
    throw invalid('Idempotency-Key', 'INVALID', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`)
  }
  return key
}

export const keyReused = () =>
  invalid('Idempotency-Key', 'IDEMPOTENCY_KEY_REUSED', 'This key was used for another request. Use a new one.')

function claimOf(request: FastifyRequest): Claim | undefined {
  const key = keyOfRequest(request)
  if (key === undefined) return undefined
  const requestHash = createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`)
    .digest()
  const { business } = request.routeOptions.config
  const businessId = business === 'none' ? '' : request.business.id
  return { businessId, caller: request.actor.userId, key, requestHash }
}

// Our own refusals about the key itself are not outcomes of the request.
const refusals = new WeakSet<AppError>()
function refusal(error: AppError): AppError {
  refusals.add(error)
  return error
}

/** The lock is held until the transaction ends; who does not get it has a twin that is still running. */
async function findRecord(
  tx: QueryExecutorProvider,
  kind: 'control' | 'cell',
  claim: Claim,
): Promise<Record | undefined> {
  const name = `idempotency:${claim.businessId}:${claim.caller}:${claim.key}`
  const { rows: locks } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`.execute(tx)
  if (!locks[0]?.locked) {
    throw refusal(conflict('Idempotency-Key', 'STILL_RUNNING', 'The first request with this key is still running.', 1))
  }
  // A statement of its own: its snapshot must be younger than the lock.
  const { rows } = await sql<Record>`
    select status, body, request_hash
      from ${table(kind)}
     where business_id = ${claim.businessId} and caller = ${claim.caller} and key = ${claim.key}`.execute(tx)
  const known = rows[0]
  if (known && !known.requestHash.equals(claim.requestHash)) {
    throw refusal(keyReused())
  }
  return known
}

const insertRecord = (
  tx: QueryExecutorProvider,
  kind: 'control' | 'cell',
  claim: Claim,
  status: number,
  body: string,
) =>
  sql`
    insert into ${table(kind)} (business_id, caller, key, request_hash, status, body, created_at)
    values (${claim.businessId}, ${claim.caller}, ${claim.key}, ${claim.requestHash}, ${status}, ${body}, ${now()})
    on conflict do nothing`.execute(tx)

const table = (kind: 'control' | 'cell') => sql.table(`${kind}.idempotency_keys`)

const KEEP_HOURS = 24

/** Forgets old answers, some thousands at a time. */
export async function pruneIdempotencyKeys(db: QueryExecutorProvider): Promise<number> {
  const { kind } = handleOf(db)
  const before = new Date(now().getTime() - KEEP_HOURS * 3_600_000)
  for (let total = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${table(kind)}
       where ctid = any (array(
         select ctid from ${table(kind)} where created_at < ${before} limit 5000))`.execute(db)
    total += Number(numAffectedRows)
    if (numAffectedRows === 0n) return total
  }
}
