import type { PublicProduct } from '@kontor/sdk'
import { useEffect } from 'preact/hooks'
import { Breadcrumbs } from '../parts/breadcrumbs.tsx'
import { ActiveFilters, Filters, SortChoice } from '../parts/filters.tsx'
import { FormProblem, Notice, Problem, wordsOf } from '../parts/notices.tsx'
import { taxText } from '../parts/price.tsx'
import { CardSkeletons, ProductCard } from '../parts/product-card.tsx'
import { useTitle } from '../parts/title.ts'
import { countOn, hrefOf, likelyWord, type Shelf, useNewest, useShelves } from '../state/catalog.ts'
import { kontor, useLanguage, useMarket, useView } from '../state/kontor.ts'
import { chipsOf, clear, countsOf, filterOf, useListing } from '../state/listing.ts'
import { go, usePlace, withQuery } from '../state/router.ts'
import { useLoad } from '../state/use-load.ts'

/** Pictures that are seen without scrolling. */
const IN_SIGHT = 8

/** Everything, or what is on one shelf and below it. */
export function ListPage({ slug }: { slug?: string }) {
  const { query } = usePlace()
  const shelves = useShelves()
  const shelf = slug === undefined ? undefined : shelves.value?.find(({ slugs }) => slugs.includes(slug))
  const isReady = slug === undefined || shelf !== undefined
  const filter = filterOf(query)
  const market = useMarket()
  const { language } = useLanguage()
  const title = filter.query ? `“${filter.query}”` : slug === undefined ? 'Everything' : shelf?.name
  useTitle(title)
  // One address for one shelf in one language, however it was found.
  useEffect(() => {
    if (shelf && slug !== shelf.slug) go(hrefOf(shelf) + window.location.search, { replace: true })
  }, [shelf?.slug])
  const list = useListing(shelf, filter, isReady)
  const { items, facets, error } = list
  const counts = countsOf(facets)
  const count = shelf && facets?.category.isExact ? countOn(shelf, counts) : undefined
  const counted = items?.length && !list.isStale ? countText(items.length, list.hasMore, count) : ' '

  if (slug !== undefined && !shelf) {
    if (shelves.error && !shelves.value) return <Problem error={shelves.error} retry={shelves.reload} />
    if (shelves.value) return <NoShelf />
  }
  return (
    <div class="wrap section">
      <Breadcrumbs shelf={shelf} isLast={false} />
      <div class="list-head">
        <h1 lang={shelf && !filter.query ? language : undefined}>{title ?? <span class="bar tall" />}</h1>
        {market && <p class="price-note">{`Prices in ${market.currency}, ${taxText(market)}`}</p>}
      </div>
      {shelf?.description && !filter.query && (
        <p class="list-text" lang={language}>
          {shelf.description}
        </p>
      )}
      <Shelves shelves={shelves.value ?? []} current={shelf} counts={facets && counts} search={filter.query} />
      <div class="listing">
        <Filters filter={filter} facets={facets} market={market} counted={counted} />
        <div class="list-body">
          <div class="list-bar">
            <p role="status">{counted}</p>
            <SortChoice filter={filter} />
          </div>
          <ActiveFilters filter={filter} market={market} />
          {error && list.isStale ? (
            <Problem isPart error={error} retry={list.reload} />
          ) : items?.length === 0 ? (
            <NothingFound
              search={filter.query ?? ''}
              shelf={shelf}
              isFiltered={market !== undefined && chipsOf(filter, market.currency).length > 0}
            />
          ) : (
            <ul class={`grid ${list.isStale && items ? 'stale' : ''}`} aria-busy={list.isStale}>
              {items?.map((product, index) => (
                <ProductCard
                  key={product.id}
                  product={product}
                  market={market}
                  isSeen={index < IN_SIGHT}
                  isFirst={index === 0}
                />
              )) ?? <CardSkeletons count={12} />}
              {list.isGrowing && <CardSkeletons count={4} />}
            </ul>
          )}
          {list.growError && <FormProblem>{wordsOf(list.growError)}</FormProblem>}
          {items && list.hasMore && (
            <p class="more">
              <button class="button quiet" type="button" disabled={list.isGrowing} onClick={() => void list.more()}>
                {list.isGrowing ? 'Loading …' : 'Show more'}
              </button>
            </p>
          )}
        </div>
      </div>
    </div>
  )
}

