import { invalid } from './errors.ts'
import { listOf } from './objects.ts'
import type { Kept, Kind, World } from './world.ts'

const EXPANDABLE: Record<string, Kind> = {
  payment_intent: 'payment_intent',
  latest_charge: 'charge',
  charge: 'charge',
  subscription: 'subscription',
  latest_invoice: 'invoice',
  invoice: 'invoice',
}

/** Replaces an id by its object, along a path like `payment_intent.latest_charge`. */
export function expand(world: World, shown: object, path: string): void {
  const [step = '', ...rest] = path.split('.')
  const place = shown as Record<string, unknown>
  if (step === 'data' && Array.isArray(place.data)) {
    for (const each of place.data as object[]) expand(world, each, rest.join('.'))
    return
  }
  const kind = EXPANDABLE[step]
  const isLines = step === 'line_items' && place.object === ('checkout.session' satisfies Kind)
  const isRefunds = step === 'refunds' && place.object === ('charge' satisfies Kind)
  if (!isLines && !isRefunds && (!kind || !(step in place)))
    throw invalid(`This property cannot be expanded (${path}).`, 'expand')
  if (isLines) place[step] = linesOf(world, String(place.id))
  else if (isRefunds) place[step] = refundsOf(world, String(place.id))
  else if (kind && typeof place[step] === 'string')
    place[step] = structuredClone<Kept | undefined>(world.find(kind, place[step]))
  if (rest.length > 0 && place[step]) expand(world, place[step], rest.join('.'))
}

const linesOf = (world: World, id: string) =>
  listOf(structuredClone(world.drafts.get(id)?.lines ?? []), `/v1/checkout/sessions/${id}/line_items`)

const LATEST = 10

function refundsOf(world: World, id: string) {
  const refunds = world.list('refund').filter(({ charge }) => charge === id)
  const latest = refunds.slice(-LATEST).toReversed()
  return listOf(structuredClone(latest), `/v1/charges/${id}/refunds`, refunds.length > LATEST)
}
