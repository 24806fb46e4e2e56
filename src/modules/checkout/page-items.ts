import type { OrderRow } from '#modules/orders/index.ts'
import { isChargeable } from '#platform/payments/amounts.ts'
import type { NewPage } from '#platform/payments/provider.ts'

type Items = Pick<NewPage, 'items' | 'discount'>
type Billed = Pick<OrderRow, 'number' | 'currency' | 'lines' | 'tax' | 'shipping' | 'discount' | 'total' | 'promoCode'>

/** The provider takes 100 lines. The rest of a longer order is one of them. */
const MAX_LINES = 90
const MAX_NAME = 250

/**
 * What the payment page lists: each line with its own price, shipping, tax, and what is taken off. It must come to the order's
 * total, and each amount be one that the provider can charge: else the page says the total only. Made from the order alone, so that
 * a page that is asked for again is the same page.
 */
export function itemsOf(order: Billed): Items {
  const listed = listItems(order)
  const sum = listed.items.reduce((sum, { amount, quantity }) => sum + amount * quantity, 0)
  const amounts = [...listed.items.map(({ amount }) => amount), listed.discount?.amount ?? 0]
  const isExact = sum - (listed.discount?.amount ?? 0) === order.total
  if (isExact && amounts.every((amount) => isChargeable(amount, order.currency))) return listed
  return { items: [{ name: `Order ${order.number}`, quantity: 1, amount: order.total }] }
}

function listItems({ lines, shipping, tax, discount, promoCode }: Billed): Items {
  const shown = lines.length > MAX_LINES ? lines.slice(0, MAX_LINES - 1) : lines
  const rest = lines.slice(shown.length)
  const extras = [
    {
      name: `${rest.length} more products`,
      amount: rest.reduce((sum, { totalPrice }) => sum + totalPrice, 0),
      isShown: rest.length > 0,
    },
    { name: 'Shipping', amount: shipping, isShown: shipping > 0 },
    { name: 'Tax', amount: tax, isShown: tax > 0 },
  ]
  return {
    items: [
      ...shown.map(({ name, quantity, unitPrice }) => ({ name: nameOf(name), quantity, amount: unitPrice })),
      ...extras.flatMap(({ name, amount, isShown }) => (isShown ? [{ name, quantity: 1, amount }] : [])),
    ],
    ...(discount > 0 && { discount: { name: promoCode ?? 'Discount', amount: discount } }),
  }
}

/** The provider takes no empty name. */
const nameOf = (name: string) => Array.from(name.trim()).slice(0, MAX_NAME).join('') || 'Item'
