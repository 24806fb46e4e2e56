import type { Product } from '@kontor/sdk'
import { FormProblem, Notice, Problem, wordsOf } from '../parts/notices.tsx'
import { taxText } from '../parts/price.tsx'
import { CardSkeletons, ProductCard } from '../parts/product-card.tsx'
import { useTitle } from '../parts/title.ts'
import { likelyWord, titleOf, useCategories, useNewest } from '../state/catalog.ts'
import { kontor, useMarket } from '../state/kontor.ts'
import { usePlace, withQuery } from '../state/router.ts'
import { usePages } from '../state/use-pages.ts'

const A_PAGE = 24
/** Pictures that are seen without scrolling. */
const IN_SIGHT = 8

export function ListPage() {
  const place = usePlace()
  const query = place.query.get('query') ?? ''
  const category = place.query.get('category') ?? ''
  const market = useMarket()
  const title = query ? `“${query}”` : titleOf(category) || 'Everything'
  useTitle(title)
  const list = usePages<Product>(`products:${category}:${query}`, (cursor) =>
    kontor.products.list({ limit: A_PAGE, cursor, query: query || undefined, category: category || undefined }),
  )
  const { items, error } = list
  return (
    <div class="wrap section">
      <div class="list-head">
        <h1>{title}</h1>
        <div class="list-facts">
          {market && <p>{`Prices in ${market.currency}, ${taxText(market)}`}</p>}
          <p role="status">{items?.length && !list.isLoading ? countText(items.length, list.hasMore) : ' '}</p>
        </div>
      </div>
      <Categories current={category} query={query} />
      {error && !items ? (
        <Problem isPart error={error} retry={list.reload} />
      ) : items?.length === 0 ? (
        <NothingFound query={query} category={category} />
      ) : (
        <ul class="grid" aria-busy={!items}>
          {items?.map((product, index) => (
            <ProductCard key={product.id} product={product} market={market} isFirst={index < IN_SIGHT} />
          )) ?? <CardSkeletons count={A_PAGE} />}
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
  )
}

const SUGGESTED = 4

/** A likely word, the other shelves, and what is new: never a dead end. */
function NothingFound({ query, category }: { query: string; category: string }) {
  const market = useMarket()
  const categories = useCategories().value ?? []
  const newest = useNewest(SUGGESTED).value
  const word = query && likelyWord(query, categories)
  return (
    <>
      <Notice
        isPart
        title={query ? 'Nothing like that on the shelves' : 'Nothing on this shelf yet'}
        action={{ href: '/shop', label: 'See everything' }}
      >
        {word ? (
          <>
            Did you mean <a href={withQuery('/shop', { query: word })}>{word}</a>?
          </>
        ) : query && category ? (
          <a href={withQuery('/shop', { query })}>{`Look for “${query}” on every shelf`}</a>
        ) : query ? (
          'Try another word. A wrong letter does not matter, too many words do.'
        ) : (
          'Have a look at the others.'
        )}
      </Notice>
      {newest && newest.length > 0 && (
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
      )}
    </>
  )
}

const countText = (count: number, hasMore: boolean) =>
  hasMore ? `The first ${count}` : count === 1 ? '1 thing' : `${count} things`

function Categories({ current, query }: { current: string; query: string }) {
  const { value } = useCategories()
  const chips = ['', ...(value ?? []).map(({ name }) => name)]
  return (
    <nav class="chips" aria-label="Categories">
      {chips.map((name) => (
        <a
          key={name}
          href={withQuery('/shop', { category: name, query })}
          aria-current={name === current ? 'true' : undefined}
        >
          {titleOf(name) || 'Everything'}
        </a>
      ))}
    </nav>
  )
}
