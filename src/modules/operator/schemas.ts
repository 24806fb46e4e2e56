import { type Static, Type } from 'typebox'
import { BUSINESS_HEALTH, BUSINESS_SORTS, BUSINESS_STATES, EXPORT_STATES } from '#modules/access/index.ts'
import { PLACEMENTS } from '#platform/cells/cells.ts'
import { CELL_STATES } from '#platform/database/watch.ts'
import {
  anyOf,
  BusinessId,
  Email,
  Id,
  idOf,
  Name,
  Nullable,
  NullableText,
  OneOf,
  PageOf,
  PageQuery,
  Slug,
  UnixSeconds,
  UserId,
} from '#vocabulary/schemas.ts'

const Count = (description: string, example = 3) => Type.Integer({ minimum: 0, description, examples: [example] })
/** Not 0: whoever is to have nothing at all is suspended. */
const AtOnce = (maximum: number, description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum, description, examples: [example] })

export const CellName = Type.String({
  minLength: 1,
  maxLength: 32,
  pattern: '^[a-z0-9-]+$',
  'x-says': { pattern: 'may hold lower-case letters, digits and hyphens only, such as main' },
  examples: ['main'],
})
export const JobName = Type.String({ minLength: 1, maxLength: 100, examples: ['webhooks.mail-admins'] })

/** Of every page that asks cells. */
export const AskedCell = Type.Object(
  {
    cell: CellName,
    isAnswering: Type.Boolean({ description: 'If not, the page lacks what this cell holds.' }),
    problem: NullableText({ maxLength: 200, description: 'Why it has not answered.', examples: [null] }),
  },
  { title: 'AskedCell' },
)
const asked = Type.Array(AskedCell, { description: 'The cells that were asked, and which of them did not answer.' })

// Businesses

export const BusinessAdmin = Type.Object({ userId: UserId, email: Nullable(Email) }, { title: 'BusinessAdmin' })

export const BusinessLimits = Type.Object(
  {
    requestsPerMinute: Nullable(Count('Requests to its routes, by everybody together.', 6_000)),
    requestsAtOnce: Nullable(
      AtOnce(1_000, 'Requests that each process of the API works on at the same time, instead of its share.', 32),
    ),
    jobsAtOnce: Nullable(
      AtOnce(100, 'Jobs that each worker runs at the same time for each database, instead of its share.', 1),
    ),
    mediaBytes: Nullable(Count('What its files may take up.', 10_000_000_000)),
    mailsPerDay: Nullable(Count('Letters to its readers within a day (UTC).', 50_000)),
  },
  { title: 'BusinessLimits', description: '`null`: as the service is set up for everybody.' },
)

const businessFields = {
  id: BusinessId,
  name: Name,
  slug: Slug,
  cell: CellName,
  cellState: OneOf(CELL_STATES, { description: 'How the database is that it lives in.' }),
  state: OneOf(BUSINESS_STATES, {
    description:
      'All but `ACTIVE` refuse everybody. `DELETING`: it goes at `deleteAt`. `IMPORTING`: an import of it is not finished.',
  }),
  suspendedAt: Nullable(UnixSeconds),
  suspendedReason: NullableText({ maxLength: 500, examples: [null] }),
  deleteAt: Nullable(
    Type.Integer({ ...UnixSeconds, description: 'From then on its rows and files are deleted; `null`: it stays.' }),
  ),
  health: OneOf(BUSINESS_HEALTH, {
    description: '`TROUBLED`: jobs of it are out of attempts, letters of it have stopped, or its books do not balance.',
  }),
  deadJobs: Count('Jobs that are out of attempts.', 0),
  stoppedSends: Count('Letters that a problem has stopped.', 0),
  admins: Type.Array(BusinessAdmin, { description: 'The first five.' }),
  size: Type.Object({
    rows: Count('Records, estimated.', 120_000),
    mediaBytes: Count('What its files take up.', 52_000_000),
  }),
  lastDay: Type.Object(
    {
      requests: Count('Requests to its routes.', 48_000),
      mails: Count('Letters sent to its readers.', 1_200),
      jobs: Count('Jobs run.', 340),
    },
    { description: 'What it used within the last 24 hours.' },
  ),
  measuredAt: Nullable(
    Type.Integer({ ...UnixSeconds, description: 'When sizes, use and health were looked at; `null`: not yet.' }),
  ),
  lastCheck: Nullable(
    Type.Object(
      { checkedAt: UnixSeconds, broken: Count('Rules that do not hold.', 0) },
      { description: 'When its books were last checked, and what came of it.' },
    ),
  ),
  paymentAccount: NullableText({
    maxLength: 8,
    description:
      'The last four characters of the account that gets its money. Only the command line shows and sets it.',
    examples: ['Be2p'],
  }),
  createdAt: UnixSeconds,
}
export const OperatorBusiness = Type.Object(businessFields, { title: 'OperatorBusiness' })
export const OperatorBusinessDetail = Type.Object(
  { ...businessFields, limits: BusinessLimits },
  { title: 'OperatorBusinessDetail' },
)

