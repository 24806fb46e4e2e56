import type { Business } from '@kontor/sdk'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lastOf } from '../shell/last-business.ts'
import { businessesQuery } from './queries.ts'

export type OpenBusiness = Business & { timeZone: string; isShut: boolean }

/** The address says the slug, or the id where a slug would be an address of ours. */
const TAKEN = new Set([
  'login',
  'register',
  'confirm',
  'reset-password',
  'invitation',
  'me',
  'operator',
  'profile',
  'start',
  'session',
  'assets',
])
export const addressOf = ({ id, slug }: Pick<Business, 'id' | 'slug'>) => (TAKEN.has(slug) ? id : slug)

export const findBusiness = (businesses: readonly Business[], address: string) =>
  businesses.find(({ slug }) => slug === address) ?? businesses.find(({ id }) => id === address)

/** Shut: the business wants a second factor which this session has not passed. Then it shows what strangers see. */
const withClock = (business: Business | undefined): OpenBusiness | undefined =>
  business && { ...business, timeZone: business.timeZone ?? 'UTC', isShut: business.needsSecondFactor === true }

/** Which business an address was: it stays the same while somebody gives it another slug. */
const known = new Map<string, string>()

export function businessAt(businesses: readonly Business[], address: string) {
  const found = findBusiness(businesses, address) ?? findBusiness(businesses, known.get(address) ?? '')
  if (found) known.set(address, found.id)
  return withClock(found)
}

/** The business of the address, which the loader of `/$business` has; around the profile, that of last time. */
export function useBusiness(): OpenBusiness {
  const { business: address } = useParams({ strict: false })
  const { data } = useSuspenseQuery(businessesQuery())
  const found = address === undefined ? withClock(lastOf(data.items)) : businessAt(data.items, address)
  if (!found) throw new Error(`There is no business ${address} among those of this person.`)
  return found
}
