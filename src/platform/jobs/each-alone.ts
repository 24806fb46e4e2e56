import type { FastifyBaseLogger } from 'fastify'
import { isCanceled, isDatabaseUnavailable, isLockTimeout, isServerAnswer } from '../database/errors.ts'

type Log = Pick<FastifyBaseLogger, 'error'>

type Options = {
  log: Log
  failed: string
  /** All of it is one transaction: an error of the database has ended it for the others, too. */
  isTransaction?: boolean
}

/** Does the same for many, one after another. One that fails is logged, and does not stop the others. Returns those that failed. */
export async function eachAlone<Item extends { businessId: string }>(
  items: Iterable<Item>,
  { log, failed, isTransaction = false }: Options,
  work: (item: Item) => Promise<unknown>,
): Promise<Item[]> {
  const failures: Item[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      if (isOutage(error) || (isTransaction && isServerAnswer(error))) throw error
      failures.push(item)
      log.error({ err: error, businessId: item.businessId }, failed)
    }
  }
  return failures
}

/** A timeout may come from the item: it is large, or its rows are locked. */
const isOutage = (error: unknown) => isDatabaseUnavailable(error) && !isCanceled(error) && !isLockTimeout(error)

type Due = { businessId: string; id: string }
type Batches = {
  log: Log
  signal: AbortSignal
  failed: string
  limit: number
  /** The next that are due, none of these businesses. */
  list: (except: readonly string[]) => Promise<Due[]>
  work: (businessId: string, ids: string[]) => Promise<unknown>
}

/** Works off what is due, batch by batch. A business that fails is left out for the rest of the run. */
export async function eachBusinessAlone({ log, signal, failed, limit, list, work }: Batches): Promise<void> {
  const except: string[] = []
  while (!signal.aborted) {
    const due = await list(except)
    const ofOne = Array.from(
      Map.groupBy(due, ({ businessId }) => businessId),
      ([businessId, rows]) => ({ businessId, ids: rows.map(({ id }) => id) }),
    )
    const failures = await eachAlone(ofOne, { log, failed }, ({ businessId, ids }) => work(businessId, ids))
    except.push(...failures.map(({ businessId }) => businessId))
    if (due.length < limit) return
  }
}
