import { sql, type Transaction } from 'kysely'

/**
 * Does a part of a transaction that may fail. Returns the error if it is an expected one: then the transaction goes on as if
 * nothing had happened.
 */
export async function attempt<Tables>(
  tx: Transaction<Tables>,
  work: () => Promise<unknown>,
  isExpected: (error: unknown) => boolean,
): Promise<Error | undefined> {
  await sql`savepoint attempt`.execute(tx)
  try {
    await work()
    await sql`release savepoint attempt`.execute(tx)
    return undefined
  } catch (error) {
    if (!isExpected(error)) throw error
    await sql`rollback to savepoint attempt`.execute(tx)
    await sql`release savepoint attempt`.execute(tx)
    return error as Error
  }
}
