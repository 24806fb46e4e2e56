import { type QueryExecutorProvider, sql } from 'kysely'

/** What a cell knows of a business that leaves it or comes to it; see migrations/cell/0001_cell.sql. */
export type MoveState = 'FOLLOWED' | 'CLOSED' | 'MOVED' | 'COPIED' | 'OPENED' | 'ARRIVED'

export async function readMoveState(
  db: QueryExecutorProvider,
  businessId: string,
): Promise<{ state: MoveState; moveId: string } | undefined> {
  const { rows } = await sql<{ state: MoveState; moveId: string }>`
    select state, move_id from cell.moves where business_id = ${businessId}`.execute(db)
  return rows[0]
}

export const isAway = (state: MoveState | undefined): boolean =>
  state === 'CLOSED' || state === 'MOVED' || state === 'COPIED'

/**
 * Whether rows of this business are for the workers of this cell, as an expression: not while it is being copied here, and not after
 * it has left. Whoever looks for something to do in many businesses says this, or would find the same rows again and again.
 */
export const isHere = (column: string) =>
  sql`${sql.ref(column)} not in (select business_id from cell.moves where state in ('CLOSED', 'MOVED', 'COPIED'))`

/** For the mover alone: what this transaction writes of the business is neither refused nor logged. */
export const asMover = (tx: QueryExecutorProvider, businessId: string): Promise<unknown> =>
  sql`select set_config('kontor.mover', ${businessId}, true)`.execute(tx)

/** Nobody else writes rows of the business until the transaction ends. Fails when it cannot be had within this time. */
export async function lockOut(tx: QueryExecutorProvider, businessId: string, withinMs: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${withinMs}ms`}, true)`.execute(tx)
  await sql`select pg_advisory_xact_lock(hashtextextended(${`kontor.move ${businessId}`}, 0))`.execute(tx)
}

type Moving = { id: string; businessId: string }

/** What a move may make of a cell: from which states of its own, and from which that earlier moves have left there. */
const STEPS: Record<MoveState, { of: readonly MoveState[]; after?: readonly MoveState[] }> = {
  FOLLOWED: { of: ['FOLLOWED'], after: ['FOLLOWED', 'ARRIVED'] },
  CLOSED: { of: ['FOLLOWED'] },
  MOVED: { of: ['CLOSED', 'MOVED'] },
  COPIED: { of: ['COPIED'], after: ['COPIED', 'MOVED'] },
  OPENED: { of: ['COPIED'] },
  ARRIVED: { of: ['OPENED', 'ARRIVED'] },
}

/** Another worker has carried the move on, or it is over: this one was given up for dead. */
export class Overtaken extends Error {
  constructor({ id }: Moving) {
    super(`The move ${id} is further than this worker, which was given up for dead`)
  }
}

/** Only ever forward: whoever has slept through the rest of a move, or through later ones, changes nothing. Ids go up with time. */
export async function setMoveState(db: QueryExecutorProvider, move: Moving, state: MoveState): Promise<void> {
  const { of, after } = STEPS[state]
  const { numAffectedRows } = await (after
    ? sql`
        insert into cell.moves as known (business_id, move_id, state) values (${move.businessId}, ${move.id}, ${state})
        on conflict (business_id) do update set move_id = excluded.move_id, state = excluded.state, changed_at = now()
         where known.move_id = excluded.move_id and known.state = any (${of})
            or known.move_id < excluded.move_id and known.state = any (${after})`
    : sql`
        update cell.moves set state = ${state}, changed_at = now()
         where business_id = ${move.businessId} and move_id = ${move.id} and state = any (${of})`
  ).execute(db)
  if (numAffectedRows !== 1n) throw new Overtaken(move)
}

/** The same for a transaction that writes as the mover: the cell stays as it is until it ends. */
export async function holdMoveState(tx: QueryExecutorProvider, move: Moving, of: readonly MoveState[]): Promise<void> {
  const { rows } = await sql`
    select from cell.moves
     where business_id = ${move.businessId} and move_id = ${move.id} and state = any (${of}) for share`.execute(tx)
  if (rows.length === 0) throw new Overtaken(move)
}

/** The business does not exist any more, or not yet: what its moves have left in a cell stands in nobody's way. */
export const forgetFormerMoves = (db: QueryExecutorProvider, businessId: string): Promise<unknown> =>
  sql`
    delete from cell.moves where business_id = ${businessId} and state in ('MOVED', 'ARRIVED')`.execute(db)

/** The business stays where it was. Nothing to forget is fine, but what has gone on since is not forgotten. */
export async function forgetMove(db: QueryExecutorProvider, move: Moving, of: MoveState): Promise<void> {
  await sql`
    delete from cell.moves
     where business_id = ${move.businessId} and move_id = ${move.id} and state = ${of}`.execute(db)
  const known = await readMoveState(db, move.businessId)
  if (known?.moveId === move.id) throw new Overtaken(move)
}
