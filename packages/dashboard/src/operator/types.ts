import type { Answer } from '@kontor/sdk'

export type Overview = Answer<'readOperatorOverview'>
export type Cell = Overview['cells'][number]
export type Placement = Cell['placement']
export type Process = Overview['processes'][number]

export type Business = Answer<'listOperatorBusinesses'>['items'][number]
export type BusinessDetail = Answer<'getOperatorBusiness'>

export type Exports = Answer<'listOperatorExports'>
export type Export = Exports['items'][number]

type Jobs = Answer<'listOperatorJobs'>
export type DeadJob = Jobs['items'][number]
export type JobQueue = Jobs['queues'][number]
/** Whether a cell that was asked has answered. */
export type AskedCell = Jobs['cells'][number]
export type ChangedJobs = Answer<'retryJobs'>

export type Send = Answer<'listOperatorSends'>['items'][number]
export type AuditEntry = Answer<'listOperatorAudit'>['items'][number]
