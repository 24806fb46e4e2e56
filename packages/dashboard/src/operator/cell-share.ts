import type { Cell } from './types.ts'

type Weighed = Pick<Cell, 'name' | 'placement' | 'weight'>

/** Of all businesses in open cells, how many come to live in this one if it is open with this weight: from 0 to 1. */
export function shareOf(name: string, weight: number, among: readonly Weighed[]): number {
  const others = among
    .filter((one) => one.name !== name && one.placement === 'OPEN')
    .reduce((sum, one) => sum + one.weight, 0)
  return weight / (weight + others)
}
