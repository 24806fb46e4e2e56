import type { Colour } from '../images/colours.ts'
import type { MotifName } from '../images/draw.ts'

/** A size and what it costs more than the smallest, in minor units of both markets. */
export type Size = { label: string; more: number }

export const TAGS = ['gift', 'handmade', 'made-to-order', 'recycled'] as const

export type Item = {
  name: string
  motif: MotifName
  /** In USD without tax, in EUR with it: minor units. */
  usd: number
  eur: number
  material: string
  description: string
  german: { name: string; material: string; description: string }
  tags?: readonly (typeof TAGS)[number][]
  colours?: readonly Colour[]
  sizes?: readonly Size[]
  /** How the sizes are called: Size, Length, Set. */
  sizeName?: string
  /** What it cost before the sale, in percent of what it costs now. */
  wasPercent?: number
  /** What it costs in the fortnight that has just begun, in the units of the price. */
  sale?: { usd: number; eur: number }
  /** Of which variants (by the end of their ids) there is little, or nothing. */
  low?: readonly string[]
  out?: readonly string[]
  /** Made to order: there is always one. */
  isUntracked?: boolean
  /** How well it sells, compared with the others. */
  demand?: number
}

/** A category, and below it others or things to sell. Its id is its slug. */
type Category = { id: string; name: string; description: string; german: { name: string; description: string } }
export type Shelf = Category & { items: readonly Item[] }
export type Room = Category & { shelves: readonly Shelf[] }

export const sizes = (...labels: readonly (string | [string, number])[]): Size[] =>
  labels.map((entry) => (typeof entry === 'string' ? { label: entry, more: 0 } : { label: entry[0], more: entry[1] }))
