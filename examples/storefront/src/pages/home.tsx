import { HarbourScene } from '../parts/harbour-scene.tsx'
import { Problem } from '../parts/notices.tsx'
import { Picture } from '../parts/picture.tsx'
import { taxText } from '../parts/price.tsx'
import { CardSkeletons, ProductCard } from '../parts/product-card.tsx'
import { useTitle } from '../parts/title.ts'
import { countOn, hrefOf, useNewest, useShelves } from '../state/catalog.ts'
import { kontor, useLanguage, useMarket } from '../state/kontor.ts'
import { countsOf } from '../state/listing.ts'
import { useLoad } from '../state/use-load.ts'

const SHOWN = 8

const countText = (count: number) => (count === 0 ? ' ' : count === 1 ? '1 thing' : `${count} things`)

export function HomePage() {
  useTitle(undefined)
  const market = useMarket()
  const { language } = useLanguage()
  const shelves = useShelves().value?.filter(({ children }) => children.length === 0)
  const counts = countsOf(useLoad('counts', () => kontor.storefront.products.facets(['category'])).value)
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
          {shelves
            ? shelves.map((shelf) => (
                <li key={shelf.id}>
                  <a href={hrefOf(shelf)}>
                    <Picture media={shelf.image} alt="" size={400} sizes="(min-width: 60rem) 12rem, 30vw" />
                    <strong lang={language}>{shelf.name}</strong>
                    <small>{countText(countOn(shelf, counts))}</small>
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