export const BusinessesQuery = Type.Object({
  ...PageQuery,
  query: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'An id, words of the name or their beginnings, a slug, or the address of an ADMIN or its beginning.',
      examples: ['harbour'],
    }),
  ),
  cell: Type.Optional(CellName),
  state: Type.Optional(OneOf(BUSINESS_STATES)),
  health: Type.Optional(OneOf(BUSINESS_HEALTH)),
  sort: Type.Optional(OneOf(BUSINESS_SORTS, { default: '-createdAt' })),
})
export const OperatorBusinesses = PageOf(OperatorBusiness)
export const BusinessParams = Type.Object({ id: BusinessId })
export const SuspendBody = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '\\S',
      description: 'In the log of the business, too: its people read it.',
      examples: ['Asked for by the owner.'],
    }),
  },
  { additionalProperties: false },
)

export const DeleteBusinessQuery = Type.Object({
  slug: Type.String({ ...Slug, description: 'That of this business, so that no other one is meant.' }),
})

// Exports

export const BusinessExportBody = Type.Object(
  {
    withFiles: Type.Optional(
      Type.Boolean({ default: false, description: 'Puts its files into the archive; else they stay in the store.' }),
    ),
  },
  { additionalProperties: false },
)
export const OperatorExport = Type.Object(
  {
    id: idOf('exp', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    status: OneOf(EXPORT_STATES, {
      description: '`PENDING` until a worker takes it up. `FAILED`: the log of the workers says why.',
    }),
    withFiles: Type.Boolean({ description: 'Whether it holds the files of the business, too.' }),
    rows: Count('Records that are in it so far; `size.rows` of the business is about how many there are.', 120_000),
    size: Nullable(Count('Its bytes, once it is `READY`.', 42_000_000)),
    createdAt: UnixSeconds,
    finishedAt: Nullable(UnixSeconds),
    expiresAt: Type.Integer({ ...UnixSeconds, description: 'Then the archive is deleted from the store.' }),
  },
  {
    title: 'OperatorExport',
    description: 'An archive of all that a business has, as `cli business export` writes it.',
  },
)
export const OperatorExports = Type.Object({
  items: Type.Array(OperatorExport, { description: 'Newest first.' }),
  isPossible: Type.Boolean({ description: 'Whether there is a store (`MEDIA_STORAGE`) that takes archives.' }),
})
export const ExportParams = Type.Object({ id: BusinessId, exportId: idOf('exp', '01jcq3v7k8f5t9x2m4n6p8r0sw') })
export const ExportLink = Type.Object(
  {
    url: Type.String({
      maxLength: 4_000,
      description: 'Whoever has it fetches the archive: hand it to nobody.',
      examples: ['https://files.example.com/private/exports/biz_4k7q2m9x1c3v/exp_01jcq3v7k8f5.tar?signature=…'],
    }),
    expiresAt: UnixSeconds,
  },
  { title: 'ExportLink' },
)

// Limits and use

/** Not a union: a number that is too small is then told to be so. */
const Limit = (description: string, example: number, maximum = Number.MAX_SAFE_INTEGER, minimum = 0) =>
  Type.Optional(
    Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum, maximum, description, examples: [example] }),
  )
