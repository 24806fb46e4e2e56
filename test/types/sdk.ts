// Mistakes against the SDK that must not compile. `npm run types` checks each line below an expectation: one that compiled
// would be an error.
import { createKontor, type Kontor, type KontorError, type Order, type Product } from '../../packages/sdk/src/index.ts'

// @ts-expect-error where is the service?
createKontor({ businessId: 'biz_1' })

/** Records have the fields that they have. */
export async function records(kontor: Kontor) {
  const product: Product = await kontor.products.get('prod_1')
  // @ts-expect-error there is no such field
  product.title satisfies string
  // @ts-expect-error a list of orders has no products
  for await (const order of kontor.orders.list()) order satisfies Product
  for await (const order of kontor.orders.list()) order satisfies Order
  const page = await kontor.products.list()
  page.items satisfies Product[]
  // @ts-expect-error the last page has no cursor
  page.cursor satisfies string
  await kontor.products.list({ cursor: page.cursor })
  const { checkoutUrl } = await kontor.checkout({ items: [] })
  // @ts-expect-error there may be nothing to pay
  new URL(checkoutUrl)
}

/** Requests are what the service takes. */
export async function requests(kontor: Kontor) {
  // @ts-expect-error a product has a name
  await kontor.products.create({ slug: 'shirt' })
  // @ts-expect-error there is no such filter
  await kontor.products.list({ colour: 'red' })
  // @ts-expect-error blocks are asked for with their prefix
  await kontor.entries.list({ colour: 'red' })
  await kontor.entries.list({ 'block.colour': 'red' })
  // @ts-expect-error nor such a status
  await kontor.orders.setStatus('ord_1', 'LOST')
  // @ts-expect-error a quantity is needed
  await kontor.quote({ items: [{ productId: 'prod_1', variantId: 'one' }] })
  // @ts-expect-error and a password
  await kontor.session.login({ email: 'ada@example.com' })
}

/** Operations know their path, query and body. */
export async function operations(kontor: Kontor) {
  await kontor.operations.getMe()
  await kontor.operations.getBusiness()
  await kontor.operations.getRole({ path: { id: 'role_1' } })
  await kontor.operations.getRole({ path: { id: 'role_1', businessId: 'biz_another' } })
  // @ts-expect-error which role?
  await kontor.operations.getRole()
  // @ts-expect-error which role?
  await kontor.operations.getRole({ path: { businessId: 'biz_1' } })
  // @ts-expect-error there is no such permission
  await kontor.operations.createRole({ body: { name: 'Editors', permissions: ['EVERYTHING'] } })
  // @ts-expect-error there is no such operation
  await kontor.operations.getEverything()
  // @ts-expect-error a file, not text
  const text: string = await kontor.operations.exportProducts()
  return text
}

export function errors(error: KontorError) {
  // @ts-expect-error statuses are numbers
  if (error.status === '404') return undefined
  return error.has('SLUG_EXISTS')
}
