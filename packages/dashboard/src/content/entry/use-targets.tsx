import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useDeferredValue } from 'react'
import { query } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import type { Block } from '../queries.ts'
import { titleOf } from '../title.ts'

export type Target = NonNullable<NonNullable<Block['settings']>['targetType']>
type Found = { id: string; label: string; note?: string }

const MOST = 8

/** Records of this kind by what is typed, and the names of those that were read. */
export function useTargets(target: Target, text: string) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const typed = useDeferredValue(text.trim())
  const isOpen = typed.length > 0
  const mayOrders = may('ORDERS_READ')
  const kept = { placeholderData: keepPreviousData }
  const asked = { query: typed, limit: MOST }
  const products = useQuery({
    ...query(businessId, 'listProducts', { query: asked }),
    ...kept,
    enabled: target === 'PRODUCT' && isOpen,
  })
  const entries = useQuery({
    ...query(businessId, 'listEntries', { query: asked }),
    ...kept,
    enabled: target === 'ENTRY' && isOpen,
  })
  const collections = useQuery({
    ...query(businessId, 'listCollections', { query: { limit: 100 } }),
    enabled: target === 'COLLECTION',
  })
  const people = useQuery({ ...query(businessId, 'listColleagues'), enabled: target === 'USER' })
  const orders = useQuery({
    ...query(businessId, 'listOrders', { query: asked }),
    ...kept,
    enabled: target === 'ORDER' && mayOrders && isOpen,
  })
  const all: Record<Target, Found[]> = {
    PRODUCT: (products.data?.items ?? []).map(({ id, name, slug }) => ({ id, label: name, note: slug })),
    ENTRY: (entries.data?.items ?? []).map((entry) => ({ id: entry.id, label: titleOf(entry) || entry.id })),
    COLLECTION: (collections.data?.items ?? []).map(({ id, name, slug }) => ({ id, label: name, note: slug })),
    USER: (people.data?.items ?? []).map(({ userId, name }) => ({ id: userId, label: name || userId })),
    ORDER: (orders.data?.items ?? []).map(({ id, number }) => ({ id, label: number })),
  }
  // Short lists are read whole: they are looked through here.
  const isWhole = target === 'COLLECTION' || target === 'USER'
  const words = typed.toLowerCase()
  const fits = ({ label, note = '' }: Found) => `${label} ${note}`.toLowerCase().includes(words)
  const found = isOpen ? (isWhole ? all[target].filter(fits) : all[target]).slice(0, MOST) : []
  return {
    found: found.length > 0 || !ID.test(typed) ? found : [{ id: typed, label: typed, note: t`by its id` }],
    isSearching: typed !== text.trim() || [products, entries, orders].some(({ isFetching }) => isFetching),
    reason: target === 'ORDER' && !mayOrders ? t`Its id; to find it by number needs ORDERS_READ` : undefined,
    nameOf: (id: string) => all[target].find((one) => one.id === id)?.label,
  }
}

const ID = /^(prod|ent|col|usr|ord)_\w+$/

/** The name of a record that was chosen before this page was opened. Null: there is none to be seen; undefined: not known yet. */
export function useTargetName(target: Target, id: string, isWanted: boolean): string | null | undefined {
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const product = useQuery({
    ...query(businessId, 'listProducts', { query: { id: [id], limit: 1 } }),
    enabled: isWanted && target === 'PRODUCT',
  })
  const entry = useQuery({
    ...query(businessId, 'getEntry', { path: { id } }),
    enabled: isWanted && target === 'ENTRY',
  })
  const order = useQuery({
    ...query(businessId, 'getOrder', { path: { id } }),
    enabled: isWanted && target === 'ORDER' && may('ORDERS_READ'),
  })
  if (target === 'PRODUCT') return product.data ? (product.data.items[0]?.name ?? null) : undefined
  if (target === 'ENTRY') return entry.error ? null : entry.data && (titleOf(entry.data) || id)
  if (target === 'ORDER') return order.error ? null : order.data?.number
  return undefined
}

/** Leads to the record where there is a page for it. */
export function useTargetLink(target: Target, id: string) {
  const business = useBusiness()
  const address = addressOf(business)
  const { may, mayAny } = usePermissions()
  return (name: string): ReactNode => {
    if (target === 'PRODUCT' && may('PRODUCTS_WRITE'))
      return (
        <Link to="/$business/products/$product" params={{ business: address, product: id }} className="link">
          {name}
        </Link>
      )
    if (target === 'ORDER' && may('ORDERS_READ'))
      return (
        <Link to="/$business/orders/$order" params={{ business: address, order: id }} className="link">
          {name}
        </Link>
      )
    if (target === 'COLLECTION' && mayAny('CONTENT_WRITE', 'CONTENT_READ_DRAFTS'))
      return (
        <Link to="/$business/content/$collection" params={{ business: address, collection: id }} className="link">
          {name}
        </Link>
      )
    return <span>{name}</span>
  }
}
