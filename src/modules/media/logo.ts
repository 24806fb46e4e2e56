import { Type } from 'typebox'
import { copyIntoLogo, findBusiness } from '#modules/access/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Cell, Control, Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { insertion, write } from '#platform/database/write.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { readBytes } from '#platform/storage/read-bytes.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Business } from '#vocabulary/business.ts'
import type { KnownMedia } from '#vocabulary/media.ts'
import { Id } from '#vocabulary/schemas.ts'
import { type PublicUrl, pictureOf } from './file.ts'
import { createHoldMedia, type HoldMedia } from './hold-media.ts'
import { publicPrefixOf } from './keys.ts'
import { plainRung } from './ladder.ts'
import { getFile } from './queries.ts'
import { usagesGone } from './usages.ts'

/** Longer than any request takes: whatever was to be stored in control is stored by then, or never will be. */
const SETTLED_MS = 10 * 60_000

const forget = (cell: Cell, businessId: string, itemId: string) =>
  transaction(cell, (tx) => write(tx, usagesGone(businessId, 'BUSINESS', itemId)))

/** Forgets a logo that was noted, and then not stored, or replaced since. */
export const settleLogo = defineJob({
  name: 'media.settle-logo',
  on: 'cell',
  payload: Type.Object({ businessId: Id, itemIds: Type.Array(Id, { maxItems: 100 }) }),
  async run({ businessId, itemIds }, { db, control }) {
    const business = await findBusiness(control, businessId)
    for (const itemId of itemIds) if (business?.logo?.id !== itemId) await forget(db, businessId, itemId)
  },
})

/** For the business's settings, which are in control: see `Logos` there. */
export function createLogos(publicUrl: PublicUrl | undefined) {
  const holdMedia = createHoldMedia(publicUrl)
  return {
    hold: (cell: Cell, businessId: string, itemId: string, mediaId: string | undefined): Promise<KnownMedia> =>
      transaction(cell, async (tx) => {
        const known = await holdMedia(tx, businessId, mediaId === undefined ? [] : [mediaId])
        // Also the one before: whoever replaces it may die before it is forgotten.
        const before = await tx
          .selectFrom('media.usages')
          .select('recordId')
          .where((usage) => usage.and({ businessId, kind: 'BUSINESS' }))
          .limit(99)
          .execute()
        const isShown = mediaId !== undefined && typeof known.get(mediaId) === 'object'
        const shown = isShown ? [{ businessId, kind: 'BUSINESS', recordId: itemId, mediaId }] : []
        await write(tx, insertion('media.usages', shown))
        const itemIds = [...before, ...shown].map(({ recordId }) => recordId)
        if (itemIds.length === 0) return known
        await enqueue(tx, settleLogo, { businessId, itemIds }, { runAt: new Date(nowMs() + SETTLED_MS) })
        return known
      }),
    release: forget,
  }
}

const MAX_TURNS = 10

/**
 * Copies what is known of a file into the logo, and looks again: another change of the file may have been copied meanwhile,
 * and no lock spans control and cell.
 */
export async function copyIntoLogos(
  { db, control, hold }: { db: Cell; control: Control; hold: HoldMedia },
  { businessId, mediaId }: { businessId: string; mediaId: string },
  itemIds: readonly string[],
): Promise<void> {
  const read = () => transaction(db, (tx) => hold(tx, businessId, [mediaId]))
  let known = await read()
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const copied = known
    for (const itemId of itemIds) await transaction(control, (tx) => copyIntoLogo(tx, businessId, itemId, copied))
    known = await read()
    if (JSON.stringify(known.get(mediaId)) === JSON.stringify(copied.get(mediaId))) return
  }
  throw new Error('The file of a logo changes faster than it can be copied')
}

/** What can be drawn quickly on fifty pages. */
const MAX_PIXELS = 4_000_000
const MAX_BYTES = 4_000_000

/** The logo as JPEG or PNG, from the store; undefined if there is none to be had, or it is too large to be drawn. */
export async function readLogo(
  storage: Storage | undefined,
  db: Db,
  { id: businessId, logo }: Pick<Business, 'id' | 'logo'>,
): Promise<Uint8Array | undefined> {
  if (!storage || logo?.mediaId === undefined) return undefined
  const row = await getFile(db, businessId, logo.mediaId)
  const picture = pictureOf(row)
  if (!picture) return undefined
  const { name, width, height } = plainRung(picture)
  if (width * height > MAX_PIXELS) return undefined
  return readBytes(storage, publicPrefixOf(row) + name, MAX_BYTES)
}
