import { type Selectable, sql } from 'kysely'
import type { SecretBox } from '../crypto/secret-box.ts'
import type { ControlCells } from '../database/control-tables.ts'
import { type ControlDb, type ControlTx, type DatabaseAddress, MAIN_CELL } from '../database/database.ts'
import { notify } from '../database/listener.ts'

/**
 * `OPEN`: takes new businesses. `CLOSED`: takes none by itself, only those that an operator puts there. `DRAINING`: takes
 * none at all, and is going to be emptied. `OFF`: nobody connects to it; its businesses get 503.
 */
export const PLACEMENTS = ['OPEN', 'CLOSED', 'DRAINING', 'OFF'] as const
export type Placement = (typeof PLACEMENTS)[number]

export type CellRow = Omit<Selectable<ControlCells>, 'state'> & { state: Placement }

export const CELLS_CHANGED = 'cells'
const IS_NAME = /^[a-z0-9-]{1,32}$/
export const isCellName = (name: string) => IS_NAME.test(name) && name !== MAIN_CELL

export const sealAddress = (box: SecretBox, address: DatabaseAddress): Buffer =>
  box.seal(Buffer.from(JSON.stringify(address)))

export const sealReplica = (box: SecretBox, url: string): Buffer => box.seal(Buffer.from(JSON.stringify({ url })))

/** Undefined where no key opens it. */
export function openReplicaUrl(box: SecretBox, sealed: Uint8Array): string | undefined {
  const plain = box.open(sealed)
  return plain && (JSON.parse(plain.toString()) as { url: string }).url
}

/** Undefined where no key opens it. */
export function openAddress(box: SecretBox, sealed: Uint8Array): DatabaseAddress | undefined {
  const plain = box.open(sealed)
  return plain && (JSON.parse(plain.toString()) as DatabaseAddress)
}

export const readCells = (db: ControlDb): Promise<CellRow[]> =>
  db.selectFrom('control.cells').selectAll().orderBy('id').execute() as Promise<CellRow[]>

/** Cells that CELLS names are there from the first start on. */
export async function registerCells(db: ControlDb, names: readonly string[]): Promise<void> {
  await sql`insert into control.cells (id) select unnest(${[...names]}::text[]) on conflict (id) do nothing`.execute(db)
}

/** How many businesses each cell has. */
export async function countByCell(db: ControlDb): Promise<Map<string, number>> {
  const { rows } = await sql<{ cell: string; businesses: number }>`
    select cell, sum(change)::bigint as businesses from control.cell_businesses group by cell`.execute(db)
  return new Map(rows.map(({ cell, businesses }) => [cell, businesses]))
}

/** Sums up what the triggers of businesses have written, so that it stays short. */
export async function foldCounts(db: ControlDb): Promise<void> {
  await sql`
    with taken as (delete from control.cell_businesses returning cell, change)
    insert into control.cell_businesses (cell, change)
    select cell, sum(change) from taken group by cell having sum(change) <> 0`.execute(db)
}

/** Holds the row until the end of the transaction; undefined: there is none. */
export const lockCell = (tx: ControlTx, id: string): Promise<CellRow | undefined> =>
  tx.selectFrom('control.cells').selectAll().where('id', '=', id).forUpdate().executeTakeFirst() as Promise<
    CellRow | undefined
  >

type Changes = Partial<Pick<CellRow, 'state' | 'weight' | 'region' | 'address' | 'replicaAddress'>>

export async function addCell(tx: ControlTx, id: string, cell: Changes): Promise<void> {
  await tx
    .insertInto('control.cells')
    .values({ id, ...cell })
    .execute()
  await notify(tx, CELLS_CHANGED, id)
}

export async function changeCell(tx: ControlTx, id: string, changes: Changes): Promise<void> {
  await tx
    .updateTable('control.cells')
    .set({ ...changes, updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
  await notify(tx, CELLS_CHANGED, id)
}

export async function removeCell(tx: ControlTx, id: string): Promise<void> {
  await tx.deleteFrom('control.cells').where('id', '=', id).execute()
  await notify(tx, CELLS_CHANGED, id)
}

/** Seals the addresses under the first key. */
export async function resealCells(tx: ControlTx, box: SecretBox): Promise<void> {
  for (const { id, address, replicaAddress } of await readCells(tx)) {
    if (!address && !replicaAddress) continue
    const opened = address ? openAddress(box, address) : undefined
    const replicaUrl = replicaAddress ? openReplicaUrl(box, replicaAddress) : undefined
    if ((address && !opened) || (replicaAddress && !replicaUrl))
      throw new Error(`SECRET_KEY does not open the address of the cell ${id}`)
    await changeCell(tx, id, {
      ...(opened && { address: sealAddress(box, opened) }),
      ...(replicaUrl !== undefined && { replicaAddress: sealReplica(box, replicaUrl) }),
    })
  }
}
