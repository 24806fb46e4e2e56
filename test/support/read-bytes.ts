import { onServer, urlOf } from './database.ts'
import { recordStatements } from './explain.ts'

/** The largest answer that the databases give while `work` runs, in bytes: each statement is asked again, and what comes is counted. */
export async function largestRead(work: () => Promise<unknown>): Promise<number> {
  const statements = await recordStatements(work)
  let largest = 0
  for (const { text, values, database } of statements) {
    if (!/^\s*(select|with)\b/i.test(text)) continue
    const read = await onServer(async (client) => {
      const { rows } = await client.query({ text, values, types: { getTypeParser: () => String } })
      return Buffer.byteLength(rows.flatMap((row: object) => Object.values(row)).join(''))
    }, urlOf(database))
    largest = Math.max(largest, read)
  }
  return largest
}
