import { lineNotFound, type OrderRow, type Origin, type RefundLine, SHIPPING_LINE } from '#modules/orders/index.ts'
import { nothingLeft, tooMuch } from '#modules/payments/index.ts'
import { stepOf } from '#vocabulary/currencies.ts'
import { findOffStep, spread } from '#vocabulary/money.ts'
import { amountOffStep } from '#vocabulary/refusals.ts'
import { moreThanWorth, restockNeedsLines, tooManyRefunded, tooManyUnshipped } from '../errors.ts'
import type { NewRefund } from './schemas.ts'

export type Refundable = Pick<OrderRow, 'currency' | 'tax' | 'shipping' | 'shippingTax'> & {
  lines: readonly Pick<OrderRow['lines'][number], 'id' | 'quantity' | 'totalPrice' | 'discount' | 'tax'>[]
}
/** How far an order is refunded and shipped. */
export type Progress = {
  /** The money that can still be refunded. */
  left: number
  /** The parts of refunds that have not failed. */
  given: readonly Pick<RefundLine, 'lineId' | 'origin' | 'quantity' | 'amount'>[]
  /** Pieces that have gone out, by the id of their line. */
  shipped: (lineId: string) => number
}
export type RefundedPieces = { lineId: string; quantity: number; from: Origin; amount: number }
export type PricedRefund = { amount: number; lines: RefundedPieces[]; shipping: number }

/**
 * What the first `pieces` of a line are worth, a multiple of `step`: each further one gives the difference, so all of them
 * give the whole.
 */
export const worthOf = (pieces: number, { quantity, worth }: { quantity: number; worth: number }, step = 1): number => {
  const n = BigInt(quantity) * BigInt(step)
  return Number((2n * BigInt(pieces) * BigInt(worth) + n) / (2n * n)) * step
}

/** What a refund comes to, and which pieces it is for; throws why it cannot be made. Pure: it is quoted and made alike. */
export function priceRefund(order: Refundable, progress: Progress, asked: NewRefund): PricedRefund {
  const step = stepOf(order.currency)
  const left = floorTo(step, progress.left)
  const isOfParts = asked.lines !== undefined || asked.shipping === true
  const isOfAll = !isOfParts && asked.amount === undefined
  if (asked.restock && !asked.lines && !isOfAll) throw restockNeedsLines()
  const offStep = findOffStep(asked.amount ?? 0, order.currency)
  if (offStep) throw amountOffStep({ field: 'amount', ...offStep })
  const lines = priceLines(order, progress, asked.lines ?? (isOfAll ? allPieces(order, progress) : []))
  if (left <= 0) throw nothingLeft()
  if (asked.amount !== undefined && asked.amount > left) throw tooMuch({ left })
  if (!isOfParts && asked.amount !== undefined) return { amount: asked.amount, lines: [], shipping: 0 }

  const shipping = asked.shipping || isOfAll ? shippingLeft(order, progress) : 0
  const worth = lines.reduce((sum, { amount }) => sum + amount, shipping)
  if (isOfAll) return share(lines, shipping, Math.min(worth, left), left, step)
  if (worth === 0) throw nothingLeft()
  if (asked.amount === undefined && worth > left) throw tooMuch({ left })
  if (asked.amount !== undefined && asked.amount > worth) throw moreThanWorth({ worth })
  const amount = asked.amount ?? worth
  return share(lines, shipping, amount, amount, step)
}

/** Where less is refunded than the parts are worth, each gives in proportion. */
function share(lines: RefundedPieces[], shipping: number, ofParts: number, amount: number, step: number): PricedRefund {
  const weights = [...lines.map((line) => line.amount), shipping]
  const shares = spread(BigInt(ofParts), weights.map(BigInt), BigInt(step)).map(Number)
  return {
    amount,
    lines: lines.map((line, index) => ({ ...line, amount: shares[index] as number })),
    shipping: shares.at(-1) as number,
  }
}

/** Rounds down to the currency's step. Orders from an archive may have amounts off the step. */
const floorTo = (step: number, amount: number) => amount - (amount % step)

/** Tax is refunded where it was paid on top; elsewhere it is inside the prices. */
const taxOf = ({ tax }: Refundable, share: number) => (tax > 0 ? share : 0)

function shippingLeft(order: Refundable, { given }: Progress): number {
  const had = given.filter(({ lineId }) => lineId === SHIPPING_LINE).reduce((sum, { amount }) => sum + amount, 0)
  return floorTo(stepOf(order.currency), Math.max(order.shipping + taxOf(order, order.shippingTax) - had, 0))
}

type Asked = { lineId: string; quantity: number; from?: Origin }

const allPieces = ({ lines }: Refundable, { given }: Progress): Asked[] =>
  lines
    .map(({ id, quantity }) => ({ lineId: id, quantity: quantity - sumOf(given, id).pieces }))
    .filter(({ quantity }) => quantity > 0)

function sumOf(given: Progress['given'], lineId: string) {
  const had = { pieces: 0, unshipped: 0, money: 0 }
  for (const part of given) {
    if (part.lineId !== lineId) continue
    had.pieces += part.quantity
    had.money += part.amount
    if (part.origin === 'UNSHIPPED') had.unshipped += part.quantity
  }
  return had
}

function priceLines(order: Refundable, { given, shipped }: Progress, asked: readonly Asked[]): RefundedPieces[] {
  const step = stepOf(order.currency)
  const priced: RefundedPieces[] = []
  const hadBy = new Map<string, ReturnType<typeof sumOf>>()
  for (const [index, { lineId, quantity, from }] of asked.entries()) {
    const line = order.lines.find(({ id }) => id === lineId)
    if (!line) throw lineNotFound({ index, lineId })
    const had = hadBy.get(lineId) ?? sumOf(given, lineId)
    hadBy.set(lineId, had)
    const left = line.quantity - had.pieces
    if (quantity > left) throw tooManyRefunded({ index, left })
    const here = Math.min(left, Math.max(line.quantity - shipped(lineId) - had.unshipped, 0))
    if (from === 'UNSHIPPED' && quantity > here) throw tooManyUnshipped({ index, left: here })
    const worth = floorTo(step, line.totalPrice - line.discount + taxOf(order, line.tax))
    const whole = { quantity: line.quantity, worth }
    const unshipped = from === undefined ? Math.min(quantity, here) : from === 'UNSHIPPED' ? quantity : 0
    for (const [origin, pieces] of [
      ['UNSHIPPED', unshipped],
      ['SHIPPED', quantity - unshipped],
    ] as const) {
      if (pieces === 0) continue
      had.pieces += pieces
      if (origin === 'UNSHIPPED') had.unshipped += pieces
      const amount = floorTo(step, Math.max(worthOf(had.pieces, whole, step) - had.money, 0))
      had.money += amount
      priced.push({ lineId, quantity: pieces, from: origin, amount })
    }
  }
  return priced
}
