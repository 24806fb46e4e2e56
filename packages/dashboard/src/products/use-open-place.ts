import { useRouter } from '@tanstack/react-router'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { stringifySearch } from '../shell/search.ts'

/** Leads to a place of this business by its address. */
export function useOpenPlace() {
  const router = useRouter()
  const business = useBusiness()
  return (place: string, search: Record<string, unknown> = {}) =>
    router.history.push(
      `${router.basepath}/${encodeURIComponent(addressOf(business))}${place}${stringifySearch(search)}`,
    )
}
