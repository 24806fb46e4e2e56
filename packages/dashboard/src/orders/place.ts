import type { NavigateOptions } from '@tanstack/react-router'
import { parseSearch, stringifySearch } from '../shell/search.ts'
import { readOrdersSearch } from './filters.ts'

/** The list of orders that a query of the API finds: where it is, and its address below that of the dashboard. */
export function ordersPlace(business: string, orderQuery: string): { target: NavigateOptions; href: string } {
  const search = readOrdersSearch(parseSearch(orderQuery))
  return {
    target: { to: '/$business/orders', params: { business }, search } as NavigateOptions,
    href: `/${encodeURIComponent(business)}/orders${stringifySearch(search)}`,
  }
}
