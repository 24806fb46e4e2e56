import fc from 'fast-check'
import type { Answer } from '../../support/client.ts'
import type { Model, ModelOrder } from './model.ts'
import type { Real } from './real.ts'
import type { Trouble } from './troubles.ts'

export type ShopCommand = fc.AsyncCommand<Model, Real>

const TRIES = 4

/** As a client does it: what is not a definite answer is asked again, with the same key. */
export async function ask({ troubles }: Real, trouble: Trouble, send: () => Promise<Answer>): Promise<Answer> {
  return troubles.during(trouble, async () => {
    let answer = await send()
    for (let tries = 1; answer.status >= 500 && tries < TRIES; tries++) answer = await send()
    return answer
  })
}

export const command = (
  name: string,
  run: (model: Model, real: Real) => Promise<unknown>,
  check: (model: Readonly<Model>) => boolean = () => true,
): ShopCommand => ({
  check,
  async run(model, real) {
    real.done++
    await run(model, real)
  },
  toString: () => name,
})

// The last ones mostly: much must happen to one order before it gets interesting.
export const index = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 1 }) },
  { weight: 1, arbitrary: fc.nat({ max: 19 }) },
)
const pick = <Item>(items: readonly Item[], wanted: number) => items.at(-1 - (wanted % items.length)) as Item

/** One of those for which it makes sense, unless there is none, or once in a while. */
function choose({ orders }: Readonly<Model>, wanted: number, prefer: (order: ModelOrder) => boolean): ModelOrder {
  const likely = orders.filter(prefer)
  return pick(likely.length === 0 || wanted > 15 ? orders : likely, wanted)
}

const hasOrders = ({ orders }: Readonly<Model>) => orders.length > 0

type OrderRun = (model: Model, real: Real, order: ModelOrder) => Promise<unknown>

/** Something that is done to one of the orders; what became of it is looked at right away. */
export const withOrder = (
  wanted: number,
  name: string,
  run: OrderRun,
  isPossible: (order: ModelOrder) => boolean = () => true,
  prefer = isPossible,
) =>
  command(
    `${name} order ${wanted}`,
    async (model, real) => {
      const order = choose(model, wanted, prefer)
      await run(model, real, order)
      await real.compareOrder(order)
      await real.compareStock(model, order.product)
    },
    (model) => hasOrders(model) && isPossible(choose(model, wanted, prefer)),
  )
