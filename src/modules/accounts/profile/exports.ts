import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Selectable } from 'kysely'
import { audit } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { AccountsExports } from '#platform/database/control-tables.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { exportFailed, exportNotFound, exportNotReady } from '../errors.ts'
import { KEEP_EXPORT_MS } from '../limits.ts'
import type { WholeExport } from '../schemas.ts'
import { type Attempts, exportLimit } from '../sign-in/attempts.ts'
import { makeExport } from './make-export.ts'

type ExportRow = Selectable<AccountsExports>

const MOST_LISTED = 20

export const presentExport = (row: ExportRow): WholeExport => ({
  id: row.id,
  status: row.status as WholeExport['status'],
  size: row.status === 'READY' ? row.bytes : null,
  createdAt: toSeconds(row.createdAt),
  finishedAt: row.finishedAt && toSeconds(row.finishedAt),
  expiresAt: row.status === 'READY' ? toSeconds(row.expiresAt) : null,
})

/** One at a time for each person: whoever asks again gets the one that is being made. */
export async function requestExport(control: ControlDb, attempts: Attempts, actor: Actor): Promise<ExportRow> {
  const { userId } = actor
  return transaction(control, async (tx) => {
    const id = newId('exp')
    const made = await tx
      .insertInto('accounts.exports')
      .values({ id, userId, status: 'PENDING', createdAt: now(), expiresAt: new Date(nowMs() + KEEP_EXPORT_MS) })
      .onConflict((live) => live.column('userId').where('status', 'in', ['PENDING', 'RUNNING']).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!made)
      return tx
        .selectFrom('accounts.exports')
        .selectAll()
        .where('userId', '=', userId)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
    await attempts.on(tx).count(exportLimit(userId))
    await audit(tx, { action: 'account.exported', subject: userId, actor })
    await enqueue(tx, makeExport(), { exportId: id })
    return made
  })
}

const fresh = (control: ControlDb, userId: string) =>
  control.selectFrom('accounts.exports').selectAll().where('userId', '=', userId).where('expiresAt', '>', now())

/** Newest first. */
export const listExports = (control: ControlDb, userId: string): Promise<ExportRow[]> =>
  fresh(control, userId).orderBy('id', 'desc').limit(MOST_LISTED).execute()

export async function getExport(control: ControlDb, userId: string, id: string): Promise<ExportRow> {
  const found = await fresh(control, userId).where('id', '=', id).executeTakeFirst()
  if (!found) throw exportNotFound()
  return found
}

export async function openExport(control: ControlDb, box: SecretBox, userId: string, id: string) {
  const found = await getExport(control, userId, id)
  if (found.status === 'FAILED') throw exportFailed()
  if (found.status !== 'READY') throw exportNotReady()
  return readParts(control, box, found)
}

const unpack = promisify(gunzip)

/** One piece after another. If they go while it is being fetched, the answer breaks off, and is not taken for whole. */
async function* readParts(control: ControlDb, box: SecretBox, { id, parts }: ExportRow): AsyncGenerator<Buffer> {
  for (let number = 0; number < parts; number++) {
    const { sealed } = await control
      .selectFrom('accounts.exportParts')
      .select('sealed')
      .where((part) => part.and({ exportId: id, number }))
      .executeTakeFirstOrThrow()
    const packed = box.open(sealed)
    if (!packed) throw new Error('A part of this export was sealed with a key that is not known any more')
    yield await unpack(packed)
  }
}
