import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { query } from '../api/query.ts'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'

const MOST = 5

/** Records that fit what was typed, by what this person may see. */
export function useFound(text: string) {
  const { id } = useBusiness()
  const { may } = usePermissions()
  const typed = text.trim()
  const isAsked = typed.length > 1
  const input = { query: { query: typed, limit: MOST } }
  const orders = useQuery({
    ...query(id, 'listOrders', input),
    enabled: isAsked && may('ORDERS_READ'),
    placeholderData: keepPreviousData,
  })
  const products = useQuery({
    ...query(id, 'listProducts', input),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  return {
    orders: isAsked ? (orders.data?.items ?? []) : [],
    products: isAsked ? (products.data?.items ?? []) : [],
    isSearching: isAsked && (orders.isFetching || products.isFetching),
  }
}
