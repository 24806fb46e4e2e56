import os from 'node:os'
import { overloaded } from '#platform/http/refusals.ts'
import { createSemaphore } from '#platform/semaphore.ts'

/** Half of the machine: anybody may ask, and whoever buys needs the other half. */
const AT_ONCE = Math.max(1, Math.floor(os.availableParallelism() / 2))
const MAX_WAITING = 100

/**
 * Searches, filters and facets of strangers, a few at a time in a process: five hundred who ask for ever new ones would
 * otherwise hold every connection. The rest is told to come back in a moment.
 */
export const inTurn = createSemaphore({
  atOnce: AT_ONCE,
  maxWaiting: MAX_WAITING,
  refuse: () => overloaded({ seconds: 1 }),
})

type Asked = { query?: string; sort?: string } & Record<string, unknown>
const PLAIN = new Set(['limit', 'cursor', 'market', 'locale', 'category', 'slug'])

/** A plain page, also of a category, is an ordered read by an index, which those who ask for the same share. */
export const isWide = (query: Asked, attributes: readonly unknown[]) =>
  attributes.length > 0 || Object.entries(query).some(([name, value]) => value !== undefined && !PLAIN.has(name))
