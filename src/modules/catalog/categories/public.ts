import { type Static, Type } from 'typebox'
import type { Db } from '#platform/database/database.ts'
import { isLocale } from '#vocabulary/locales.ts'
import { localeInvalid } from '../errors.ts'
import { localesFor } from '../products/public-document.ts'
import { type Category, presentCategory } from './category.ts'
import { listCategories } from './queries.ts'
import { CategoryQuery } from './schemas.ts'

export const PublicCategoryQuery = Type.Object({
  ...CategoryQuery.properties,
  locale: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 35,
      description: 'Texts in this locale, where there are.',
      examples: ['de'],
    }),
  ),
})
type PublicCategoryQuery = Static<typeof PublicCategoryQuery>

/** A page of categories for everybody, as response text, and the ids in it. */
export async function listPublicCategories(
  db: Db,
  businessId: string,
  { locale, ...query }: PublicCategoryQuery,
): Promise<{ text: string; ids: string[] }> {
  if (locale !== undefined && !isLocale(locale)) throw localeInvalid()
  const locales = localesFor(locale)
  const page = await listCategories(db, businessId, query, (category) => presentCategory(inLocale(category, locales)))
  return { text: JSON.stringify(page), ids: page.items.map(({ id }) => id) }
}

/** Field by field: what a locale leaves out is as in its language, or as in the category itself. */
function inLocale(category: Category, locales: readonly string[]): Category {
  const known = locales.flatMap((locale) => category.translations[locale] ?? [])
  const { name, slug, description, seo } = category
  const seoOf = (field: 'title' | 'description') => known.map((texts) => texts.seo?.[field]).find(Boolean) ?? seo[field]
  return {
    ...category,
    name: known.map((texts) => texts.name).find(Boolean) ?? name,
    slug: known.map((texts) => texts.slug).find(Boolean) ?? slug,
    description: known.map((texts) => texts.description).find(Boolean) ?? description,
    seo: { title: seoOf('title'), description: seoOf('description') },
  }
}
