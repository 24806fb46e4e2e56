import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ProductSearch } from './filters.ts'

export type View = { id: string; name: MessageDescriptor; search: ProductSearch; counted: 'all' | 'soldOut' }

/** Two questions count them: how many have each status, and how many of those on sale have nothing left. */
export const VIEWS: View[] = [
  { id: 'all', name: msg`All`, search: {}, counted: 'all' },
  { id: 'on-sale', name: msg`On sale`, search: { status: 'ACTIVE' }, counted: 'all' },
  { id: 'drafts', name: msg`Drafts`, search: { status: 'DRAFT' }, counted: 'all' },
  { id: 'sold-out', name: msg`Sold out`, search: { status: 'ACTIVE', inStock: 'false' }, counted: 'soldOut' },
  { id: 'archived', name: msg`Archived`, search: { status: 'ARCHIVED' }, counted: 'all' },
]

export const SOLD_OUT: ProductSearch = { status: 'ACTIVE', inStock: 'false' }

type Counts = { items: { value: string; count: number }[] }

export const countOf = ({ search }: View, counts: Counts | undefined): number | undefined =>
  counts?.items
    .filter(({ value }) => search.status === undefined || value === search.status)
    .reduce((sum, { count }) => sum + count, 0)
