import { ROOMS } from '#demo/goods/goods.ts'
import type { Room, Shelf } from '#demo/goods/item.ts'
import { slugOf } from '#demo/slug.ts'
import { DAY_MS } from '#demo/time.ts'
import { createCategory, listCategories } from '#modules/catalog/index.ts'
import type { Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Demo } from './demo.ts'
import { imageUrl } from './image-routes.ts'
import type { OnProgress, Outcome } from './make-demo.ts'
import { inThePast } from './past.ts'

const COUNT = ROOMS.reduce((sum, room) => sum + 1 + shelvesOf(room).length, 0)

/** One transaction: if one of them exists, so do the others. */
export async function makeCategories(demo: Demo, onProgress: OnProgress): Promise<Outcome> {
  const { cell, business, startMs } = demo
  const known = await listCategories(cell, business.id, { limit: 1 }, ({ id }) => id)
  if (known.items.length > 0) return { count: COUNT, made: 0 }
  await inThePast(startMs + DAY_MS, () =>
    transaction(cell, async (tx) => {
      for (const [position, room] of ROOMS.entries()) {
        const { id: parentId } = await makeOne(tx, demo, room, { parentId: null, position })
        for (const [position, shelf] of shelvesOf(room).entries())
          await makeOne(tx, demo, shelf, { parentId, position })
      }
    }),
  )
  onProgress(COUNT, COUNT)
  return { count: COUNT, made: COUNT }
}

function shelvesOf(room: Room | Shelf): readonly Shelf[] {
  return 'shelves' in room ? room.shelves : []
}

type Place = { parentId: string | null; position: number }

const makeOne = (tx: Tx, demo: Demo, category: Room | Shelf, place: Place) => {
  const { id, name, description, german } = category
  const translations = { de: { ...german, slug: slugOf(german.name) } }
  const image = { url: pictureOf(demo, category), mimeType: 'image/svg+xml' }
  return createCategory(
    tx,
    { business: demo.business, actor: demo.owner },
    { name, slug: id, description, image, translations, ...place },
  )
}

/** That of its first product, in its first colour. */
function pictureOf(demo: Demo, category: Room | Shelf): string {
  const first = [category, ...shelvesOf(category)].flatMap((each) => ('items' in each ? each.items : []))[0]
  if (!first) throw new Error(`There is nothing in ${category.id}`)
  return imageUrl(demo.publicUrl, first.motif, [slugOf(first.name), ...(first.colours?.slice(0, 1) ?? [])].join('-'))
}
