import type { Business } from '@kontor/sdk'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { businessesQuery } from './queries.ts'

/** The address says the slug, or the id where a slug would be an address of ours. */
const TAKEN = new Set([
  'login',
  'register',
  'confirm',
  'reset-password',
  'invitation',
  'me',
  'operator',
  'start',
  'session',
  'assets',
])
export const addressOf = ({ id, slug }: Pick<Business, 'id' | 'slug'>) => (TAKEN.has(slug) ? id : slug)

export const findBusiness = (businesses: readonly Business[], address: string) =>
  businesses.find(({ slug }) => slug === address) ?? businesses.find(({ id }) => id === address)

/** Which business an address was: it stays the same while somebody gives it another slug. */
const known = new Map<string, string>()

// Only who has a role sees the time zone, and only they are here.
export function businessAt(businesses: readonly Business[], address: string) {
  const found = findBusiness(businesses, address) ?? findBusiness(businesses, known.get(address) ?? '')
  if (found) known.set(address, found.id)
  return found && { ...found, timeZone: found.timeZone ?? 'UTC' }
}

/** The business of the address. Only inside of `/$business`, whose loader has it. */
export function useBusiness(): Business & { timeZone: string } {
  const { business: address = '' } = useParams({ strict: false })
  const { data } = useSuspenseQuery(businessesQuery())
  const found = businessAt(data.items, address)
  if (!found) throw new Error(`There is no business ${address} among those of this person.`)
  return found
}
