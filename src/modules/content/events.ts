import { Type } from 'typebox'
import { defineEvent, FieldNames, Nothing } from '#platform/events/define.ts'
import { OneOf } from '#vocabulary/schemas.ts'
import { CONTENT_STATUSES, Owner } from './schemas.ts'

const Saved = Type.Object({ owner: Owner, status: OneOf(CONTENT_STATUSES) })

export const collectionCreated = defineEvent('collection.created', { subject: 'collection', data: Nothing })
export const collectionUpdated = defineEvent('collection.updated', {
  subject: 'collection',
  note: 'With the fields that were sent.',
  data: Type.Object({ fields: FieldNames }),
})
export const collectionDeleted = defineEvent('collection.deleted', { subject: 'collection', data: Nothing })

export const entryCreated = defineEvent('entry.created', { subject: 'entry', data: Saved })
export const entryUpdated = defineEvent('entry.updated', { subject: 'entry', data: Saved })
export const entryPublished = defineEvent('entry.published', {
  subject: 'entry',
  note: 'Besides `entry.created` or `entry.updated`.',
  data: Saved,
})
export const entryPublishFailed = defineEvent('entry.publish_failed', {
  subject: 'entry',
  note: 'It no longer fits its schema at its `publishAt`. Besides `entry.updated`. Needs a person.',
  data: Type.Object({
    details: Type.Array(
      Type.Object({
        field: Type.String({ examples: ['blocks.0.value'] }),
        error: Type.String({ examples: ['REQUIRED'] }),
      }),
    ),
  }),
})
export const entryDeleted = defineEvent('entry.deleted', { subject: 'entry', data: Type.Object({ owner: Owner }) })
