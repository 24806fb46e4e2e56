import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { write } from '#platform/database/write.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import type { Storage, Stored } from '#platform/storage/storage.ts'
import { mediaReady, mediaRejected } from './events.ts'
import { attachmentKeyOf, type FileRow, pictureOf } from './file.ts'
import { isPicture } from './file-types.ts'
import { originalKeyOf, publicPrefixOf, uploadKeyOf } from './keys.ts'
import { avifRungs, type Picture, plainRung, webpRungs } from './ladder.ts'
import { leaveAll, leaveUpload } from './leftovers.ts'
import type { Problem } from './problems.ts'
import { freeRoom } from './quota.ts'
import { readInto } from './read-upload.ts'
import { render } from './render.ts'
import { checkContent } from './sniff.ts'

export type Work = { db: Db; storage: Storage; row: FileRow; lease: string; folder: string; signal: AbortSignal }

const PICTURE = { isImmutable: true }

/** From the upload to READY. Repeated from the start after a crash: it writes the same objects once more. */
export async function processFile(work: Work): Promise<void> {
  const { storage, row, folder, signal } = work
  const file = path.join(folder, 'upload')
  await readInto(file, storage, uploadKeyOf(row), row, signal)
  await fault('media.read')
  await checkContent(file, row.mimeType)
  if (!isPicture(row.mimeType)) {
    await store(storage, attachmentKeyOf(row), file, { mimeType: row.mimeType, isAttachment: true, isImmutable: true })
    await fault('media.stored')
    return setReady(work, undefined, null)
  }
  const { picture, placeholder } = await render(
    { file, out: folder, mimeType: row.mimeType, make: 'webp' },
    { businessId: row.businessId, signal },
  )
  await fault('media.rendered')
  await store(storage, originalKeyOf(row), file, { mimeType: row.mimeType, isAttachment: true })
  await fault('media.original-stored')
  await storeRenditions(work, picture)
  await fault('media.stored')
  await setReady(work, picture, placeholder)
}

async function store(storage: Storage, key: string, file: string, about: Stored): Promise<void> {
  const { size } = await stat(file)
  await storage.put(key, createReadStream(file), { ...about, size })
}

async function storeRenditions({ storage, row, folder }: Work, picture: Picture): Promise<void> {
  const prefix = publicPrefixOf(row)
  // Together: a store far away takes its time for each, and they are small.
  await Promise.all([
    ...[...webpRungs(picture), plainRung(picture)].map(async ({ name, mimeType }) => {
      await store(storage, prefix + name, path.join(folder, name), { mimeType, ...PICTURE })
      await fault('media.rendition-stored')
    }),
    // Until it is made, the WebP stands in for the AVIF: nobody may keep it.
    ...avifRungs(picture).map(async ({ name, width }) => {
      await store(storage, prefix + name, path.join(folder, `${width}.webp`), { mimeType: 'image/webp' })
      await fault('media.stand-in-stored')
    }),
  ])
}

/** Only whoever still has the lease: the row may be deleted, or another worker's by now. */
const mine = ({ row: { businessId, id }, lease }: Work, status: string) => ({ businessId, id, lease, status })

/** Somebody may have described the file while it was worked on. */
const nextVersion = sql<number>`version + 1`

async function setReady(work: Work, picture: Picture | undefined, placeholder: string | null): Promise<void> {
  const { db, row } = work
  const { businessId, id, mimeType } = row
  const { width = null, height = null, isTransparent = null, isAnimated = null } = picture ?? {}
  const avif = picture && avifRungs(picture).length > 0 ? 'WAITING' : null
  await transaction(db, async (tx) => {
    const changed = await tx
      .updateTable('media.files')
      .set({ status: 'READY', problem: null, width, height, isTransparent, isAnimated, placeholder, avif })
      .set({ lease: null, leasedUntil: null, attempts: 0, version: nextVersion, updatedAt: now() })
      .where((file) => file.and(mine(work, 'PROCESSING')))
      .returning('id')
      .executeTakeFirst()
    if (!changed) return
    await write(tx, leaveUpload(row))
    await record(tx, mediaReady({ businessId, subject: id, data: { mimeType, width, height } }))
    await fault('media.before-ready')
  })
  await fault('media.ready')
}

/** The file is at fault: whatever was stored of it goes, and its room is free again. */
export const rejectFile = (work: Work, problem: Problem): Promise<void> =>
  transaction(work.db, async (tx) => {
    const { row } = work
    const changed = await tx
      .updateTable('media.files')
      .set({ status: 'REJECTED', problem, lease: null, leasedUntil: null, version: nextVersion, updatedAt: now() })
      .where((file) => file.and(mine(work, 'PROCESSING')))
      .returning('id')
      .executeTakeFirst()
    if (!changed) return
    await write(tx, leaveAll(row))
    await record(tx, mediaRejected({ businessId: row.businessId, subject: row.id, data: { problem } }))
    await freeRoom(tx, row.businessId, row.size)
    await fault('media.before-rejected')
  })

/** Puts the AVIF in the place of what stood in for them. The record stays as it is: it has named them from the start. */
export async function makeAvif(work: Work): Promise<void> {
  const { storage, row, folder, signal } = work
  const picture = pictureOf(row)
  if (!picture) return endAvif(work, 'FAILED')
  const file = path.join(folder, 'original')
  await readInto(file, storage, originalKeyOf(row), row, signal)
  await render({ file, out: folder, mimeType: row.mimeType, make: 'avif' }, { businessId: row.businessId, signal })
  for (const { name, mimeType } of avifRungs(picture)) {
    await store(storage, publicPrefixOf(row) + name, path.join(folder, name), { mimeType, ...PICTURE })
    await fault('media.avif-stored')
  }
  await endAvif(work, 'DONE')
}

export async function endAvif(work: Work, avif: 'DONE' | 'FAILED'): Promise<void> {
  await work.db
    .updateTable('media.files')
    .set({ avif, lease: null, leasedUntil: null, attempts: 0 })
    .where((file) => file.and(mine(work, 'READY')))
    .execute()
}
