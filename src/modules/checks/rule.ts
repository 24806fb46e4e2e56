/** Something that must be true of a business, and a query of all that breaks it. */
export type Rule = {
  /** How the API names it: `stock-ledger`. */
  name: string
  /** The same as a sentence. */
  says: string
  /** Selects `business_id` and what is wrong. Conditions on `business_id`, and on the key of its pieces, reach every table's index. */
  query: string
  /** How it is checked a piece at a time where there is much: by ranges of a column that an index has after `business_id`. */
  pieces: Pieces | undefined
}

export type Pieces = {
  /** The column of the query. */
  key: string
  /** Where the ranges come from: `orders.orders`, `id`, and which of its rows. */
  table: string
  column: string
  where: string | undefined
  /** About how many rows of that table are a piece. */
  size: number
}

const PIECE_ROWS = 10_000

/**
 * Reads rules from a file of SQL. Each begins with `-- check <name>: <sentence>`. A line `-- pieces: <key> of <table> (<column>)`
 * may follow, with `where <condition>` and `, <number> at a time`.
 */
export function readRules(text: string): Rule[] {
  const [, ...parts] = text.split(/^-- check /m)
  return parts.map((part) => {
    const [, name = '', says = '', body = ''] = /^([a-z-]+): (.+)\n([^]*)$/.exec(part) ?? []
    const pieces = /^-- pieces: (\w+) of ([\w.]+) \((\w+)\)(?: where ([^,\n]+))?(?:, (\d+) at a time)?\n/.exec(body)
    if (!name || (!pieces && body.startsWith('-- pieces'))) throw new Error(`This is no rule: ${part.slice(0, 200)}`)
    const [head = '', key = '', table = '', column = '', where, size = PIECE_ROWS] = pieces ?? []
    return {
      name,
      says: says.trim(),
      query: body.slice(head.length).trim(),
      pieces: pieces ? { key, table, column, where, size: Number(size) } : undefined,
    }
  })
}

/** Rules that are checked together: those with the same pieces, so that each piece is read from disk once; or one alone. */
export type Task = { rules: Rule[]; pieces: Pieces | undefined }

/** As it is kept beside a place in it: with other rules, or other pieces, it is another task. */
export const nameOf = ({ rules, pieces }: Task) => JSON.stringify([rules.map(({ name }) => name), pieces ?? null])

export function tasksOf(rules: readonly Rule[]): Task[] {
  const tasks = new Map<string, Task>()
  for (const rule of rules) {
    const key = rule.pieces ? JSON.stringify(rule.pieces) : rule.name
    const task = tasks.get(key) ?? { rules: [], pieces: rule.pieces }
    task.rules.push(rule)
    tasks.set(key, task)
  }
  return [...tasks.values()]
}
