import { sql } from 'kysely'
import { hashOf, type TakeInProblem } from '#modules/media/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { insertMissing, write } from '#platform/database/write.ts'
import type { Media } from '#vocabulary/media.ts'
import type { Product } from '../products/product.ts'
import type { ProductChanges } from '../schemas.ts'

/** Why a picture keeps its address. `TOO_MANY_FILES`: the product shows as many as it can. */
export type PictureProblem = TakeInProblem | 'TOO_MANY_FILES'

/** The addresses that a line names as pictures. */
export const sentAddresses = ({ gallery = [], variants = [] }: ProductChanges): string[] => [
  ...new Set(
    [...gallery, ...variants.flatMap((variant) => variant.gallery ?? [])].flatMap(({ mediaId, url }) =>
      mediaId === undefined && url !== undefined ? [url] : [],
    ),
  ),
]

export const galleryOf = ({ gallery, variants }: Product): Media[] => [
  ...gallery,
  ...variants.flatMap((variant) => variant.gallery),
]

type Imported = { line: { number: number; sent: ProductChanges }; written: { product: Product } }

/** Notes what is to be loaded of the lines' pictures, in the transaction that writes their products. */
export async function notePictures(
  tx: Tx,
  { businessId, importId }: { businessId: string; importId: string },
  outcomes: readonly Imported[],
): Promise<void> {
  const rows = outcomes.flatMap(({ line, written: { product } }) => {
    const sent = new Set(sentAddresses(line.sent))
    const left = new Set(galleryOf(product).flatMap(({ mediaId, url }) => (mediaId === undefined ? [url] : [])))
    return [...sent.intersection(left)].map((address) => ({
      businessId,
      importId,
      number: line.number,
      addressHash: hashOf(address),
      address,
      productId: product.id,
      slug: product.slug,
      status: 'WAITING',
      attempts: 0,
      dueAt: now(),
    }))
  })
  await write(tx, insertMissing('catalog.importPictures', rows))
}

/** An import that is undone needs no more pictures. */
export const dropWaiting = (tx: Tx, businessId: string, importId: string) =>
  sql`
    delete from catalog.import_pictures
     where business_id = ${businessId} and import_id = ${importId} and status in ('WAITING', 'FETCHED')`.execute(tx)
