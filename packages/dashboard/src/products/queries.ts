import type { Answer, Category } from '@kontor/sdk'
import { useQuery } from '@tanstack/react-query'
import { kontor } from '../api/client.ts'
import { pages, query } from '../api/query.ts'
import { useBusiness } from '../session/use-business.ts'
import { filtersOf, type ProductSearch } from './filters.ts'
import { toListedPage } from './listed.ts'

const PAGE = 50
const MOST = 100

type Place = { id: string; markets: readonly { id: string }[] }

export const productPages = ({ id, markets }: Place, search: ProductSearch) =>
  pages(
    id,
    'listProducts',
    { query: { ...filtersOf(search, markets), limit: PAGE, ...(search.sort && { sort: search.sort }) } },
    toListedPage,
  )

/** How many fit these filters, by status. */
export const productCounts = ({ id, markets }: Place, search: ProductSearch) =>
  query(id, 'countProducts', { query: filtersOf({ ...search, sort: undefined }, markets) })

export const productQuery = (businessId: string, id: string) => query(businessId, 'getProduct', { path: { id } })

/** All of them: a tree is chosen from as a whole. */
const categoriesQuery = (businessId: string) => ({
  ...query(businessId, 'listCategories', { query: { limit: MOST } }),
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Answer<'listCategories'>> => {
    const items: Category[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const asked = { path: { businessId }, query: { limit: MOST, ...(cursor && { cursor }) } }
      const page: Answer<'listCategories'> = await kontor.operations.listCategories(asked, { signal })
      items.push(...page.items)
      cursor = page.cursor
    }
    return { items, cursor: null }
  },
})

export type Shelf = Pick<Category, 'id' | 'name' | 'slug'> & { depth: number }

/** The tree of categories as a list, each below its parent. */
export function useShelves(): Shelf[] {
  const { id } = useBusiness()
  const { data } = useQuery({ ...categoriesQuery(id), select: toShelves, staleTime: 5 * 60_000 })
  return data ?? NONE
}

const NONE: Shelf[] = []

function toShelves({ items }: Answer<'listCategories'>): Shelf[] {
  const byParent = Map.groupBy(items, ({ parentId }) => parentId)
  const below = (parentId: string | null, depth: number): Shelf[] =>
    (byParent.get(parentId) ?? [])
      .toSorted((one, other) => one.position - other.position || one.name.localeCompare(other.name))
      .flatMap(({ id, name, slug }) => [{ id, name, slug, depth }, ...below(id, depth + 1)])
  return below(null, 0)
}
