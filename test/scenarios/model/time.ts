import fc from 'fast-check'
import { command } from './command.ts'
import { closeThere, isExpired, isSilent, learn, type Model, type ModelOrder, refundAsked } from './model.ts'
import type { Real } from './real.ts'
import { nameOf, troubleAt } from './troubles.ts'

const AGAIN_AFTER_SECONDS = 31

export const deliver = troubleAt('deliver').map((trouble) =>
  command(`deliver the events${nameOf(trouble)}`, async (model, real) => {
    const heard = await real.troubles.during(trouble, () => deliverAll(model, real))
    for (const order of heard) await real.compareOrder(order)
    await real.compareAllStock(model)
  }),
)

export const sweep = troubleAt('sweep').map((trouble) =>
  command(`sweep${nameOf(trouble)}`, async (model, real) => {
    await real.troubles.during(trouble, real.sweep)
    await applySweep(model, real, trouble !== undefined)
    if (trouble) {
      // What failed comes again after half a minute.
      wait(model, real, AGAIN_AFTER_SECONDS)
      await real.sweep()
      await applySweep(model, real, false)
    }
    await real.compareAll(model)
  }),
)

async function applySweep(model: Model, real: Real, isTroubled: boolean): Promise<void> {
  for (const order of model.orders) {
    if (isExpired(model, order)) {
      if (isTroubled) continue // now or with the next sweep
      closeThere(order)
      learn(model, order)
    } else if (isSilent(model, order)) {
      const isHeard = !isTroubled || (await real.stateOf(order)) !== 'PENDING/PENDING'
      if (isHeard) learn(model, order)
      else order.checkedAt = model.seconds
    }
    if (!isTroubled) refundAsked(model, order)
  }
}

function wait(model: Model, real: Real, seconds: number): void {
  real.clock.advance(seconds)
  model.seconds += seconds
}

const MAX_HOURS = 20 // the provider takes no page that lasts longer than a day

export const letTimePass = fc.constantFrom(40, 301, 700, 3_601, 3_601).map((seconds) =>
  command(
    `wait ${seconds} s`,
    async (model, real) => wait(model, real, seconds),
    (model) => model.seconds < MAX_HOURS * 3_600,
  ),
)

/** All that is still to come comes, and nothing goes wrong any more. */
export async function settleAll(model: Model, real: Real): Promise<void> {
  await deliverAll(model, real)
  for (const seconds of [3_601, AGAIN_AFTER_SECONDS]) {
    wait(model, real, seconds)
    await real.sweep()
    await applySweep(model, real, false)
    await deliverAll(model, real)
  }
  // A refund at the provider of which every event was lost: another event tells of it.
  await real.tellOfRefunds(model.orders)
  await deliverAll(model, real)
  for (const order of model.orders) learn(model, order)
}

async function deliverAll(model: Model, real: Real): Promise<ModelOrder[]> {
  await real.deliver()
  const heard = model.orders.filter(({ hasNews }) => hasNews)
  for (const order of heard) {
    order.hasNews = false
    learn(model, order)
  }
  return heard
}
