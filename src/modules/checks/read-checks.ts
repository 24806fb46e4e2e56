import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { PAUSE_MS } from './ask.ts'
import type { Example } from './find-broken.ts'
import type { Rule } from './rule.ts'
import type { Checks } from './schemas.ts'

export async function readChecks(db: Db, businessId: string, rules: readonly Rule[]): Promise<Checks> {
  const [checked, broken, run] = await Promise.all([
    db.selectFrom('checks.businesses').selectAll().where('businessId', '=', businessId).executeTakeFirst(),
    db.selectFrom('checks.broken').selectAll().where('businessId', '=', businessId).execute(),
    db.selectFrom('checks.runs').selectAll().where('businessId', '=', businessId).executeTakeFirst(),
  ])
  const brokenByRule = new Map(broken.map((row) => [row.rule, row]))
  const known = new Set(checked?.rules).difference(new Set(checked?.unchecked))
  const askAgainMs = (checked?.askedAt?.getTime() ?? -PAUSE_MS) + PAUSE_MS
  return {
    startedAt: checked?.startedAt ? toSeconds(checked.startedAt) : null,
    finishedAt: checked?.finishedAt ? toSeconds(checked.finishedAt) : null,
    items: rules.map(({ name, says }) => {
      const found = brokenByRule.get(name)
      return {
        rule: name,
        says,
        holds: found ? false : known.has(name) ? true : null,
        count: found?.count ?? 0,
        examples: (found?.examples ?? []) as Example[],
        since: found ? toSeconds(found.since) : null,
      }
    }),
    run: run
      ? {
          status: run.startedAt ? 'RUNNING' : 'WAITING',
          isNightly: run.isNightly,
          startedAt: run.startedAt ? toSeconds(run.startedAt) : null,
          rulesDone: run.done.length,
          rulesTotal: rules.length,
          rowsLookedAt: run.rows,
        }
      : null,
    canRunAt: askAgainMs > nowMs() ? toSeconds(new Date(askAgainMs)) : null,
  }
}
