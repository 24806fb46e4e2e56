import { Type } from 'typebox'
import { defineEvent, FieldNames } from '#platform/events/define.ts'
import { idOf } from '#vocabulary/schemas.ts'

export const customerUpdated = defineEvent('customer.updated', {
  subject: 'user',
  note: 'Somebody of the business changed the tags. What orders and subscriptions change is told by their own events.',
  data: Type.Object({ fields: FieldNames }),
})
export const customerCommented = defineEvent('customer.commented', {
  subject: 'user',
  note: 'Without the text.',
  data: Type.Object({ commentId: idOf('cmt', '01jcq3v7k8f5t9x2m4n6p8r0sw') }),
})
