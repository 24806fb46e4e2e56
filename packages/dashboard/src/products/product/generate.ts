import { fieldOf, type Patch, type Row, type Seed } from './edits.ts'

export type Option = { name: string; values: string[] }

export const MOST_VARIANTS = 1_000

/** `Navy, Cream, Red`, or one a line. Each once. */
export const readValues = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,;\n\t]/)
      .map((value) => value.trim())
      .filter(Boolean),
  ),
]

/** How many combinations there are, without making them: 50 × 50 × 50 would be many. */
export const countOf = (options: readonly Option[]) =>
  options.reduce((product, { values }) => product * Math.max(1, values.length), options.length > 0 ? 1 : 0)

/** Every combination, in the order in which they are read: the last option changes first. */
export function combine(options: readonly Option[]): Seed[] {
  const used = options.filter(({ name, values }) => name && values.length > 0)
  if (used.length === 0) return []
  const all = used.reduce<Seed['attributes'][]>(
    (before, { name, values }) =>
      before.flatMap((attributes) => values.map((value) => [...attributes, { name, value }])),
    [[]],
  )
  return all.map((attributes) => ({ name: attributes.map(({ value }) => value).join(', '), attributes }))
}

const keyOf = ({ attributes }: Seed) =>
  JSON.stringify(
    attributes.map(({ name, value }) => [name, value]).sort((one, other) => (one[0]! < other[0]! ? -1 : 1)),
  )

/** The combinations that are not there yet. */
export function missing(options: readonly Option[], rows: readonly Seed[]): Seed[] {
  const known = new Set(rows.map(keyOf))
  return combine(options).filter((seed) => !known.has(keyOf(seed)))
}

/** `Navy, 350 ml` after `HG001-WM` is `HG001-WM-NAV-350`. */
export function skuOf(prefix: string, { attributes }: Seed): string {
  const parts = attributes.map(({ value }) =>
    value
      .normalize('NFKD')
      .replaceAll(/[^\p{L}\p{N}]/gu, '')
      .slice(0, 3),
  )
  return [prefix, ...parts.map((part) => part.toUpperCase())].filter(Boolean).join('-')
}

/**
 * Adds what is missing. The one variant of a product that had no options becomes the first of them: it keeps its price, its
 * stock and its history.
 */
export function toPatch(seeds: readonly Seed[], rows: readonly Row[], prefix: string, newId: () => string): Patch {
  const only = rows.length === 1 && rows[0]?.attributes.length === 0 ? rows[0] : undefined
  const patch: Record<string, unknown> = {}
  for (const [index, seed] of seeds.entries()) {
    const id = index === 0 && only ? only.id : newId()
    patch[fieldOf.variant(id)] = seed
    if (prefix) patch[fieldOf.sku(id)] = skuOf(prefix, seed)
  }
  return patch
}

/** What the variants have been made of. */
export function optionsOf(rows: readonly Seed[]): Option[] {
  const options = new Map<string, Set<string>>()
  for (const { attributes } of rows)
    for (const { name, value } of attributes) options.set(name, (options.get(name) ?? new Set()).add(value))
  return Array.from(options, ([name, values]) => ({ name, values: [...values] }))
}
