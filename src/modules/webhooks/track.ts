/**
 * A way along the feed, of which several events are under way at once. `position`: everything up to there is settled, whatever
 * comes after it may be settled already or not.
 */
export type Track = {
  position(): number
  /** The number of the last event that was looked at. */
  lookedTo(): number
  /** How many are begun since the first one that is not settled. */
  length(): number
  /** Nothing to do for this one. */
  pass(number: number): void
  /** The answer says that it is settled. `at`: when it happened. */
  begin(number: number, at: Date): () => void
  /** When the first one that is begun and not settled happened. */
  waitingSince(): Date | undefined
}

export function createTrack(from: number): Track {
  let lookedTo = from
  const begun: { number: number; at: Date; isSettled: boolean }[] = []
  return {
    position: () => (begun[0] ? begun[0].number - 1 : lookedTo),
    lookedTo: () => lookedTo,
    length: () => begun.length,
    pass(number) {
      lookedTo = Math.max(lookedTo, number)
    },
    waitingSince: () => begun[0]?.at,
    begin(number, at) {
      lookedTo = number
      const one = { number, at, isSettled: false }
      begun.push(one)
      return () => {
        one.isSettled = true
        while (begun[0]?.isSettled) begun.shift()
      }
    },
  }
}
