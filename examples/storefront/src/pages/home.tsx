import { HarbourScene } from '../parts/harbour-scene.tsx'
import { Problem } from '../parts/notices.tsx'
import { Picture } from '../parts/picture.tsx'
import { taxText } from '../parts/price.tsx'
import { CardSkeletons, ProductCard } from '../parts/product-card.tsx'
import { useTitle } from '../parts/title.ts'
import { titleOf, useCategories, useNewest } from '../state/catalog.ts'
import { useMarket } from '../state/kontor.ts'
import { withQuery } from '../state/router.ts'

const SHOWN = 8

export function HomePage() {
  useTitle(undefined)
  const market = useMarket()
  const categories = useCategories()
  const newest = useNewest(SHOWN)
  return (
    <>
      <section class="hero">
        <HarbourScene />
        <div class="hero-words">
          <h1>Made for salt air and long evenings</h1>
          <p>Lamps, rope, wool and paper. Few things, chosen well, from workshops along the coast.</p>
          <a class="button" href="/shop">
            See everything
          </a>
        </div>
      </section>
      <section class="wrap section" aria-labelledby="by-kind">
        <h2 id="by-kind" class="section-title">
          By the shelf
        </h2>
        <ul class="shelves">
          {categories.value
            ? categories.value.map(({ name, products }) => (
                <li key={name}>
                  <a href={withQuery('/shop', { category: name })}>
                    <Picture url={products[0]?.gallery[0]?.url} alt="" size={400} />
                    <strong>{titleOf(name)}</strong>
                    <small>{products.length === 1 ? '1 thing' : `${products.length} things`}</small>
                  </a>
                </li>
              ))
            : Array.from({ length: 6 }, (_, index) => (
                <li key={index} aria-hidden="true">
                  <span class="picture waiting" />
                  <span class="bar" />
                </li>
              ))}
        </ul>
      </section>
      <section class="wrap section" aria-labelledby="newest">
        <div class="section-head">
          <h2 id="newest" class="section-title">
            Just landed
          </h2>
          {market && <p class="price-note">{`Prices in ${market.currency}, ${taxText(market)}`}</p>}
        </div>
        {newest.error && !newest.value ? (
          <Problem isPart error={newest.error} retry={newest.reload} />
        ) : (
          <ul class="grid" aria-busy={!newest.value}>
            {newest.value?.map((product) => <ProductCard key={product.id} product={product} market={market} />) ?? (
              <CardSkeletons count={SHOWN} />
            )}
          </ul>
        )}
      </section>
    </>
  )
}
