import type { Answer } from '@kontor/sdk'

export type Import = Answer<'getImport'>
export type Line = Answer<'listImportLines'>['items'][number]
export type LineDetails = Answer<'getImportLine'>
export type Change = Line['changes'][number]
export type Warning = Line['warnings'][number]
export type Sent = NonNullable<LineDetails['product']>

/** A worker is at it. */
export const isWorking = ({ status }: Import) => ['RECEIVING', 'DRY_RUN', 'RUNNING', 'UNDOING'].includes(status)

export const canUndo = ({ status, isUndoable, created, updated }: Import) =>
  (status === 'DONE' || status === 'STOPPED') && isUndoable && created + updated > 0