const things = (count: number) => (count === 1 ? '1 thing' : `${count} things`)

const countText = (shown: number, hasMore: boolean, count: number | undefined) =>
  !hasMore ? things(shown) : count === undefined ? `The first ${shown}` : `${shown} of ${things(count)}`

type ShelvesProps = {
  shelves: readonly Shelf[]
  current: Shelf | undefined
  counts: ReadonlyMap<string, number> | undefined
  search: string | undefined
}

/** What is below; on a shelf with nothing below it, those beside it. What was searched for comes along. */
function Shelves({ shelves, current, counts, search }: ShelvesProps) {
  const { language } = useLanguage()
  const above = current && current.children.length === 0 ? current.parent : current
  const shown = above ? above.children : shelves.filter(({ parent }) => !parent)
  const linkTo = (shelf: Shelf | undefined) => withQuery(shelf ? hrefOf(shelf) : '/shop', { query: search })
  return (
    <nav class="chips" aria-label="Categories">
      <a href={linkTo(above)} aria-current={current === above ? 'page' : undefined}>
        {above ? (
          <>
            All of <span lang={language}>{above.name}</span>
          </>
        ) : (
          'Everything'
        )}
      </a>
      {shown.map((shelf) => (
        <a key={shelf.id} href={linkTo(shelf)} aria-current={shelf === current ? 'page' : undefined} lang={language}>
          {shelf.name} {counts && <small>{countOn(shelf, counts)}</small>}
        </a>
      ))}
    </nav>
  )
}

function NoShelf() {
  return (
    <div class="wrap section">
      <Notice title="There is no such shelf" action={{ href: '/shop', label: 'See everything' }}>
        The address may be mistyped, or we have moved things.
      </Notice>
      <Suggestions />
    </div>
  )
}

type NothingProps = { search: string; shelf: Shelf | undefined; isFiltered: boolean }

/** Fewer filters, a likely word, the other shelves, and what is new: never a dead end. */
function NothingFound({ search, shelf, isFiltered }: NothingProps) {
  const labels = useLabels(Boolean(search) && !isFiltered)
  const word = search && labels && likelyWord(search, labels)
  if (isFiltered) {
    return (
      <div class="notice">
        <h2>Nothing fits all of that</h2>
        <p>Take one of the filters away, or all of them.</p>
        <button class="button" type="button" onClick={clear}>
          Clear the filters
        </button>
      </div>
    )
  }
  return (
    <>
      <Notice
        isPart
        title={search ? 'Nothing like that on the shelves' : 'Nothing on this shelf yet'}
        action={{ href: '/shop', label: 'See everything' }}
      >
        {word ? (
          <>
            Did you mean <a href={withQuery('/shop', { query: word })}>{word}</a>?
          </>
        ) : search && shelf ? (
          <a href={withQuery('/shop', { query: search })}>{`Look for “${search}” on every shelf`}</a>
        ) : search ? (
          'Try another word. A wrong letter does not matter, too many words do.'
        ) : (
          'Have a look at the others.'
        )}
      </Notice>
      <Suggestions />
    </>
  )
}

/** Names of the newest hundred, only for whoever has found nothing. */
function useLabels(isWanted: boolean): string[] | undefined {
  const view = useView()
  return useLoad(isWanted && view ? `labels:${view.locale}` : undefined, async () => {
    const { items } = await kontor.storefront.products.list({ limit: 100, locale: view?.locale })
    return items.map(({ name }) => name)
  }).value
}

function Suggestions() {
  const market = useMarket()
  const newest: PublicProduct[] = useNewest(4).value ?? []
  if (newest.length === 0) return null
  return (
    <section aria-labelledby="suggested">
      <h2 id="suggested" class="section-title">
        Perhaps one of these
      </h2>
      <ul class="grid">
        {newest.map((product) => (
          <ProductCard key={product.id} product={product} market={market} />
        ))}
      </ul>
    </section>
  )
}
