import os from 'node:os'
import type { Cell } from '#platform/database/database.ts'
import { createFairSemaphore } from '#platform/fair-semaphore.ts'
import { overloaded } from '#platform/http/refusals.ts'

/** Half of the machine: anybody may ask, and whoever buys needs the other half. */
const AT_ONCE = Math.max(1, Math.floor(os.availableParallelism() / 2))
const MAX_WAITING = 100

type InTurn = ReturnType<typeof createFairSemaphore>

/**
 * Searches, filters and facets of strangers, a few at a time in a process: five hundred who ask for ever new ones would
 * otherwise hold every connection. The rest is told to come back in a moment. Each cell has its own queues: one whose
 * database is silent keeps none of the others waiting. The businesses of a cell take turns.
 */
export function createWideReads() {
  const turns = new WeakMap<Cell, InTurn>()
  return <Result>(cell: Cell, businessId: string, read: () => Promise<Result>): Promise<Result> => {
    const inTurn =
      turns.get(cell) ??
      createFairSemaphore({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING, refuse: () => overloaded({ seconds: 1 }) })
    turns.set(cell, inTurn)
    return inTurn(businessId, read)
  }
}

const PLAIN = new Set(['limit', 'cursor', 'market', 'locale', 'category', 'slug'])

/** A plain page, also of a category, is an ordered read by an index, which those who ask for the same share. */
export const isWide = (query: Record<string, unknown>, attributes: readonly unknown[] = []) =>
  attributes.length > 0 || Object.entries(query).some(([name, value]) => value !== undefined && !PLAIN.has(name))
