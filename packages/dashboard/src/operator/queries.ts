import type { Input, OperationId } from '@kontor/sdk'
import { invalidate, pages, query } from '../api/query.ts'
import type { Export, Exports } from './types.ts'

/** No stream of events spans the businesses: what is looked at is asked for again. */
const EVERY_MS = 15_000
const WHILE_MADE_MS = 2_000
const PAGE = 50
const MOST = 100
const FOUND = 5

type Asked<Id extends OperationId> = Input<Id> extends { query?: infer Query } ? NonNullable<Query> : never

export const overviewQuery = () => ({ ...query('-', 'readOperatorOverview'), refetchInterval: EVERY_MS })

export const businessesPages = (asked: Asked<'listOperatorBusinesses'>) => ({
  ...pages('-', 'listOperatorBusinesses', { query: { limit: PAGE, ...asked } }),
  refetchInterval: EVERY_MS,
})

/** Those that fit what was typed into the palette. */
export const foundQuery = (typed: string) =>
  query('-', 'listOperatorBusinesses', { query: { query: typed, limit: FOUND } })

export const businessQuery = (id: string) => query('-', 'getOperatorBusiness', { path: { id } })

/** Asked more often while one is being made: somebody waits for it. */
export const exportsQuery = (id: string) => ({
  ...query('-', 'listOperatorExports', { path: { id } }),
  refetchInterval: ({ state }: { state: { data?: Exports | undefined } }) =>
    state.data?.items.some(isUnderWay) ? WHILE_MADE_MS : EVERY_MS,
})

export const isUnderWay = ({ status }: Pick<Export, 'status'>) => status === 'PENDING' || status === 'RUNNING'

export const usageQuery = (id: string) => query('-', 'readOperatorUsage', { path: { id } })

/** The first hundred, with how many there are of each kind. */
export const jobsQuery = (asked: Asked<'listOperatorJobs'> = {}) => ({
  ...query('-', 'listOperatorJobs', { query: { limit: MOST, ...asked } }),
  refetchInterval: EVERY_MS,
})

export const sendsPages = (asked: Asked<'listOperatorSends'>) => ({
  ...pages('-', 'listOperatorSends', { query: { limit: PAGE, ...asked } }),
  refetchInterval: EVERY_MS,
})

export const auditPages = (asked: Asked<'listOperatorAudit'> = {}) =>
  pages('-', 'listOperatorAudit', { query: { limit: PAGE, ...asked } })

/** Something was changed: whatever of this part is on the screen is read again. */
export const readAgain = () => invalidate('-', /perator/)
