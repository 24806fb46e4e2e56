import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { OrderSearch } from './filters.ts'

export type View = {
  id: string
  name: MessageDescriptor
  search: OrderSearch
  /** From which of the two counts its number comes; some views have none. */
  counted?: 'all' | 'failed'
}

const OPEN = ['PENDING', 'PROCESSING'] as const

/** Two questions count them: how many have each status, and how many of those whose payment failed. */
export const VIEWS: View[] = [
  { id: 'all', name: msg`All`, search: {}, counted: 'all' },
  { id: 'to-pack', name: msg`To pack`, search: { status: ['PROCESSING'] }, counted: 'all' },
  { id: 'unpaid', name: msg`Unpaid`, search: { status: ['PENDING'] }, counted: 'all' },
  { id: 'problems', name: msg`Problems`, search: { status: [...OPEN], paymentStatus: ['FAILED'] }, counted: 'failed' },
  { id: 'refunds', name: msg`Refunds`, search: { paymentStatus: ['REFUNDED', 'PARTIALLY_REFUNDED'] } },
]

export const FAILED: OrderSearch = { paymentStatus: ['FAILED'] }

type Counts = { items: { value: string; count: number }[] }

export function countOf({ search }: View, counts: Counts | undefined): number | undefined {
  const wanted: readonly string[] | undefined = search.status
  const meant = counts?.items.filter(({ value }) => !wanted || wanted.includes(value))
  return meant?.reduce((sum, { count }) => sum + count, 0)
}
