import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { AppError } from '#vocabulary/errors.ts'
import { now } from '../clock.ts'
import type { Cell, Control, Database } from '../database/database.ts'
import { transaction } from '../database/transaction.ts'
import { fault } from '../faults.ts'
import { errorBody } from './errors.ts'
import { MAX_KEY_LENGTH } from './limits.ts'
import { keyInvalid, keyReused, stillRunning } from './refusals.ts'
import { sendText } from './text.ts'

/** Outcomes to replay: successes, and refusals caused by the request itself. */
const isKept = (status: number) => (status >= 200 && status < 300) || status === 409 || status === 422

type Claim = { businessId: string; caller: string; key: string; requestHash: Buffer }
type Record = { status: number; body: string; requestHash: Buffer }

/**
 * Runs `work` in one transaction and returns 201, or another `status` that may follow from its result, with the result (text is sent as it stands).
 * With an `Idempotency-Key`, the response is stored in the same transaction and replayed to retries, even if the first
 * response was lost: same key and body, the same bytes; same key and another body, 422; while the first still runs,
 * 409.
 */
export async function createOnce<Tables, Body extends object | string>(
  request: FastifyRequest,
  reply: FastifyReply,
  db: Database<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Body>,
  status: number | ((body: Body) => number) = 201,
  /** What is stored for retries, where the first answer has a secret that is shown once. */
  kept: (body: Body) => Body = (body) => body,
): Promise<Body> {
  const claim = claimOf(request)
  const statusOf = (body: Body) => (typeof status === 'number' ? status : status(body))
  if (!claim) {
    const body = await transaction(db, work)
    void reply.code(statusOf(body))
    return typeof body === 'string' ? sendText(reply, body) : body
  }

  // The serializer is that of the status.
  const textOf = (code: number, body: Body) =>
    typeof body === 'string' ? body : (reply.code(code).serialize(body) as string)
  let first: Body | undefined
  const answer = await runOnce(db, claim, request.id, async (tx) => {
    first = await work(tx)
    const code = statusOf(first)
    return { status: code, body: textOf(code, kept(first)) }
  })
  if (answer.replayed) void reply.header('idempotency-replayed', 'true')
  const isFirst = !answer.replayed && first !== undefined
  return sendText(reply.code(answer.status), isFirst ? textOf(answer.status, first as Body) : answer.body)
}

export type ItemOutcome<Result> =
  | { result: Result }
  | { refusal: Pick<ReturnType<typeof errorBody>, 'error' | 'message' | 'details'> }

/**
 * Runs `work` for one item of a request with many, in a transaction of its own. With an `Idempotency-Key`, each item
 * counts by itself: its `id` together with the key is done once, and a repeated request gets the same outcome for it,
 * whatever other items it holds. Throws only what is not the item's fault.
 */
export async function doItemOnce<Tables, Result extends object>(
  request: FastifyRequest,
  db: Database<Tables>,
  item: { id: string; content: unknown },
  work: (tx: Transaction<Tables>) => Promise<Result>,
): Promise<ItemOutcome<Result>> {
  const claim = claimOf(request)
  try {
    if (!claim) return { result: await transaction(db, work) }
    const ofItem = { ...claim, key: `item:${hash(`${claim.key}\n${item.id}`).toString('base64url')}` }
    const requestHash = hash(`${request.method} ${request.url}\n${JSON.stringify(item.content)}`)
    const { status, body } = await runOnce(db, { ...ofItem, requestHash }, request.id, async (tx) => ({
      status: 200,
      body: JSON.stringify(await work(tx)),
    }))
    if (status < 300) return { result: JSON.parse(body) as Result }
    return { refusal: withoutRequest(JSON.parse(body) as ReturnType<typeof errorBody>) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { refusal: withoutRequest(errorBody(error, request.id)) }
  }
}

const withoutRequest = ({ error, message, details }: ReturnType<typeof errorBody>) => ({ error, message, details })

/** Finds what was answered before, or runs `work` and keeps its outcome in the same transaction. */
async function runOnce<Tables>(
  db: Database<Tables>,
  claim: Claim,
  requestId: string,
  work: (tx: Transaction<Tables>) => Promise<{ status: number; body: string }>,
): Promise<{ status: number; body: string; replayed: boolean }> {
  const { kind } = db
  const settle = (run: typeof work) =>
    transaction(db, async (tx) => {
      const known = await findRecord(tx, kind, claim)
      if (known) return { ...known, replayed: true }
      const { status, body } = await run(tx)
      await insertRecord(tx, kind, claim, status, body)
      await fault('idempotency.before-commit')
      return { status, body, replayed: false }
    })
  const answer = await settle(work).catch(async (error: unknown) => {
    if (!(error instanceof AppError) || !isKept(error.status) || refusals.has(error)) throw error
    // The transaction was rolled back and its lock released: this error is the outcome, unless a concurrent retry was
    // faster.
    const body = JSON.stringify(errorBody(error, requestId))
    const refused = await settle(async () => ({ status: error.status, body }))
    if (!refused.replayed) throw error
    return refused
  })
  await fault('idempotency.after-commit')
  return answer
}

const hash = (text: string) => createHash('sha256').update(text).digest()

/** The key that came with a request, if any; 422 when it cannot be one. */
export function keyOfRequest({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH) {
    throw keyInvalid()
  }
  return key
}

function claimOf(request: FastifyRequest): Claim | undefined {
  const key = keyOfRequest(request)
  if (key === undefined) return undefined
  const requestHash = hash(`${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`)
  const { business } = request.routeOptions.config
  const businessId = business === 'none' ? '' : request.business.id
  return { businessId, caller: request.actor.userId, key, requestHash }
}

// Refusals of the key itself are not outcomes of the request.
const refusals = new WeakSet<AppError>()
function refusal(error: AppError): AppError {
  refusals.add(error)
  return error
}

/** The advisory lock is held until the transaction ends; if it is taken, the first request is still running. */
async function findRecord(
  tx: QueryExecutorProvider,
  kind: 'control' | 'cell',
  claim: Claim,
): Promise<Record | undefined> {
  const name = `idempotency:${claim.businessId}:${claim.caller}:${claim.key}`
  const { rows: locks } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`.execute(tx)
  if (!locks[0]?.locked) {
    throw refusal(stillRunning())
  }
  // A separate statement, because its snapshot must be younger than the lock.
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

/** Forgets the answers to these callers before their day is over: they may say who somebody was. */
export const forgetCallers = (
  tx: QueryExecutorProvider,
  kind: 'control' | 'cell',
  businessIds: readonly string[],
  callers: readonly string[],
) =>
  sql`
    delete from ${table(kind)}
     where business_id = any (${businessIds}::text[]) and caller = any (${callers}::text[])`.execute(tx)

const KEEP_HOURS = 24

/** Deletes old responses, some thousands at a time. */
export async function pruneIdempotencyKeys(db: Cell | Control): Promise<number> {
  const { kind } = db
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
