import { Type } from 'typebox'
import { Count, defineEvent } from '#platform/events/define.ts'

export const checkFailed = defineEvent('check.failed', {
  subject: 'business',
  note: 'A rule of the books no longer holds. Once for each rule, until it holds again.',
  data: Type.Object({ rule: Type.String({ maxLength: 100, examples: ['stock-ledger'] }), count: Count }),
})
