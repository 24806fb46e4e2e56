import { useClock } from '#platform/clock.ts'

/** A clock that stands still until a test moves it. Starts at the real time, so that tokens and rows look sane. */
export function holdClock() {
  let time = Date.now()
  useClock(() => time)
  return {
    advance: (seconds: number) => {
      time += seconds * 1000
    },
    release: () => useClock(undefined),
  }
}
