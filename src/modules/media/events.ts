import { Type } from 'typebox'
import { defineEvent, FieldNames, Nothing } from '#platform/events/define.ts'
import { Nullable, OneOf } from '#vocabulary/schemas.ts'
import { PROBLEMS } from './problems.ts'

const Side = Nullable(Type.Integer({ minimum: 1, examples: [3000] }))

export const mediaReady = defineEvent('media.ready', {
  subject: 'media',
  note: 'It was uploaded and checked, and its renditions are there.',
  data: Type.Object({ mimeType: Type.String({ examples: ['image/jpeg'] }), width: Side, height: Side }),
})
export const mediaRejected = defineEvent('media.rejected', {
  subject: 'media',
  data: Type.Object({ problem: OneOf(PROBLEMS, { description: 'As in the record.' }) }),
})
export const mediaUpdated = defineEvent('media.updated', {
  subject: 'media',
  note: 'With the fields that were sent. Records that show it are changed soon after, and tell it by their own events.',
  data: Type.Object({ fields: FieldNames }),
})
export const mediaDeleted = defineEvent('media.deleted', {
  subject: 'media',
  note: 'Also when nothing was uploaded within a day.',
  data: Nothing,
})
