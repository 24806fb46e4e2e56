import type { Page } from 'playwright-core'
import type { Person } from './person.ts'
import type { Shop } from './shop.ts'

export type Journey<Case = unknown> = {
  number: number
  name: string
  /** At most this long and this many, by either hand. */
  bars: { seconds: number; actions?: number }
  /** How often it is timed. */
  runs: number
  /** Signed out at first. */
  isDoor?: boolean
  /** Tried again while answers are lost on the way. */
  isTriedWithLosses?: boolean
  /** What happened before, new for each run. */
  prepare: (shop: Shop) => Promise<Case>
  /** What the machine has, before anything is opened on it. */
  open?: (page: Page) => Promise<void>
  /** Where the person is when it begins, below the business. */
  place: string | ((about: Case) => string)
  /** Whether what is there can be worked with. */
  isReady: (page: Page) => Promise<unknown>
  byMouse: (person: Person, about: Case) => Promise<void>
  byKeyboard: (person: Person, about: Case) => Promise<void>
  /** Whether it is so, by the API. Throws where it is not. */
  check: (shop: Shop, about: Case, page: Page) => Promise<void>
}

/** Keeps the type of its case to itself, so that all of them fit into one list. */
export const journey = <Case>(one: Journey<Case>): Journey => one as unknown as Journey
