import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { insertion, upsert, write } from '#platform/database/write.ts'
import { fault } from '#platform/faults.ts'
import type { Download, Downloaded } from '#platform/outgoing/download.ts'
import { OutgoingError, type OutgoingProblem } from '#platform/outgoing/errors.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { AppError } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import type { KnownMedia } from '#vocabulary/media.ts'
import { type FileRow, newRow, type PublicUrl, toUploadedMedia, wordRows } from './file.ts'
import type { PictureType } from './file-types.ts'
import { FOLDER } from './folders.ts'
import { uploadKeyOf } from './keys.ts'
import { leaveUpload } from './leftovers.ts'
import type { Problem } from './problems.ts'
import { takeRoom } from './quota.ts'
import { MAX_BYTES } from './schemas.ts'
import { pictureTypeOf } from './sniff.ts'

/** Why a picture could not be taken in: what an upload may be rejected for, or what came in the way of loading it. */
export type TakeInProblem = Problem | OutgoingProblem | 'NOT_A_PICTURE' | 'QUOTA_EXCEEDED'

export class NotTaken extends Error {
  readonly problem: TakeInProblem
  readonly isTemporary: boolean

  constructor(problem: TakeInProblem, isTemporary = false, cause?: unknown) {
    super(problem, { cause })
    this.problem = problem
    this.isTemporary = isTemporary
  }
}

export type Intake = {
  storage: Storage
  /** Bytes that this business may store. */
  quotaOf: (businessId: string) => Promise<number>
  download: Download
}

export const hashOf = (address: string) => createHash('sha256').update(address).digest('hex')

/**
 * Loads the picture at an address into the library, and hands it to the workers as a completed upload: they judge it. Answers its
 * id. The same bytes twice are one file. Throws `NotTaken`; anything else is our fault.
 */
export async function takeIn(
  db: Db,
  { storage, quotaOf, download }: Intake,
  { businessId, address }: { businessId: string; address: string },
  signal: AbortSignal,
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), FOLDER))
  try {
    const file = path.join(folder, 'picture')
    const loaded = await load(download, address, file, signal)
    await fault('media.downloaded')
    const mimeType = await pictureTypeOf(file)
    if (!mimeType) throw new NotTaken('NOT_A_PICTURE')
    const id = newId('med')
    const known = await findSame(db, businessId, loaded.sha256)
    // Before the row: whoever finds that must find the bytes, too. What no row leads to is swept.
    if (!known) {
      const about = { mimeType, isAttachment: true, size: loaded.size }
      await storage.put(uploadKeyOf({ businessId, id }), createReadStream(file), about)
    }
    await fault('media.taken-in')
    const quota = await quotaOf(businessId)
    const sent = { ...loaded, mimeType, fileName: nameOf(address) }
    return await transaction(db, (tx) => note(tx, { businessId, quota, id, address, isStored: !known }, sent))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function load(download: Download, address: string, file: string, signal: AbortSignal): Promise<Downloaded> {
  try {
    return await download(address, file, { maxBytes: MAX_BYTES, signal })
  } catch (error) {
    if (error instanceof OutgoingError) throw new NotTaken(error.problem, error.isTemporary, error)
    throw error
  }
}

type New = { businessId: string; quota: number; id: string; address: string; isStored: boolean }
type Sent = Downloaded & { mimeType: PictureType; fileName: string }

/** Two at once with the same bytes wait for each other: the second finds the file of the first. */
async function note(tx: Tx, { businessId, quota, id, address, isStored }: New, sent: Sent): Promise<string> {
  const lock = `media.take-in ${businessId} ${sent.sha256}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx)
  const known = await findSame(tx, businessId, sent.sha256)
  // It was there a moment ago and is deleted now: the next try stores it.
  if (!known && !isStored) throw new NotTaken('FAILED', true)
  const mediaId = known?.id ?? id
  const at = now()
  const row = newRow({ businessId, id, ...sent }, { status: 'PROCESSING', uploadExpiresAt: at, completedAt: at })
  await write(
    tx,
    ...(known ? [] : [insertion('media.files', [row]), insertion('media.words', wordRows(row))]),
    known && isStored ? leaveUpload({ businessId, id }) : undefined,
    upsert('media.sources', [{ businessId, addressHash: hashOf(address), mediaId }], {
      key: ['businessId', 'addressHash'],
    }),
  )
  if (known) return mediaId
  try {
    await takeRoom(tx, businessId, sent.size, quota)
  } catch (error) {
    throw error instanceof AppError ? new NotTaken('QUOTA_EXCEEDED') : error
  }
  return mediaId
}

/** One that is READY, or will be; not one that somebody may never upload. Asked apart, as each status has an index of its own. */
async function findSame(db: Db, businessId: string, sha256: string): Promise<{ id: string } | undefined> {
  const ofStatus = (status: string) => sql`
    (select id from media.files where business_id = ${businessId} and sha256 = ${sha256} and status = ${sql.lit(status)} order by id limit 1)`
  const { rows } = await sql<{ id: string }>`
    select id
      from (${ofStatus('READY')} union all ${ofStatus('PROCESSING')}) as same
     order by id
     limit 1`.execute(db)
  return rows[0]
}

const MAX_NAME = 200

/** The last part of its path, as far as it is a name. */
function nameOf(address: string): string {
  const last = new URL(address).pathname.split('/').at(-1) ?? ''
  const name = decode(last)
    .replaceAll(/[/\\\p{Cc}]/gu, '')
    .slice(0, MAX_NAME)
    .toWellFormed()
    .trim()
  return name || 'picture'
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What becomes of files that were taken in. */
export async function findOutcomes(db: Db, businessId: string, ids: readonly string[]) {
  const rows = await db
    .selectFrom('media.files')
    .select(['id', 'status', 'problem'])
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, ...outcome }) => [id, outcome as Pick<FileRow, 'status' | 'problem'>]))
}

/** Reads READY files that were loaded from these addresses before, by address, and holds them as `HoldMedia` does. */
export const createHoldLoaded =
  (publicUrl: PublicUrl | undefined) =>
  async (tx: Tx, businessId: string, addresses: readonly string[]): Promise<KnownMedia> => {
    if (addresses.length === 0 || !publicUrl) return new Map()
    const byHash = new Map(addresses.map((address) => [hashOf(address), address]))
    const { rows } = await sql<FileRow & { addressHash: string }>`
      select files.*, sources.address_hash
        from media.sources
        join media.files on files.business_id = sources.business_id and files.id = sources.media_id
       where sources.business_id = ${businessId} and sources.address_hash = any (${[...byHash.keys()]})
         and files.status = 'READY'
       order by files.id
         for share of files`.execute(tx)
    return new Map(rows.map((row) => [byHash.get(row.addressHash) ?? '', toUploadedMedia(row, publicUrl)]))
  }
export type HoldLoaded = ReturnType<typeof createHoldLoaded>
