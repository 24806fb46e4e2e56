import type { Selectable } from 'kysely'
import type { CatalogCategories } from '#platform/database/cell-tables.ts'
import { collectDetails } from '#vocabulary/block-values.ts'
import { newId } from '#vocabulary/ids.ts'
import { isLocale } from '#vocabulary/locales.ts'
import { type KnownMedia, toMedia } from '#vocabulary/media.ts'
import { notALocale } from '#vocabulary/refusals.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { categoryTooLarge } from './errors.ts'
import type { CategoryChanges, Category as Shown } from './schemas.ts'

/** A category as its row holds it. */
export type Category = Omit<Selectable<CatalogCategories>, 'image' | 'seo' | 'translations'> &
  Pick<Shown, 'image' | 'seo' | 'translations'>

/** A list shows a hundred of them, which then still fit into one page. */
const MAX_BYTES = 40_000

const EMPTY = {
  parentId: null,
  name: '',
  slug: '',
  position: 0,
  description: '',
  image: null,
  seo: { title: '', description: '' },
  translations: {},
  version: 0,
}

/** Applies the changes to a category. `seo` and `translations` are replaced whole, as lists are. Throws 422. */
export function mergeCategory(
  before: Category | undefined,
  { image, seo, ...sent }: CategoryChanges,
  { businessId, at, known }: { businessId: string; at: Date; known?: KnownMedia },
): Category {
  const base = before ?? { ...EMPTY, businessId, id: newId('cat'), createdAt: at }
  const { report, throwIfAny } = collectDetails()
  const category: Category = {
    ...base,
    ...sent,
    image: image === undefined ? base.image : image && toMedia(image, 'image', report, known),
    seo: seo ? { ...EMPTY.seo, ...seo } : base.seo,
    version: base.version + 1,
    updatedAt: at,
  }
  for (const locale of Object.keys(sent.translations ?? {})) {
    if (!isLocale(locale)) report(notALocale.asDetail({ field: `translations.${locale}` }))
  }
  throwIfAny()
  if (Buffer.byteLength(JSON.stringify(presentCategory(category))) > MAX_BYTES) throw categoryTooLarge()
  return category
}

/** Every slug that leads to the category, with a field that it stands in: the same one may stand in several. */
export function slugsOf({ slug, translations }: Pick<Category, 'slug' | 'translations'>): Map<string, string> {
  const translated = Object.entries(translations).flatMap(([locale, { slug: own }]) =>
    own === undefined ? [] : [[own, `translations.${locale}.slug`] as const],
  )
  return new Map(slug === '' ? translated : [...translated, [slug, 'slug']])
}

export const presentCategory = (category: Category): Shown => ({
  id: category.id,
  businessId: category.businessId,
  name: category.name,
  slug: category.slug,
  parentId: category.parentId,
  position: category.position,
  description: category.description,
  image: category.image,
  seo: category.seo,
  translations: category.translations,
  createdAt: toSeconds(category.createdAt),
  updatedAt: toSeconds(category.updatedAt),
})