/** A counter of the database holds no more. */
const MOST_MAILS = 1_000_000_000
export const LimitsBody = Type.Object(
  {
    requestsPerMinute: Limit('By everybody together. `null`: no limit of its own.', 6_000),
    requestsAtOnce: Limit('In each process of the API. `null`: its share, as every business.', 32, 1_000, 1),
    jobsAtOnce: Limit('In each worker, for each database. `null`: its share, as every business.', 1, 100, 1),
    mediaBytes: Limit('`null`: as much as every business has.', 10_000_000_000),
    mailsPerDay: Limit('Letters to readers. `null`: no limit of its own.', 50_000, MOST_MAILS),
  },
  { additionalProperties: false },
)

export const UsageQuery = Type.Object({
  from: Type.Optional(
    Type.Integer({ ...UnixSeconds, description: 'The first day (UTC); 30 days before `to` by default.' }),
  ),
  to: Type.Optional(Type.Integer({ ...UnixSeconds, description: 'Until then; now by default.' })),
})
const used = {
  requests: Count('Requests to its routes.', 48_000),
  mails: Count('Letters handed over to its readers.', 1_200),
  jobs: Count('Jobs run.', 340),
}
export const BusinessUsage = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          day: Type.String({ maxLength: 10, description: 'Of UTC.', examples: ['2026-03-02'] }),
          ...used,
          rows: Nullable(Count('Records, estimated in that night; `null`: not.', 120_000)),
          mediaBytes: Nullable(Count('What its files took up in that night; `null`: not looked at.', 52_000_000)),
        },
        { title: 'UsageDay' },
      ),
      { description: 'Days on which there was anything, oldest first.' },
    ),
  },
  { title: 'BusinessUsage' },
)
export const TopUsageQuery = Type.Object({
  window: Type.Optional(
    OneOf(['hour', 'day'], { default: 'hour', description: 'The last hour or day, to ten minutes.' }),
  ),
  by: Type.Optional(OneOf(['requests', 'mails', 'jobs'], { default: 'requests' })),
  limit: PageQuery.limit,
})
export const TopUsage = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { businessId: BusinessId, businessName: Nullable(Name), cell: CellName, ...used },
        { title: 'UsedByBusiness' },
      ),
    ),
    cells: asked,
  },
  { title: 'TopUsage', 'x-response-description': 'The businesses with the highest usage.' },
)

// Jobs

export const JobId = Type.String({
  minLength: 3,
  maxLength: 64,
  pattern: '^[a-z0-9-]{1,32}:[0-9]{1,18}$',
  'x-says': { pattern: 'must be the cell and the number of a job, such as main:42' },
  description: 'The cell, and the number of the job in it.',
  examples: ['main:42'],
})
export const JobParams = Type.Object({ id: JobId })

