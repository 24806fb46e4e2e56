import { createRandom } from '../random.ts'
import { slugOf } from '../slug.ts'
import type { Item, Room, Shelf } from './item.ts'
import { kitchen } from './kitchen.ts'
import { lighting } from './lighting.ts'
import { outdoor } from './outdoor.ts'
import { ropeAndHardware } from './rope-and-hardware.ts'
import { stationery } from './stationery.ts'
import { textiles } from './textiles.ts'

export const SHELVES: readonly Shelf[] = [lighting, ropeAndHardware, kitchen, textiles, stationery, outdoor]

/** In the order of a menu. What is in none of the rooms stands beside them. */
export const ROOMS: readonly (Room | Shelf)[] = [
  {
    id: 'house',
    name: 'House',
    description: 'Light, warmth and a laid table, for houses that hear the water at night.',
    german: {
      name: 'Haus',
      description: 'Licht, Wärme und ein gedeckter Tisch, für Häuser, in denen man nachts das Wasser hört.',
    },
    shelves: [lighting, kitchen, textiles],
  },
  {
    id: 'boat-and-shore',
    name: 'Boat and shore',
    description: 'What a day on the water asks for, and the walk home after it.',
    german: {
      name: 'Boot und Strand',
      description: 'Was ein Tag auf dem Wasser verlangt, und der Heimweg danach.',
    },
    shelves: [ropeAndHardware, outdoor],
  },
  stationery,
]

/** A variant as the demo knows it, before it has a product with an id. */
export type DemoVariant = {
  id: string
  name: string
  sku: string
  colour: string
  attributes: { name: string; value: string }[]
  prices: { us: number; eu: number }
  salePrices: { us: number; eu: number } | undefined
  /** What is to be left of it after all orders; undefined: it is not counted. */
  left: number | undefined
}
export type DemoProduct = { slug: string; category: string; item: Item; variants: DemoVariant[] }

const LOW_STOCK = 5

const titled = (word: string) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`

function toVariants(item: Item, slug: string, number: number): DemoVariant[] {
  const random = createRandom(`stock ${slug}`)
  const initials = item.name.replaceAll(/[^A-Z0-9]/g, '').slice(0, 3)
  const sizes = item.sizes ?? [undefined]
  return (item.colours ?? ['natural' as const]).flatMap((colour) =>
    sizes.map((size): DemoVariant => {
      const id = [colour, ...(size ? [slugOf(size.label)] : [])].join('-')
      const isOnly = sizes.length === 1 && item.colours?.length === 1
      const left = random.between(9, 60)
      return {
        id,
        name: isOnly ? '' : [titled(colour), ...(size ? [size.label] : [])].join(', '),
        sku: [`HG${String(number).padStart(3, '0')}`, initials, id.toUpperCase()].join('-'),
        colour,
        attributes: [
          { name: 'Colour', value: titled(colour) },
          ...(size ? [{ name: item.sizeName ?? 'Size', value: size.label }] : []),
        ],
        prices: { us: item.usd + (size?.more ?? 0), eu: item.eur + (size?.more ?? 0) },
        salePrices: item.sale && { us: item.sale.usd + (size?.more ?? 0), eu: item.sale.eur + (size?.more ?? 0) },
        left: item.isUntracked
          ? undefined
          : item.out?.includes(id)
            ? 0
            : item.low?.includes(id)
              ? random.between(1, LOW_STOCK - 1)
              : left,
      }
    }),
  )
}

export const PRODUCTS: readonly DemoProduct[] = SHELVES.flatMap(({ id: category, items }, place) =>
  items.map((item, index) => {
    const slug = slugOf(item.name)
    return { slug, category, item, variants: toVariants(item, slug, place * items.length + index + 1) }
  }),
)

export const LOW_STOCK_THRESHOLD = LOW_STOCK
