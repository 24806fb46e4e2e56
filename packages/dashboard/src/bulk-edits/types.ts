import type { Answer } from '@kontor/sdk'

export type BulkEdit = Answer<'getBulkEdit'>
export type Item = Answer<'listBulkEditItems'>['items'][number]
export type FieldChange = Item['changes'][number]
export type Change = BulkEdit['changes'][number]
export type Warning = Item['warnings'][number]

export const isRunning = ({ status }: Pick<BulkEdit, 'status'>) =>
  status === 'DRY_RUN' || status === 'APPLYING' || status === 'UNDOING'

/** Products that it has still to change, because it was stopped. */
export const leftOf = ({ changing, applied, skipped }: BulkEdit) => changing - applied - skipped
