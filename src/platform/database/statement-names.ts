import { createHash } from 'node:crypto'
import { isStalePlan } from './errors.ts'

const MAX_STATEMENTS = 100
const names = new Map<string, string>()
let generation = 0

/**
 * Makes this a prepared statement: each connection plans it once. Only for statements whose best plan does not depend
 * on their values. Every connection keeps every prepared statement, so their number is limited: texts with inlined
 * values would fill them all.
 */
export function prepare(text: string): void {
  if (names.has(text) || names.size >= MAX_STATEMENTS) return
  names.set(text, createHash('sha256').update(text).digest('base64url').slice(0, 22))
}

/** The statement's name on the connection; undefined if it is not prepared. */
export function preparedName(text: string): string | undefined {
  const name = names.get(text)
  return name === undefined ? undefined : `${name}.${generation}`
}

/**
 * True if the plan was stale. Then all statements get new names, so that every retry is planned anew, on any
 * connection.
 */
export function renewStalePlans(error: unknown): boolean {
  if (!isStalePlan(error)) return false
  generation++
  return true
}
