/** So many at a time; the others wait in the order in which they came. */
export function createTurns(most: number) {
  const waiting: (() => void)[] = []
  let busy = 0
  return async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else busy--
    }
  }
}
