/** `+ 3`, `3`, `-2`, `− 2`. Undefined: no number. */
export function readDifference(typed: string): number | undefined {
  const [, sign, figures] = /^\s*([+\-−–]?)\s*(\d{1,9})\s*$/.exec(typed) ?? []
  if (figures === undefined) return undefined
  const pieces = Number(figures)
  return sign && sign !== '+' && pieces !== 0 ? -pieces : pieces
}

export const signed = (delta: number) => (delta < 0 ? `− ${-delta}` : `+ ${delta}`)
