import fc from 'fast-check'
import type { StockDesk } from '../support/stock-desk.ts'

/** Happens beside the others of its wave. `which` chooses among the orders or people there are. */
type Deed =
  | { do: 'sell'; pieces: number }
  | { do: 'ship'; which: number; pieces: number }
  | { do: 'cancel'; which: number }
  | { do: 'send'; person: number }
type Wave =
  | { deeds: Deed[] }
  /** A person looks at the book and counts the shelf. */
  | { count: number }
  /** Pieces vanish or turn up, and no book knows. */
  | { vanish: number }
  | { worker: true }

const pieces = fc.integer({ min: 1, max: 3 })
const which = fc.nat({ max: 20 })
const person = fc.nat({ max: 2 })
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constant('sell' as const), pieces }),
  fc.record({ do: fc.constant('ship' as const), which, pieces }),
  fc.record({ do: fc.constant('cancel' as const), which }),
  fc.record({ do: fc.constant('send' as const), person }),
)
const wave: fc.Arbitrary<Wave> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ deeds: fc.array(deed, { minLength: 1, maxLength: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ count: person }) },
  { weight: 1, arbitrary: fc.record({ vanish: fc.integer({ min: -2, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ worker: fc.constant(true as const) }) },
)
/** What happens around a shelf, in which order. */
export const waves = fc.array(wave, { minLength: 4, maxLength: 14 })

type Order = { id: string; lineId: string; left: number; shipped: number; isOpen: boolean }
/** `unknown` is what had vanished by then and no count had found yet. */
type Count = { counted: number; committed: number; number: number; unknown: number }

/**
 * Lives the plan with 12 mugs. The model knows what is really on the shelf. After each wave the book (what can be sold, and what
 * is ordered and not sent) must say the same, but for what has vanished since it was last counted.
 */
export async function countWhileItSells(desk: StockDesk, plan: readonly Wave[]) {
  const mug = await desk.priced(1_000, { tracked: true, quantity: 12 })
  const at = { productId: mug.id, variantId: 'one' }
  const orders: Order[] = []
  const counts = new Map<number, Count>()
  const problems: string[] = []
  const tally = { sold: 0, shipped: 0, cancelled: 0, counts: 0, refused: 0 }
  let shelf = 12
  /** Vanished, and not yet in the book. */
  let unknown = 0

  const expect = (is: boolean, text: string) => void (is || problems.push(text))

  async function sell(quantity: number) {
    const answer = await desk.sell(mug, quantity)
    if (answer.status === 409) return
    expect(answer.status === 201, `an order is ${answer.status}: ${answer.text}`)
    tally.sold += quantity
    orders.push({ id: answer.body.id, lineId: answer.body.lines[0].id, left: quantity, shipped: 0, isOpen: true })
  }

  async function ship(order: Order, quantity: number) {
    const lines = [{ lineId: order.lineId, quantity }]
    const answer = await desk.admin.post(`${desk.orders}/${order.id}/shipments`, { lines, notify: false })
    if (answer.status === 409) return // cancelled in the same wave
    expect(answer.status === 201, `a shipment is ${answer.status}: ${answer.text}`)
    order.left -= quantity
    order.shipped += quantity
    shelf -= quantity
    tally.shipped += quantity
  }

  async function cancel(order: Order) {
    const answer = await desk.admin.put(`${desk.orders}/${order.id}/status`, { status: 'CANCELLED' })
    expect(answer.status === 200, `cancelling is ${answer.status}: ${answer.text}`)
    order.isOpen = false
    tally.cancelled++
  }

  async function send(who: number) {
    const count = counts.get(who)
    if (!count) return
    counts.delete(who)
    const { unknown: then, ...body } = count
    const answer = await desk.take([{ ...at, ...body }])
    if (answer.status === 409) {
      tally.refused++
      return
    }
    expect(answer.status === 201, `a stocktake is ${answer.status}: ${answer.text}`)
    tally.counts++
    unknown -= then
  }

  for (const step of plan) {
    if ('worker' in step) await desk.catchUp()
    else if ('vanish' in step) {
      const vanished = Math.max(step.vanish, -shelf)
      shelf += vanished
      unknown += vanished
    } else if ('count' in step) {
      const { committed, number } = await desk.level(mug)
      if (shelf < 0 || committed === null) problems.push(`on the shelf ${shelf}, committed ${committed}`)
      else counts.set(step.count, { counted: shelf, committed, number, unknown })
    } else {
      // One of a kind for each order and person: what two do to one order at once is another test's concern.
      const busy = new Set<Order>()
      const choose = (index: number, fits: (order: Order) => boolean) => {
        const fitting = orders.filter((order) => order.isOpen && !busy.has(order) && fits(order))
        const order = fitting[index % Math.max(1, fitting.length)]
        if (order) busy.add(order)
        return order
      }
      const sender = step.deeds.find((each) => each.do === 'send')
      await Promise.all(
        step.deeds.map(async (each) => {
          if (each.do === 'sell') return sell(each.pieces)
          if (each.do === 'send') return each === sender ? send(each.person) : undefined
          if (each.do === 'cancel') {
            const order = choose(each.which, ({ shipped }) => shipped === 0)
            return order && cancel(order)
          }
          const order = choose(each.which, ({ left }) => left > 0)
          return order && ship(order, Math.min(order.left, each.pieces))
        }),
      )
    }
    const { quantity, committed } = await desk.level(mug)
    const open = orders.filter(({ isOpen }) => isOpen).reduce((sum, { left }) => sum + left, 0)
    expect(committed === open, `committed is ${committed}, but ${open} are ordered and not sent`)
    const book = quantity + (committed ?? 0)
    expect(
      book === shelf - unknown,
      `the book says ${book}; on the shelf are ${shelf}, of which it cannot know ${unknown}`,
    )
  }
  return { problems, tally }
}