export const JobQueue = Type.Object(
  {
    cell: CellName,
    name: JobName,
    ready: Count('Due, and waiting for a worker.', 2),
    running: Count('Running now.', 1),
    scheduled: Count('Not due yet.', 0),
    dead: Count('Out of attempts: somebody has to look.', 0),
    oldestReadyAt: Nullable(
      Type.Integer({ ...UnixSeconds, description: 'When the one that waits longest became due.' }),
    ),
  },
  { title: 'JobQueue' },
)
export const DeadJob = Type.Object(
  {
    id: JobId,
    cell: CellName,
    name: JobName,
    businessId: Nullable(BusinessId),
    businessName: Nullable(Name),
    attempts: Count('How often it was tried.', 12),
    error: NullableText({
      maxLength: 500,
      description: 'What it failed with last.',
      examples: ['connect ECONNREFUSED'],
    }),
    createdAt: UnixSeconds,
    diedAt: UnixSeconds,
  },
  { title: 'DeadJob' },
)
export const JobsQuery = Type.Object({
  ...PageQuery,
  cell: Type.Optional(CellName),
  name: Type.Optional(JobName),
  businessId: Type.Optional(BusinessId),
})
export const OperatorJobs = Type.Object({
  queues: Type.Array(JobQueue, { description: 'All jobs, by cell and kind.' }),
  cells: asked,
  ...PageOf(DeadJob).properties,
})
export const DeadJobsBody = Type.Object(
  {
    name: Type.Optional(JobName),
    cell: Type.Optional(CellName),
    businessId: Type.Optional(BusinessId),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    'x-says': { minProperties: 'must name a kind of job, a cell or a business' },
  },
)
export type DeadJobsBody = Static<typeof DeadJobsBody>
export const ChangedJobs = Type.Object(
  {
    changed: Count('How many dead jobs were retried or discarded.', 17),
    isComplete: Type.Boolean({ description: 'If not, there are more: ask again.' }),
    cells: asked,
  },
  { title: 'ChangedJobs', 'x-response-description': 'The number of changed jobs.' },
)

// Sends

export const SEND_STATES = ['SCHEDULED', 'RUNNING', 'PAUSED', 'FAILED'] as const
export const OperatorSend = Type.Object(
  {
    id: idOf('snd', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    cell: CellName,
    businessId: BusinessId,
    businessName: Nullable(Name),
    collectionId: Id,
    entryId: Id,
    status: OneOf(['SCHEDULED', 'RUNNING', 'PAUSED', 'DONE']),
    problem: NullableText({ maxLength: 1_000, description: 'What has stopped it.', examples: [null] }),
    total: Count('Readers.', 1_200),
    sent: Count('Handed over.', 800),
    failed: Count('Refused.', 2),
    suppressed: Count('Not to be written to.', 5),
    uncertain: Count('Perhaps handed over.', 0),
    scheduledAt: UnixSeconds,
    startedAt: Nullable(UnixSeconds),
    finishedAt: Nullable(UnixSeconds),
  },
  { title: 'OperatorSend' },
)
export const SendsQuery = Type.Object({
  ...PageQuery,
  cell: Type.Optional(CellName),
  businessId: Type.Optional(BusinessId),
  state: anyOf(
    OneOf(SEND_STATES),
    '`FAILED`: over within a week, and some readers did not get it or perhaps did not. By default all but SCHEDULED.',
  ),
})
export const OperatorSends = Type.Object({ cells: asked, ...PageOf(OperatorSend).properties })

// The whole

const Weight = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  description: 'How many of the new businesses it takes, compared with the others.',
  examples: [100],
})
const Placement = OneOf(PLACEMENTS, {
  description:
    '`OPEN` takes new businesses, `CLOSED` only those that an operator puts there, `DRAINING` none. All three serve those that they have. To one that is `OFF` nobody connects: its businesses get 503.',
})
export const CellParams = Type.Object({ id: CellName })
export const CellBody = Type.Object(
  {
    placement: Type.Optional(Placement),
    weight: Type.Optional(Weight),
    force: Type.Optional(
      Type.Boolean({ default: false, description: 'Switches it off although businesses live there.' }),
    ),
  },
  { additionalProperties: false },
)

