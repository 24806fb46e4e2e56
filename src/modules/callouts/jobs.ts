import { Type } from 'typebox'
import { defineJob } from '#platform/jobs/define.ts'
import { forgetAnswers } from './queries.ts'

export const forgetOldAnswers = defineJob({
  name: 'callouts.forget-answers',
  on: 'cell',
  payload: Type.Object({}),
  cron: '*/10 * * * *',
  async run(_payload, { db, log }) {
    log.info({ forgotten: await forgetAnswers(db) }, 'kept answers of services forgotten')
  },
})
