import pino from 'pino'
import { RULES } from '#apps/rules.ts'
import { checkNext, type Rule } from '#modules/checks/index.ts'
import type { Db } from '#platform/database/database.ts'

type Options = {
  worker?: string
  rules?: readonly Rule[]
  limits?: { pieceMs: number; wholeMs: number }
  /** Log lines are pushed here. */
  lines?: string[]
}

/** What the worker does all the time, once and without a rest: one piece of a check. Answers whether there was something to do. */
export const checkOnce = (
  db: Db,
  { worker = 'a worker', rules = RULES, limits = { pieceMs: 20_000, wholeMs: 20_000 }, lines = [] }: Options = {},
): Promise<boolean> => {
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  return checkNext({ db, worker, rules, log, limits }, new AbortController().signal, { night: 1, person: 1 })
}

/** Until there is nothing to check any more. */
export async function checkAll(db: Db, options: Options = {}): Promise<number> {
  let steps = 0
  while (await checkOnce(db, options)) steps++
  return steps
}
