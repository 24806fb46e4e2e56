import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'

/** An invalid field. `field` is empty if the whole value is invalid. */
export type Flaw = { field: string; says: string }

/** The first flaw of a value, by its shape. */
export function findFlaw(shape: TSchema, value: unknown): Flaw | undefined {
  if (Check(shape, value)) return undefined
  const [first] = Errors(shape, value)
  return { field: (first?.instancePath ?? '').slice(1).replaceAll('/', '.'), says: first?.message ?? 'is not valid' }
}
