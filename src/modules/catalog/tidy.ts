import { Type } from 'typebox'
import { nowMs } from '#platform/clock.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { dropImport } from './imports.ts'

const KEEP_DAYS = 30
const RECEIVING_HOURS = 2

/** Forgets old imports with their failed lines, and uploads that never ended. */
export const tidyImports = defineJob({
  name: 'catalog.tidy-imports',
  on: 'cell',
  payload: Type.Object({}),
  cron: '52 * * * *',
  async run(_payload, { db, signal }) {
    const before = (hours: number) => new Date(nowMs() - hours * 3_600_000)
    const old = await db
      .selectFrom('catalog.imports')
      .select(['businessId', 'id'])
      .where((row) =>
        row.or([
          row('createdAt', '<', before(KEEP_DAYS * 24)).and('status', '=', 'DONE'),
          row('createdAt', '<', before(RECEIVING_HOURS)).and('status', '=', 'RECEIVING'),
        ]),
      )
      .limit(1_000)
      .execute()
    for (const { businessId, id } of old) {
      if (signal.aborted) return
      await dropImport(db, businessId, id)
    }
  },
})
