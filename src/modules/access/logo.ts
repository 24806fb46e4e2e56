import { now } from '#platform/clock.ts'
import type { Cell, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { collectDetails } from '#vocabulary/block-values.ts'
import type { Business } from '#vocabulary/business.ts'
import { AppError } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { type KnownMedia, type Media, type NewMedia, toMedia, withFresh } from '#vocabulary/media.ts'
import { BUSINESS_CHANGED } from './directory.ts'
import { logoNotAPicture } from './errors.ts'
import { businessUpdated } from './events.ts'
import { tell } from './outbox.ts'
import { lockBusiness } from './queries.ts'

/*
 * The logo is here, its file in the cell, and no transaction spans both. So the cell notes first that the file is shown, under the
 * id of an item that nobody else uses, and only then the item is stored here. What was noted in vain is forgotten later; a file
 * that is shown without a note could be deleted.
 */
export type Logos = {
  /** Notes that the item shows the file, if it names one, and answers what is known of that. What is not stored soon is forgotten. */
  hold: (cell: Cell, businessId: string, itemId: string, mediaId: string | undefined) => Promise<KnownMedia>
  release: (cell: Cell, businessId: string, itemId: string) => Promise<void>
}

/** What a change may name: the item's id, if it shows another file, and what is known of that. */
export type HeldLogo = { itemId: string; known: KnownMedia }

/** The item to store, in place of the one before. */
export function toLogo(sent: NewMedia | null | undefined, before: Media | null, held?: HeldLogo): Media | null {
  if (sent === undefined || sent === null) return sent === null ? null : before
  const isSame = sent.mediaId === undefined ? sent.url === before?.url : sent.mediaId === before?.mediaId
  if (before?.mediaId !== undefined && isSame) return before // whatever became of its file since
  const { report, throwIfAny } = collectDetails()
  const logo = toMedia({ ...sent, ...(held && { id: held.itemId }) }, 'logo', report, held?.known)
  if (!/^image\//i.test(logo.mimeType)) report(logoNotAPicture.asDetail())
  throwIfAny()
  return logo
}

/** Changes a business, with its file held if the logo names one. `change` is the transaction in control. */
export async function withLogo(
  logos: Logos,
  { cell, businessId, sent }: { cell: Cell; businessId: string; sent: NewMedia | null | undefined },
  change: (held: HeldLogo) => Promise<{ before: Business; after: Business }>,
): Promise<Business> {
  const itemId = newId('med')
  if (sent === undefined) return (await change({ itemId, known: new Map() })).after
  const known = await logos.hold(cell, businessId, itemId, sent?.mediaId)
  try {
    const { before, after } = await change({ itemId, known })
    for (const id of new Set([itemId, before.logo?.id ?? itemId])) {
      if (id !== after.logo?.id) await logos.release(cell, businessId, id)
    }
    return after
  } catch (error) {
    // Only where it is certain that nothing was stored.
    if (error instanceof AppError && known.size > 0) await logos.release(cell, businessId, itemId)
    throw error
  }
}

/** The file of the logo has another text or focal point. */
export async function copyIntoLogo(
  tx: ControlTx,
  businessId: string,
  itemId: string,
  known: KnownMedia,
): Promise<void> {
  const { logo, version } = await lockBusiness(tx, businessId)
  if (logo?.id !== itemId) return
  const fresh = JSON.stringify(withFresh(logo, known))
  if (fresh === JSON.stringify(logo)) return
  await tx
    .updateTable('access.businesses')
    .set({ logo: fresh, version: version + 1, updatedAt: now() })
    .where('id', '=', businessId)
    .execute()
  await tell(tx, businessUpdated({ businessId, subject: businessId, data: { fields: ['logo'] } }))
  await notify(tx, BUSINESS_CHANGED, businessId)
}
