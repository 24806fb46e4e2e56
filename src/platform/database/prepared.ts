import { createHash } from 'node:crypto'
import { isStalePlan } from './errors.ts'

const MAX_STATEMENTS = 100
const names = new Map<string, string>()
let generation = 0

/**
 * From now on this statement is planned once for each connection. Only for one whose best plan does not depend on its values. Each
 * is kept by every connection: a text that holds its values would fill them all, so there is an end to it.
 */
export function prepare(text: string): void {
  if (names.has(text) || names.size >= MAX_STATEMENTS) return
  names.set(text, createHash('sha256').update(text).digest('base64url').slice(0, 22))
}

/** The name under which connections know it; undefined if it is planned each time. */
export function preparedName(text: string): string | undefined {
  const name = names.get(text)
  return name === undefined ? undefined : `${name}.${generation}`
}

/** True if the plan was out of date. All get new names then: whatever is run again is planned anew, on any connection. */
export function renewStalePlans(error: unknown): boolean {
  if (!isStalePlan(error)) return false
  generation++
  return true
}
