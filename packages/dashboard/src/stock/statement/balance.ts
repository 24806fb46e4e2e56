import type { Answer } from '@kontor/sdk'

export type Movement = Answer<'listStockMovements'>['items'][number]

/** What the movements on the screen add up to. */
export type Balance = {
  /** Before the oldest of them, and how many there were. */
  opening: number
  before: number
  came: number
  went: number
  closing: number
  /** The number of the last. */
  last: number
  /** A number is missing, or a movement does not lead from the balance before it to its own. */
  isBroken: boolean
}

/** Adds them up; newest first. */
export function balanceOf(movements: readonly Movement[]): Balance {
  const oldest = movements.at(-1)
  const opening = oldest ? oldest.quantity - oldest.delta : 0
  const balance = { opening, before: oldest ? oldest.number - 1 : 0, came: 0, went: 0, closing: opening }
  let isBroken = balance.before === 0 && opening !== 0
  let last = balance.before
  for (const { number, delta, quantity } of movements.toReversed()) {
    if (delta > 0) balance.came += delta
    else balance.went -= delta
    balance.closing += delta
    isBroken ||= number !== last + 1 || quantity !== balance.closing
    last = number
  }
  return { ...balance, last, isBroken }
}

const DAY_SECONDS = 86_400

/** How many pieces leave a day for orders, of those of the last 30 days that are known; undefined: too little is known. */
export function soldADay(movements: readonly Movement[], now: number, isAll: boolean): number | undefined {
  const from = now - 30 * DAY_SECONDS
  const oldest = movements.at(-1)
  if (!oldest) return undefined
  const since = isAll || oldest.createdAt < from ? Math.max(from, oldest.createdAt) : oldest.createdAt
  const days = (now - since) / DAY_SECONDS
  const sold = movements
    .filter(({ kind, createdAt }) => createdAt >= since && ['ORDER', 'CANCEL', 'RETURN'].includes(kind))
    .reduce((sum, { delta }) => sum - delta, 0)
  return days >= 1 && sold > 0 ? sold / days : undefined
}

export type Step = { at: number; quantity: number }

/** What was there from when on, oldest first: of the last 30 days, or from the first movement that is known. */
export function stepsOf(movements: readonly Movement[], now: number): Step[] {
  const from = now - 30 * DAY_SECONDS
  const isLater = ({ createdAt }: Movement) => createdAt >= from
  const before = movements.find((movement) => !isLater(movement))
  return [
    ...(before ? [{ at: from, quantity: before.quantity }] : []),
    ...movements
      .filter(isLater)
      .toReversed()
      .map(({ createdAt, quantity }) => ({ at: createdAt, quantity })),
  ]
}
