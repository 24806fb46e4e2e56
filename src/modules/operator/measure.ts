import { Type } from 'typebox'
import { type Figures, listIdsOfCell, saveFigures, saveRows } from '#modules/access/index.ts'
import type { Db } from '#platform/database/database.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { countDeadByBusiness } from '#platform/jobs/graphile-internals.ts'
import { estimateRows } from '#platform/usage/estimate-rows.ts'
import { readLastDay, rollUp, saveSizes } from '#platform/usage/read-usage.ts'

/** What the app hands in of other modules, each for all businesses of a cell. */
export type Measured = {
  listUsedBytes: (cell: Db) => Promise<readonly { businessId: string; bytes: number }[]>
  countStoppedSends: (cell: Db) => Promise<readonly { businessId: string; count: number }[]>
  listChecked: (cell: Db) => Promise<readonly { businessId: string; checkedAt: Date; brokenRules: number }[]>
}

const NOTHING = {
  mediaBytes: 0,
  requests: 0,
  mails: 0,
  jobs: 0,
  deadJobs: 0,
  stoppedSends: 0,
  checkedAt: null,
  brokenRules: 0,
}
const BUSINESSES_AT_ONCE = 1_000

/** Tells control what the businesses of a cell use, so that operators see all cells in one order. */
export const measureUse = ({ listUsedBytes, countStoppedSends, listChecked }: Measured) =>
  defineJob({
    name: 'operator.measure-use',
    on: 'cell',
    payload: Type.Object({}),
    cron: '*/10 * * * *',
    maxAttempts: 1, // the next one comes soon
    async run(_payload, { db, control }) {
      await rollUp(db)
      const told = new Map<string, Figures>()
      const add = (businessId: string, more: Partial<Figures>) =>
        told.set(businessId, { ...NOTHING, ...told.get(businessId), ...more, businessId })
      for (const { businessId, ...used } of await readLastDay(db)) add(businessId, used)
      for (const { businessId, bytes } of await listUsedBytes(db)) add(businessId, { mediaBytes: bytes })
      for (const { businessId, count } of await countDeadByBusiness(db)) add(businessId, { deadJobs: count })
      for (const { businessId, count } of await countStoppedSends(db)) add(businessId, { stoppedSends: count })
      for (const { businessId, ...checked } of await listChecked(db)) add(businessId, checked)
      await saveFigures(control, db.name, [...told.values()])
    },
  })

export const estimateSizes = ({ listUsedBytes }: Measured) =>
  defineJob({
    name: 'operator.estimate-sizes',
    on: 'cell',
    payload: Type.Object({}),
    cron: '41 3 * * *',
    maxAttempts: 3,
    async run(_payload, { db, control, signal }) {
      const bytes = new Map((await listUsedBytes(db)).map((used) => [used.businessId, used.bytes]))
      for await (const ids of listIdsOfCell(control, db.name, BUSINESSES_AT_ONCE)) {
        if (signal.aborted) return
        const rows = await estimateRows(db, ids)
        await saveSizes(db, new Map(ids.map((id) => [id, { rows: rows.get(id) ?? 0, mediaBytes: bytes.get(id) ?? 0 }])))
        await saveRows(control, rows)
      }
    },
  })
