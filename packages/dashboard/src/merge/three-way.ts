import { isSame } from './is-same.ts'

export type Conflict<Field extends string = string> = { field: Field; base: unknown; theirs: unknown; mine: unknown }
export type Merged<Value> = {
  /** Theirs with my changes; where both changed the same field, mine. */
  value: Value
  /** Both changed them, and differently: a person decides. */
  conflicts: Conflict<keyof Value & string>[]
  /** Only they changed these: worth saying. */
  theirs: (keyof Value & string)[]
}

/**
 * Two people changed one record. Field by field: what only one of them changed is taken; what both changed alike is no
 * matter; the rest is put side by side. Nothing is lost without being shown.
 */
export function mergeThree<Value extends object>(base: Value, theirs: Value, mine: Value): Merged<Value> {
  const value = { ...theirs }
  const conflicts: Merged<Value>['conflicts'] = []
  const changed: Merged<Value>['theirs'] = []
  for (const field of Object.keys(mine) as (keyof Value & string)[]) {
    const iChanged = !isSame(base[field], mine[field])
    const theyChanged = !isSame(base[field], theirs[field])
    if (theyChanged && !isSame(theirs[field], mine[field])) {
      if (iChanged) conflicts.push({ field, base: base[field], theirs: theirs[field], mine: mine[field] })
      else changed.push(field)
    }
    if (iChanged) value[field] = mine[field]
  }
  return { value, conflicts, theirs: changed }
}
