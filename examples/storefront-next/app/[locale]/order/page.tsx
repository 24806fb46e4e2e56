import { describePage, inAllLocales, openPage, type Params } from '../../../lib/page.ts'
import { baseUrl, businessId } from '../../../lib/settings.ts'
import { Frame } from '../../../parts/frame.tsx'
import { Order } from '../../../parts/order.tsx'

const pathIn = (locale: string) => `/${locale}/order`

export async function generateMetadata({ params }: Params) {
  const page = await openPage(params)
  const { shop, words } = page
  return describePage(page, {
    title: words.orderNumber,
    description: words.description,
    paths: inAllLocales(shop, pathIn),
    isIndexed: false,
  })
}

/** Where the payment page leads to, with `?orderId=`. */
export default async function OrderPage({ params }: Params) {
  const page = await openPage(params)
  const { locale, shop, market, words } = page
  return (
    <Frame page={page} paths={inAllLocales(shop, pathIn)}>
      <div className="wrap section">
        <Order client={{ baseUrl, businessId, market: market.id, locale }} words={words} />
      </div>
    </Frame>
  )
}
