import { createChecker } from '#platform/http/validation.ts'
import { collectDetails } from '#vocabulary/block-values.ts'
import type { Business } from '#vocabulary/business.ts'
import * as refusal from './errors.ts'
import { type Change, KINDS, type NewBulkEdit } from './schemas.ts'

const KNOWN = KINDS.map((kind) => {
  const { field, op } = kind.properties as unknown as { field: { enum: string[] }; op: { enum: string[] } }
  return { fields: field.enum, ops: op.enum, check: createChecker(kind) }
})

/** The changes as they were sent, each checked as what its field and operation say it is. */
export function readChanges(sent: NewBulkEdit['changes'], { markets }: Pick<Business, 'markets'>): Change[] {
  const { report, throwIfAny } = collectDetails()
  const changes = sent.map((change, index): Change[] => {
    const { field, op } = change
    const kind = KNOWN.find(({ fields, ops }) => fields.includes(field) && ops.includes(op))
    if (!kind) {
      report(refusal.operationUnknown.asDetail({ index, op, field }))
      return []
    }
    const read = kind.check(change)
    if ('details' in read) {
      for (const detail of read.details) report({ ...detail, field: `changes.${index}.${detail.field}` })
      return []
    }
    const { value } = read
    if (value.op === 'round' && value.ending >= value.to) report(refusal.endingTooLarge.asDetail({ index }))
    if (value.field === 'price' && !markets.some(({ id }) => id === value.marketId))
      report(refusal.marketOfChangeUnknown.asDetail({ index, marketId: value.marketId }))
    return [value]
  })
  throwIfAny()
  return changes.flat()
}
