import { MAX_POSITION } from './schemas.ts'

/** Room for those that come between two later. */
const STEP = 10

type Sibling = { id: string; position: number }

/**
 * The position that puts a category in front of the one at `index`, or last. `others`: those that have to get another
 * one for it, as there is no room between two.
 */
export function placeAt(siblings: readonly Sibling[], index: number): { position: number; others: Sibling[] } {
  const before = siblings[index - 1]?.position ?? -1
  const after = siblings[index]?.position
  const position = after === undefined ? before + STEP - ((before + STEP) % STEP) : Math.floor((before + after) / 2)
  if (position > before && position < (after ?? MAX_POSITION + 1)) return { position, others: [] }
  const others = siblings.map(({ id }, at) => ({ id, position: (at < index ? at : at + 1) * STEP }))
  return { position: index * STEP, others: others.filter((one, at) => one.position !== siblings[at]?.position) }
}
