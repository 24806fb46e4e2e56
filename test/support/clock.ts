import { after, before } from 'node:test'
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

/** The same for all tests of a file. Files that run in one process have one clock: it is held when their turn comes. */
export function useHeldClock(): Pick<ReturnType<typeof holdClock>, 'advance'> {
  let clock: ReturnType<typeof holdClock>
  before(() => {
    clock = holdClock()
  })
  after(() => clock.release())
  return { advance: (seconds) => clock.advance(seconds) }
}
