import { KontorError } from '@kontor/sdk'
import { type Merged, mergeThree } from './three-way.ts'

type Save<Value, Saved> = {
  /** As this person found it. */
  base: Value
  mine: Value
  /** Of the record as it was found. Without one it is read first. */
  etag: string | undefined
  write: (value: Value, etag: string) => Promise<Saved>
  /** The record as it is now. */
  read: () => Promise<{ value: Value; etag: string }>
  /** Where fields belong together, a merge of its own. */
  merge?: (base: Value, theirs: Value, mine: Value) => Merged<Value>
  /** Both changed the same: a person decides. Answers what to write, or undefined: not saved, and nothing is lost. */
  decide: (merged: Merged<Value>) => Promise<Value | undefined>
}

/** Somebody else may save in between again and again; not more often than this. */
const MOST_ROUNDS = 5

/** Saves a record that others may have changed: disjoint changes are merged by themselves, the rest is asked. */
export async function saveMerged<Value extends object, Saved>(save: Save<Value, Saved>): Promise<Saved | undefined> {
  const { merge = mergeThree } = save
  let { base, mine, etag } = save
  for (let round = 0; ; round++) {
    try {
      if (etag !== undefined) return await save.write(mine, etag)
    } catch (error) {
      if (!(error instanceof KontorError) || error.status !== 412 || round === MOST_ROUNDS) throw error
    }
    const now = await save.read()
    const merged = merge(base, now.value, mine)
    const decided = merged.conflicts.length === 0 ? merged.value : await save.decide(merged)
    if (!decided) return undefined
    base = now.value
    mine = decided
    etag = now.etag
  }
}
