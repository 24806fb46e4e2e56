import { Type } from 'typebox'
import { foldCounts } from './cells/cells.ts'
import { maintainPartitions, type PartitionedLog } from './database/partitions.ts'
import { EVENT_LOG } from './events/sequencer.ts'
import { pruneIdempotencyKeys } from './http/idempotency.ts'
import { type AnyJob, defineJob } from './jobs/define.ts'

const Nothing = Type.Object({})

/** Cleanup jobs of the platform itself. `controlLogs`: the partitioned logs of the control database's modules. */
export const maintenanceJobs = (controlLogs: readonly PartitionedLog[]): AnyJob[] => [
  defineJob({
    name: 'platform.tidy-cell',
    on: 'cell',
    payload: Nothing,
    cron: '17 * * * *',
    async run(_payload, { db, log }) {
      const dropped = await maintainPartitions(db, EVENT_LOG)
      log.info({ forgotten: await pruneIdempotencyKeys(db), dropped }, 'tidied')
    },
  }),
  defineJob({
    name: 'platform.tidy-control',
    on: 'control',
    payload: Nothing,
    cron: '27 * * * *',
    async run(_payload, { db, log }) {
      const dropped = (await Promise.all(controlLogs.map((table) => maintainPartitions(db, table)))).flat()
      await foldCounts(db)
      log.info({ forgotten: await pruneIdempotencyKeys(db), dropped }, 'tidied')
    },
  }),
]
