import { etagOf, KontorError } from '@kontor/sdk'
import { isSame } from '../merge/is-same.ts'
import { pathOf, type Read, readerOf } from './is-ours.ts'
import type { Entry, Words } from './store.ts'

/** Others may save in between again and again; not more often than this. */
const MOST_ROUNDS = 5

type Write = (body: object, ifMatch: string) => Promise<unknown>

/**
 * Adds words to a list of a record, or takes them from it. The list is read each time, so that what others did to it
 * meanwhile stays, and so that an attempt whose answer was lost is found to be done.
 */
export async function changeWords(entry: Entry, words: Words, read: Read, write: Write): Promise<unknown> {
  const { field, add, remove } = words
  for (let round = 0; ; round++) {
    const record = (await read(readerOf(entry.operation), pathOf(entry))) as Record<string, unknown>
    const before = (record[field] ?? []) as string[]
    const after = [...new Set([...before.filter((word) => !remove.includes(word)), ...add])]
    if (isSame(before, after)) return record
    try {
      return await write({ ...(entry.input.body as object | undefined), [field]: after }, etagOf(record))
    } catch (error) {
      const isOlder = error instanceof KontorError && error.status === 412
      if (!isOlder || round === MOST_ROUNDS) throw error
    }
  }
}
