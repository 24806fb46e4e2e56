import { operation } from '#platform/http/operation.ts'
import { PageOf } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

const tags = ['Operator']
const config = { access: 'operator', business: 'none' } as const
const PROOF = 'Needs a proof of at most 10 minutes ago, and is written down.'

export const readOverview = operation({
  method: 'GET',
  url: '/overview',
  config,
  schema: {
    operationId: 'readOperatorOverview',
    tags,
    summary: 'How the service is',
    description:
      'Processes and their versions, workers, cells with their lag, providers. A cell that does not answer is said to be so.',
    response: { 200: shape.OperatorOverview },
  },
})

export const listCells = operation({
  method: 'GET',
  url: '/cells',
  config,
  schema: {
    operationId: 'listOperatorCells',
    tags,
    summary: 'List cells',
    description: 'Each is asked side by side, for 2 seconds at most.',
    response: { 200: shape.OperatorCells },
  },
})

export const setCell = operation({
  method: 'PUT',
  url: '/cells/:id',
  config,
  schema: {
    operationId: 'setOperatorCell',
    tags,
    summary: 'Open, close, drain or switch off a cell',
    description: `What is not sent stays. Processes follow within some seconds. 409 \`IN_USE\`: it is to be switched off, and businesses live there, who would get 503. ${PROOF}`,
    params: shape.CellParams,
    body: shape.CellBody,
    response: { 200: shape.OperatorCell },
  },
})

export const listBusinesses = operation({
  method: 'GET',
  url: '/businesses',
  config,
  schema: {
    operationId: 'listOperatorBusinesses',
    tags,
    summary: 'List all businesses',
    description: 'Of all cells. Sizes, use and health are copies, as old as `measuredAt`.',
    querystring: shape.BusinessesQuery,
    response: { 200: shape.OperatorBusinesses },
  },
})

export const getBusiness = operation({
  method: 'GET',
  url: '/businesses/:id',
  config,
  schema: {
    operationId: 'getOperatorBusiness',
    tags,
    summary: 'Get a business',
    params: shape.BusinessParams,
    response: { 200: shape.OperatorBusinessDetail },
  },
})

export const suspendBusiness = operation({
  method: 'POST',
  url: '/businesses/:id/suspend',
  config,
  schema: {
    operationId: 'suspendBusiness',
    tags,
    summary: 'Suspend a business',
    description: `Its routes refuse everybody from the next request on, and its letters pause. Payments under way and orders that expire are still completed, and readers can still unsubscribe. 409 \`WRONG_STATE\` if it is suspended already. ${PROOF}`,
    params: shape.BusinessParams,
    body: shape.SuspendBody,
    response: { 200: shape.OperatorBusinessDetail },
  },
})

export const resumeBusiness = operation({
  method: 'POST',
  url: '/businesses/:id/resume',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'resumeBusiness',
    tags,
    summary: 'Open a suspended business again',
    description: `Letters that were paused stay so until its people resume them. 409 \`WRONG_STATE\` if it is not suspended. ${PROOF}`,
    params: shape.BusinessParams,
    response: { 200: shape.OperatorBusinessDetail },
  },
})

export const deleteBusiness = operation({
  method: 'DELETE',
  url: '/businesses/:id',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'deleteOperatorBusiness',
    tags,
    summary: 'Delete a business, after 30 days',
    description: `Closes it at once, pauses its letters and mails its members. A worker deletes every row and file of it at \`deleteAt\`. 409 \`WRONG_STATE\` if it is going to be deleted already, or is being imported. ${PROOF}`,
    params: shape.BusinessParams,
    querystring: shape.DeleteBusinessQuery,
    response: { 202: shape.OperatorBusinessDetail },
  },
})

export const undeleteBusiness = operation({
  method: 'POST',
  url: '/businesses/:id/undelete',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'undeleteOperatorBusiness',
    tags,
    summary: 'Keep a business that was to be deleted',
    description: `It is as it was before, but for letters, which stay paused until its people resume them. 409 \`WRONG_STATE\` if nobody wants it deleted, or if its time is up. ${PROOF}`,
    params: shape.BusinessParams,
    response: { 200: shape.OperatorBusinessDetail },
  },
})

export const startExport = operation({
  method: 'POST',
  url: '/businesses/:id/exports',
  config,
  schema: {
    operationId: 'startOperatorExport',
    tags,
    summary: 'Have an archive of a business made',
    description: `A worker writes all that it has, as of one moment, into the store; it can go on selling. Secrets are not in it. One at a time (409 \`WRONG_STATE\`); 503 where no store is set. ${PROOF}`,
    params: shape.BusinessParams,
    body: shape.BusinessExportBody,
    response: { 202: shape.OperatorExport },
  },
})

