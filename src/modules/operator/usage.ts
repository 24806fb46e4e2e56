import type { Static } from 'typebox'
import { findNames, findOverview } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { DAY_MS, readDays, readTop } from '#platform/usage/read-usage.ts'
import { fromSeconds } from '#vocabulary/time.ts'
import { askCells, type CellContext, presentAsked } from './ask-cells.ts'
import { businessNotFound, cellNotAnswering, rangeBackwards, rangeTooLong } from './errors.ts'
import type { TopUsageQuery, UsageQuery } from './schemas.ts'

type Context = CellContext & { control: ControlDb }

const BY_DEFAULT_DAYS = 30
const MOST_DAYS = 400

export async function readUsage(context: Context, id: string, query: Static<typeof UsageQuery>) {
  const business = await findOverview(context.control, id)
  if (!business) throw businessNotFound()
  const to = query.to === undefined ? now() : fromSeconds(query.to)
  const from = query.from === undefined ? new Date(to.getTime() - BY_DEFAULT_DAYS * DAY_MS) : fromSeconds(query.from)
  if (from >= to) throw rangeBackwards()
  if (to.getTime() - from.getTime() > MOST_DAYS * DAY_MS) throw rangeTooLong({ days: MOST_DAYS })
  const [answer] = await askCells(context, (tx) => readDays(tx, id, from, to), business.cell)
  if (!answer?.value) throw cellNotAnswering({ cell: business.cell })
  return {
    items: answer.value.map(({ day, ...used }) => ({ day: day.toISOString().slice(0, 10), ...used })),
  }
}

const WINDOWS = { hour: 3_600_000, day: DAY_MS }

/** Each cell names its first ones; the first of those are the first of all. */
export async function readTopUsage(context: Context, query: Static<typeof TopUsageQuery>) {
  const { window = 'hour', by = 'requests', limit = 20 } = query
  const answers = await askCells(context, (tx) => readTop(tx, nowMs() - WINDOWS[window], by, limit))
  const top = answers
    .flatMap(({ cell, value = [] }) => value.map((used) => ({ cell, ...used })))
    .toSorted((a, b) => b[by] - a[by] || (a.businessId < b.businessId ? -1 : 1))
    .slice(0, limit)
  const names = await findNames(
    context.control,
    top.map(({ businessId }) => businessId),
  )
  return {
    items: top.map((used) => ({ ...used, businessName: names.get(used.businessId) ?? null })),
    cells: presentAsked(answers),
  }
}
