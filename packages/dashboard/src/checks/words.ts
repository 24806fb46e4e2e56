import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** What each rule means for whoever runs a shop. A rule that is not here yet is shown in the service's own words. */
export const AREAS: readonly { name: MessageDescriptor; rules: Readonly<Record<string, MessageDescriptor>> }[] = [
  {
    name: msg`Stock`,
    rules: {
      'stock-ledger': msg`Stock adds up: what was counted, sold and returned gives what is on the shelf.`,
      'stock-not-negative': msg`Nothing has less than zero pieces on the shelf.`,
      'stock-numbers': msg`No movement of stock is missing.`,
      'stock-steps': msg`Each movement of stock notes what was left after it.`,
      'stock-list': msg`The stock list shows every variant that is counted, and no other.`,
      stocktakes: msg`Each stocktake changed stock by what it says.`,
    },
  },
  {
    name: msg`Orders`,
    rules: {
      'order-total': msg`Each order’s total is its goods, tax and shipping, less the discount.`,
      'order-subtotal': msg`The lines of each order add up to its subtotal.`,
      'order-lines': msg`Each line is its price times its pieces.`,
      'order-shares': msg`Discount and tax of each order are spread over its lines without a cent left.`,
      'order-taxes': msg`The tax rates of each order add up to its tax.`,
      'order-statuses': msg`Each order’s status is the last one in its history.`,
      'order-stock': msg`Each order holds exactly the pieces that it took from stock.`,
      'order-returns': msg`No more pieces came back than were ordered.`,
      'order-refunded-pieces': msg`No more pieces were refunded than were ordered.`,
      'order-given-back': msg`Cancelled orders have given their pieces back, and only they.`,
      'order-once': msg`Nobody’s order was placed twice by accident.`,
      'order-number': msg`No two orders have the same number.`,
      'order-shipped-pieces': msg`No more pieces were shipped than were ordered.`,
      'order-fulfillment': msg`What an order says of its shipping is what its shipments say.`,
      'order-committed': msg`Pieces that wait to be shipped are counted as such.`,
    },
  },
  {
    name: msg`Money`,
    rules: {
      'order-payment': msg`Each order that has to be paid has a payment of its total.`,
      'payment-order': msg`Each payment belongs to an order.`,
      'order-payment-status': msg`What an order says of its payment is what the payment says.`,
      'order-money-came': msg`No order waits for money that is already here.`,
      'order-money-back': msg`Money for orders that ended by themselves is on its way back.`,
      'order-refunded-amount': msg`What an order says was refunded is what was refunded.`,
      'refund-parts': msg`Each refund covers the lines that it is for.`,
      'payment-refunds': msg`No more was refunded than was paid.`,
      'payment-full': msg`What is paid is paid in full.`,
      'payment-asked': msg`Money set apart for refunds has been asked for.`,
      'promo-uses': msg`Each promo code was counted once for each order that used it.`,
      'promo-customers': msg`Each promo code was counted for each customer as often as they used it.`,
    },
  },
  {
    name: msg`Products`,
    rules: {
      'product-stock-places': msg`Each product shows the stock of all its variants.`,
      'product-lists': msg`Lists show each product as it is, and none that is deleted.`,
      'product-markets': msg`A product is listed only in markets where it has a price.`,
      'category-tree': msg`Categories form a tree, at most six deep.`,
      'category-slugs': msg`Each category is found under its address in every language.`,
      'bulk-edit-items': msg`Each bulk edit counts its products as they are.`,
      'import-lines': msg`The lines of each import add up to its file.`,
      'import-report': msg`Each import that can be undone still knows what it changed.`,
      'media-room': msg`The room used for files is the size of the files.`,
      'media-pictures': msg`Each picture that is ready has its size.`,
      'entry-schema': msg`Each entry fits a form that its collection had.`,
    },
  },
  {
    name: msg`Customers and reports`,
    rules: {
      'customer-sums': msg`What each customer spent is the sum of their orders.`,
      'customer-order': msg`Each order is counted for its customer as it is.`,
      'customer-bought': msg`What a customer bought last is what their orders say.`,
      'report-order': msg`Each order is in the reports as it is.`,
      'report-sums': msg`Reports add up to the orders behind them.`,
      'report-spans': msg`Days and months in reports add up to their hours.`,
      'report-first-order': msg`Each customer’s first order counts as new, and no other.`,
      'report-person': msg`Orders of guests count for the customer they became.`,
      'report-readers': msg`Readers who came, less those who left, are those who are here.`,
      'report-subscription': msg`Reports know of each subscription whether it is active.`,
    },
  },
  {
    name: msg`Newsletters`,
    rules: {
      'send-counts': msg`Each sending counts its recipients as they are.`,
      'send-done': msg`A sending that is done has left nobody out.`,
      'send-remainder': msg`Whoever is written to again was among the first recipients, once.`,
      'send-letters': msg`Letters that go out by themselves went to those who were due.`,
    },
  },
]