export const listExports = operation({
  method: 'GET',
  url: '/businesses/:id/exports',
  config,
  schema: {
    operationId: 'listOperatorExports',
    tags,
    summary: 'List the archives of a business',
    description:
      'Those that were made here within three days. An archive that the command line writes is not among them.',
    params: shape.BusinessParams,
    response: { 200: shape.OperatorExports },
  },
})

export const linkExport = operation({
  method: 'POST',
  url: '/businesses/:id/exports/:exportId/link',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'linkOperatorExport',
    tags,
    summary: 'Get an address to fetch an archive from',
    description: `Good for five minutes, for whoever has it. 409 \`WRONG_STATE\` while the archive is being made, or if it could not be. ${PROOF}`,
    params: shape.ExportParams,
    response: { 200: shape.ExportLink },
  },
})

export const setLimits = operation({
  method: 'PUT',
  url: '/businesses/:id/limits',
  config,
  schema: {
    operationId: 'setOperatorLimits',
    tags,
    summary: 'Set limits for one business',
    description: `What is not sent stays. Requests over \`requestsPerMinute\` are answered 429; those over \`requestsAtOnce\` wait shortly, then are answered 503; jobs wait; files are answered 409 \`QUOTA_EXCEEDED\`, letters 409 \`LIMIT_REACHED\`; letters under way go on the next day. Heeded from the next request on; by workers within 10 seconds. ${PROOF}`,
    params: shape.BusinessParams,
    body: shape.LimitsBody,
    response: { 200: shape.OperatorBusinessDetail },
  },
})

export const readUsage = operation({
  method: 'GET',
  url: '/businesses/:id/usage',
  config,
  schema: {
    operationId: 'readOperatorUsage',
    tags,
    summary: 'What a business uses, day by day',
    description: 'Counted in the processes, and up to 10 seconds behind.',
    params: shape.BusinessParams,
    querystring: shape.UsageQuery,
    response: { 200: shape.BusinessUsage },
  },
})

export const readTopUsage = operation({
  method: 'GET',
  url: '/usage',
  config,
  schema: {
    operationId: 'listOperatorUsage',
    tags,
    summary: 'Who uses most',
    description: 'Of all cells, within the last hour or day.',
    querystring: shape.TopUsageQuery,
    response: { 200: shape.TopUsage },
  },
})

export const listJobs = operation({
  method: 'GET',
  url: '/jobs',
  config,
  schema: {
    operationId: 'listOperatorJobs',
    tags,
    summary: 'Queues and dead jobs',
    description: 'How many jobs there are of each kind, and those that are out of attempts, the last to die first.',
    querystring: shape.JobsQuery,
    response: { 200: shape.OperatorJobs },
  },
})

export const retryJob = operation({
  method: 'POST',
  url: '/jobs/:id/retry',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'retryJob',
    tags,
    summary: 'Retry a dead job',
    description: `At once, with all its attempts. 409 \`WRONG_STATE\` if it is not dead. ${PROOF}`,
    params: shape.JobParams,
    response: { 200: shape.ChangedJobs },
  },
})

export const discardJob = operation({
  method: 'POST',
  url: '/jobs/:id/discard',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'discardJob',
    tags,
    summary: 'Discard a dead job',
    description: `It is never done, and cannot be brought back. 409 \`WRONG_STATE\` if it is not dead. ${PROOF}`,
    params: shape.JobParams,
    response: { 200: shape.ChangedJobs },
  },
})

export const retryJobs = operation({
  method: 'POST',
  url: '/jobs/retry',
  config,
  schema: {
    operationId: 'retryJobs',
    tags,
    summary: 'Retry dead jobs',
    description: `All of a kind, a cell or a business; 1,000 in each cell at a time. ${PROOF}`,
    body: shape.DeadJobsBody,
    response: { 200: shape.ChangedJobs },
  },
})

export const discardJobs = operation({
  method: 'POST',
  url: '/jobs/discard',
  config,
  schema: {
    operationId: 'discardJobs',
    tags,
    summary: 'Discard dead jobs',
    description: `All of a kind, a cell or a business; 1,000 in each cell at a time. They cannot be brought back. ${PROOF}`,
    body: shape.DeadJobsBody,
    response: { 200: shape.ChangedJobs },
  },
})

export const listSends = operation({
  method: 'GET',
  url: '/sends',
  config,
  schema: {
    operationId: 'listOperatorSends',
    tags,
    summary: 'Letters of all businesses',
    description: 'Those that are under way, have stopped or did not reach everybody; newest first. Not what they say.',
    querystring: shape.SendsQuery,
    response: { 200: shape.OperatorSends },
  },
})

export const listAudit = operation({
  method: 'GET',
  url: '/audit',
  config,
  schema: {
    operationId: 'listOperatorAudit',
    tags,
    summary: 'What operators have changed',
    description: 'Newest first; also on the command line, then without `actorId`.',
    querystring: shape.OperatorAuditQuery,
    response: { 200: PageOf(shape.OperatorAuditEntry) },
  },
})
