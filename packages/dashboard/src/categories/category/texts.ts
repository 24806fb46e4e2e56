import type { Answer, Body } from '@kontor/sdk'
import { type Item, toNewMedia } from '../../media/picture.ts'
import { isSame } from '../../merge/is-same.ts'

type Category = Answer<'getCategory'>
type Changes = Body<'updateCategory'>
type Translation = NonNullable<NonNullable<Changes['translations']>[string]>

export const TEXTS = ['name', 'slug', 'description', 'seo.title', 'seo.description'] as const
export type Text = (typeof TEXTS)[number]

/**
 * Every text of a category by its field: `name`, `seo.title`, and `de:name` for that of a locale. Empty: there is none.
 * `image` is its picture, as JSON.
 */
export type Texts = Record<string, string>

export const fieldOf = (text: Text, locale?: string) => (locale === undefined ? text : `${locale}:${text}`)

/** The locale of a field, undefined for the category's own, and which text it is. */
export function partsOf(field: string): { locale: string | undefined; text: Text } {
  const at = field.lastIndexOf(':')
  return { locale: at < 0 ? undefined : field.slice(0, at), text: field.slice(at + 1) as Text }
}

export const imageOf = ({ image }: Texts): Item | undefined => (image ? (JSON.parse(image) as Item) : undefined)
export const toImage = (item: Item | null) => (item ? JSON.stringify(item) : '')

export function toTexts(category: Category, locales: readonly string[]): Texts {
  const { name, slug, description, seo, translations, image } = category
  const own = { name, slug, description, 'seo.title': seo.title, 'seo.description': seo.description }
  const texts: Texts = { ...own, image: toImage(image) }
  for (const locale of new Set([...locales, ...Object.keys(translations)])) {
    const own = translations[locale]
    texts[fieldOf('name', locale)] = own?.name ?? ''
    texts[fieldOf('slug', locale)] = own?.slug ?? ''
    texts[fieldOf('description', locale)] = own?.description ?? ''
    texts[fieldOf('seo.title', locale)] = own?.seo?.title ?? ''
    texts[fieldOf('seo.description', locale)] = own?.seo?.description ?? ''
  }
  return texts
}

/** What is to be written. `seo` and `translations` are written whole, so they are of what was read last. */
export function toChanges(before: Texts, after: Texts): Changes {
  const isChanged = (field: string) => before[field] !== after[field]
  const changes: Changes = {}
  for (const text of ['name', 'slug', 'description'] as const) if (isChanged(text)) changes[text] = after[text] ?? ''
  const picture = imageOf(after)
  if (isChanged('image')) changes.image = picture ? toNewMedia(picture) : null
  if (isChanged('seo.title') || isChanged('seo.description')) changes.seo = seoOf(after)
  const translations = translationsOf(after)
  if (!isSame(translations, translationsOf(before))) changes.translations = translations
  return changes
}

const seoOf = (texts: Texts, locale?: string) => ({
  title: texts[fieldOf('seo.title', locale)] ?? '',
  description: texts[fieldOf('seo.description', locale)] ?? '',
})

/** What is empty is left out: there the category's own text is shown. */
function translationsOf(texts: Texts): Record<string, Translation> {
  const locales = new Set(Object.keys(texts).flatMap((field) => partsOf(field).locale ?? []))
  const written = [...locales].map((locale) => {
    const { title, description: about } = seoOf(texts, locale)
    const [name, slug, description] = (['name', 'slug', 'description'] as const).map(
      (text) => texts[fieldOf(text, locale)],
    )
    const seo = { ...(title && { title }), ...(about && { description: about }) }
    const texted: Translation = {
      ...(name && { name }),
      ...(slug && { slug }),
      ...(description && { description }),
      ...(Object.keys(seo).length > 0 && { seo }),
    }
    return [locale, texted] as const
  })
  return Object.fromEntries(written.filter(([, texted]) => Object.keys(texted).length > 0))
}

/** What a locale lacks of what the category itself has. A name and an address it should always have. */
export const missingIn = (texts: Texts, locale: string): Text[] =>
  TEXTS.filter((text) => (texts[text] ?? '') !== '' && !texts[fieldOf(text, locale)])
