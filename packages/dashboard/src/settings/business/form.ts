import type { Body, Business } from '@kontor/sdk'
import { type Item, toNewMedia } from '../../media/picture.ts'
import { isSame } from '../../merge/is-same.ts'

/** What a business is, as it is typed. */
export type GeneralForm = {
  name: string
  slug: string
  contactEmail: string
  logo: Item | null
  locales: string[]
  defaultLocale: string
  timeZone: string
}

export const TIME_ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].sort()

export const toForm = (business: Business): GeneralForm => ({
  name: business.name,
  slug: business.slug,
  contactEmail: business.contactEmail ?? '',
  logo: business.logo,
  locales: business.locales,
  defaultLocale: business.defaultLocale,
  timeZone: business.timeZone ?? 'UTC',
})

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** What the service would refuse anyway, said at once. */
export function problemsOf({ name, slug, contactEmail }: GeneralForm): Partial<Record<keyof GeneralForm, true>> {
  return {
    ...(name.trim() === '' && { name: true }),
    ...(!SLUG.test(slug.trim()) && { slug: true }),
    ...(contactEmail.trim() !== '' && !/^\S+@\S+\.\S+$/.test(contactEmail.trim()) && { contactEmail: true }),
  }
}

/** Only what differs from what the business has now. */
export function toBody(mine: GeneralForm, now: Business): Body<'updateBusiness'> {
  const before = toForm(now)
  const { logo, contactEmail, ...rest } = mine
  const texts = { ...rest, name: rest.name.trim(), slug: rest.slug.trim() }
  const changed = Object.entries(texts).filter(([field, value]) => !isSame(value, before[field as keyof GeneralForm]))
  return {
    ...Object.fromEntries(changed),
    // One is checked against the other: they go together.
    ...(changed.some(([field]) => field === 'locales' || field === 'defaultLocale') && {
      locales: mine.locales,
      defaultLocale: mine.defaultLocale,
    }),
    ...(contactEmail.trim() !== before.contactEmail && { contactEmail: contactEmail.trim() || null }),
    ...(!isSame(logo, before.logo) && { logo: logo && toNewMedia({ ...logo, id: '' }) }),
  }
}