export const OperatorCell = Type.Object(
  {
    name: CellName,
    placement: Placement,
    weight: Weight,
    region: NullableText({
      maxLength: 200,
      description: 'Where it stands, in the words of an operator.',
      examples: ['eu'],
    }),
    state: OneOf(CELL_STATES, { description: 'How its database is.' }),
    isAnswering: AskedCell.properties.isAnswering,
    problem: AskedCell.properties.problem,
    isStandby: Type.Boolean(),
    missingMigrations: Type.Array(
      Type.String({ maxLength: 200, examples: ['cell/20261201T1015_add_barcode_to_variants.sql'] }),
    ),
    businesses: Count('Businesses that live in it.', 2_000),
    suspended: Count('Suspended ones among them.', 3),
    troubled: Count('Troubled ones among them.', 1),
    workers: Nullable(Count('Workers that take its jobs.', 2)),
    connections: Nullable(Count('Connections to its database.', 40)),
    databaseBytes: Nullable(Count('The size of its database.', 9_000_000_000)),
    jobs: Nullable(
      Type.Object({
        ready: JobQueue.properties.ready,
        running: JobQueue.properties.running,
        scheduled: JobQueue.properties.scheduled,
        dead: JobQueue.properties.dead,
      }),
    ),
    sends: Nullable(
      Type.Object({
        running: Count('Under way.', 1),
        scheduled: Count('To come.', 4),
        paused: Count('Paused, by people or by a problem.', 1),
        stopped: Count('Paused by a problem.', 0),
      }),
    ),
    jobLagSeconds: Nullable(Count('For how long the job has waited that has waited longest.', 0)),
    eventLagSeconds: Nullable(Count('How old the oldest event is that is in no feed yet.', 0)),
  },
  { title: 'OperatorCell' },
)
export const OperatorCells = Type.Object({ items: Type.Array(OperatorCell) })

export const OperatorProcess = Type.Object(
  {
    id: Type.String({ maxLength: 300, examples: ['web-1:4711:a1b2c3'] }),
    kind: OneOf(['api', 'worker']),
    version: Type.String({ maxLength: 40, examples: ['1.0.0'] }),
    cells: Type.Array(CellName),
    startedAt: UnixSeconds,
    seenAt: UnixSeconds,
  },
  { title: 'OperatorProcess' },
)
export const OperatorOverview = Type.Object(
  {
    version: Type.String({ maxLength: 40, description: 'Of the process that answers.', examples: ['1.0.0'] }),
    versions: Type.Array(Type.String({ maxLength: 40, examples: ['1.0.0'] }), { description: 'Of all processes.' }),
    processes: Type.Array(OperatorProcess, { description: 'Those that were heard of within 20 seconds.' }),
    cells: Type.Array(OperatorCell),
    unknownCells: Type.Array(CellName, {
      description: 'Businesses live there, but the process that answers does not know them.',
    }),
    providers: Type.Array(
      Type.Object({
        name: OneOf(['mail', 'sms', 'payments', 'identity', 'ai', 'media', 'redis']),
        isConfigured: Type.Boolean(),
      }),
    ),
    totals: Type.Object(
      {
        businesses: Count('', 100_000),
        suspended: Count('', 12),
        troubled: Count('', 2),
        workers: Count('', 4),
        readyJobs: Count('', 20),
        deadJobs: Count('', 3),
        runningSends: Count('', 1),
        stoppedSends: Count('', 0),
      },
      { description: 'Over the cells that have answered.' },
    ),
  },
  { title: 'OperatorOverview' },
)

// Audit

export const OperatorAuditEntry = Type.Object(
  {
    id: idOf('aud', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    action: Type.String({ maxLength: 64, examples: ['business.suspended'] }),
    subject: Type.String({
      maxLength: 200,
      description: 'The id of what was changed.',
      examples: ['biz_4k7q2m9x1c3v'],
    }),
    subjectEmail: Nullable(Type.String({ ...Email, description: 'If it is an account.' })),
    businessId: Nullable(BusinessId),
    businessName: Nullable(Type.String({ ...Name, description: 'As it is called now; `null`: it is gone.' })),
    actorId: Nullable(UserId),
    actorEmail: Nullable(Email),
    data: Type.Unsafe<unknown>({
      type: 'object',
      additionalProperties: true,
      examples: [{ reason: 'Asked for by the owner.' }],
    }),
    timestamp: UnixSeconds,
  },
  { title: 'OperatorAuditEntry' },
)
export const OperatorAuditQuery = Type.Object({
  ...PageQuery,
  businessId: Type.Optional(BusinessId),
  actorId: Type.Optional(Type.String({ ...UserId, description: 'What this operator did.' })),
  action: anyOf(Type.String({ minLength: 1, maxLength: 64, examples: ['business.suspended'] }), 'What was done.'),
})
