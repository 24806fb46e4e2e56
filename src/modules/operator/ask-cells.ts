import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Cell, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Watch } from '#platform/database/watch.ts'
import { withTimeout } from '#platform/with-timeout.ts'

/** How long a page waits for a cell. A statement that takes longer is ended there, too. */
const ANSWER_MS = 2_000
const AWAY: readonly string[] = ['down', 'silent']

export type CellContext = {
  cells: ReadonlyMap<string, Cell>
  watch: Pick<Watch, 'cells'>
  log: FastifyBaseLogger
}

export type CellAnswer<Value> = {
  cell: string
  /** Undefined: it has not answered, and `problem` says why. */
  value: Value | undefined
  problem: string | null
}

/** Asks cells side by side. One that is away, or too slow, is said to be so, and holds up nobody. */
export const askCells = <Value>(
  { cells, watch, log }: CellContext,
  ask: (tx: Tx, cell: string) => Promise<Value>,
  only?: string,
): Promise<CellAnswer<Value>[]> =>
  Promise.all(
    [...cells]
      .filter(([name]) => only === undefined || name === only)
      .map(async ([name, cell]): Promise<CellAnswer<Value>> => {
        const state = watch.cells.get(name)?.state
        if (state && AWAY.includes(state)) return { cell: name, value: undefined, problem: `The database is ${state}.` }
        try {
          const asked = transaction(cell, async (tx) => {
            await sql`set local statement_timeout = ${sql.lit(ANSWER_MS)}`.execute(tx)
            return ask(tx, name)
          })
          return { cell: name, value: await withTimeout(ANSWER_MS, asked, tooSlow), problem: null }
        } catch (error) {
          log.warn({ err: error, cell: name }, 'a cell did not answer an operator')
          return { cell: name, value: undefined, problem: problemOf(error) }
        }
      }),
  )

class TooSlow extends Error {}
const tooSlow = () => new TooSlow('The cell has not answered in time')

/** Not the error itself, which may name hosts and users; the log has it. */
const problemOf = (error: unknown) =>
  error instanceof TooSlow || (error as { code?: unknown }).code === '57014'
    ? `It has not answered within ${ANSWER_MS / 1000} s.`
    : 'It cannot be asked: the log says why.'

/** What the page says of each cell that it asked. */
export const presentAsked = (answers: readonly CellAnswer<unknown>[]) =>
  answers.map(({ cell, value, problem }) => ({ cell, isAnswering: value !== undefined, problem }))
