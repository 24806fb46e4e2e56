import type { CopyInto } from '#modules/media/index.ts'
import { now } from '#platform/clock.ts'
import { record } from '#platform/events/record.ts'
import { productUpdated } from '../events.ts'
import { lockProducts, readLocked } from './lock-products.ts'
import { withFreshFiles } from './product-media.ts'
import { writeProducts } from './write-products.ts'

/** A file that these products show has another text or focal point. */
export const copyIntoProducts: CopyInto = async (tx, businessId, ids, readKnown) => {
  await lockProducts(tx, businessId, ids)
  const locked = await readLocked(tx, businessId, ids, { lockStock: false })
  const known = await readKnown()
  const at = now()
  const written = locked.flatMap(({ product: before }) => {
    const product = withFreshFiles(before, known)
    if (JSON.stringify(product) === JSON.stringify(before)) return []
    return [{ product: { ...product, version: before.version + 1, updatedAt: at }, before }]
  })
  if (written.length === 0) return
  await writeProducts(tx, businessId, written, { at })
  const data = { fields: ['gallery'] }
  await record(tx, ...written.map(({ product }) => productUpdated({ businessId, subject: product.id, data })))
}
