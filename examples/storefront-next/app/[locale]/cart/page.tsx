import { describePage, inAllLocales, openPage, type Params } from '../../../lib/page.ts'
import { baseUrl, businessId } from '../../../lib/settings.ts'
import { Cart } from '../../../parts/cart.tsx'
import { Frame } from '../../../parts/frame.tsx'

const pathIn = (locale: string) => `/${locale}/cart`

export async function generateMetadata({ params }: Params) {
  const page = await openPage(params)
  const { shop, words } = page
  return describePage(page, {
    title: words.cart,
    description: words.description,
    paths: inAllLocales(shop, pathIn),
    isIndexed: false,
  })
}

export default async function CartPage({ params }: Params) {
  const page = await openPage(params)
  const { locale, shop, market, words } = page
  return (
    <Frame page={page} paths={inAllLocales(shop, pathIn)}>
      <div className="wrap section">
        <h1>{words.cart}</h1>
        <noscript>{words.cartNeedsScript}</noscript>
        <Cart
          client={{ baseUrl, businessId, market: market.id, locale }}
          shippingMethods={market.shippingMethods}
          words={words}
        />
      </div>
    </Frame>
  )
}
