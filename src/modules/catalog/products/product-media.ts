import { type Block, mediaIdsInBlocks, mediaItemsOf, withFreshMedia } from '#vocabulary/blocks.ts'
import { type KnownMedia, type Media, mediaIdsOf, withFresh } from '#vocabulary/media.ts'
import type { ProductChanges } from '../schemas.ts'
import type { Product, Variant } from './product.ts'

/** The files that a change names. */
export const sentMediaIds = ({ gallery = [], variants = [], blocks = [] }: ProductChanges): string[] => [
  ...mediaIdsOf([...gallery, ...variants.flatMap((variant) => variant.gallery ?? [])]),
  ...mediaIdsInBlocks(blocks),
]

/** Every picture of a product, of its variants and in its blocks. */
export const itemsOf = (product: Product | undefined, removed: readonly Variant[] = []): Media[] =>
  product
    ? [
        ...product.gallery,
        ...[...product.variants, ...removed].flatMap(({ gallery }) => gallery),
        ...(mediaItemsOf(product.blocks).filter(Boolean) as Media[]),
      ]
    : []

export const shownMediaIds = (product: Product | undefined): string[] => mediaIdsOf(itemsOf(product))

function withGalleries(product: Product, change: (item: Media) => Media, blocks: Block[]): Product {
  return {
    ...product,
    gallery: product.gallery.map(change),
    variants: product.variants.map((variant) => ({ ...variant, gallery: variant.gallery.map(change) })),
    blocks,
  }
}

/** With what is known of its files now. */
export const withFreshFiles = (product: Product, known: KnownMedia): Product =>
  withGalleries(product, (item) => withFresh(item, known), withFreshMedia(product.blocks, known))

/** Without what is copied from files: nobody has written that, so it does not count as the size of a product. */
export const withoutCopies = (product: Product): Product =>
  withGalleries(product, ({ id, url, mimeType }) => ({ id, url, mimeType }), product.blocks)
