import type { FastifySchema } from 'fastify'
import type { Business } from '#vocabulary/business.ts'
import type { SecretBox } from '../crypto/secret-box.ts'
import type { Cell } from '../database/database.ts'
import type { presentEvent } from '../events/feed.ts'
import type { Handler, Operation } from '../http/operation.ts'
import type { CellJob, JobContext } from '../jobs/define.ts'

/** An event as the feed shows it. */
export type FeedEvent<Name extends string = string, Data = unknown> = Omit<
  ReturnType<typeof presentEvent>,
  'type' | 'data'
> & { type: Name; data: Data }

/** At least once for each event: it looks at the state first, or changes it with a guarded update. */
export type EventHandler<Event> = (event: Event, context: JobContext<Cell>) => Promise<void>

export type Route = {
  operation: Operation
  // oxlint-disable-next-line typescript/no-explicit-any -- a list of routes with different schemas
  handler: Handler<any>
  /** The text of the body is kept for `rawBodyOf`: signatures cover it as it was sent. */
  keepsRawBody: boolean
}

/** What routes may use besides their request. */
export type RouteServices = {
  /** Seals secrets that the extension stores. */
  box: SecretBox
  publicUrl: string
  /** For routes whose business is named by somebody else's payload: the business and its database. */
  openBusiness: (id: string) => Promise<{ business: Business; cell: Cell } | undefined>
}

export type Extension = {
  /** Lower-case words joined by hyphens. Paths, jobs and the PostgreSQL schema are named after it. */
  name: string
  /** The name of its chapter in the reference. */
  title?: string
  description?: string
  /** A folder of `.sql` files, such as `new URL('./migrations/', import.meta.url)`. */
  migrations?: URL
  routes?: (services: RouteServices) => readonly Route[]
  // oxlint-disable-next-line typescript/no-explicit-any -- a list of jobs with different payloads
  jobs?: readonly CellJob<any>[]
  /** How long each of its jobs and event handlers may take; 60 by default, at most 900. */
  timeLimitSeconds?: number
  /** What is done after an event, by its type. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the app knows the events, and checks them where it is called
  on?: Readonly<Record<string, EventHandler<any>>>
}

/** An operation with what answers it. Its `url` is relative: its own folder comes before it. */
export const route = <Schema extends FastifySchema>(
  operation: Operation<Schema>,
  handler: Handler<Schema>,
  { keepsRawBody = false } = {},
): Route => ({ operation, handler, keepsRawBody })

/** Known to every copy of Kontor; the value is known to this one only. */
const BRAND = Symbol.for('kontor.extension')
const OURS = {}

export const brand = (extension: Extension): Extension => Object.assign({ [BRAND]: OURS }, extension)

export const isExtension = (value: unknown): value is Extension =>
  typeof value === 'object' && value !== null && BRAND in value

/** An error of another copy of Kontor would not be known as a refusal here, and so on. */
export const isOfThisCopy = (extension: Extension) => (extension as { [BRAND]?: unknown })[BRAND] === OURS

export const schemaOf = ({ name }: Pick<Extension, 'name'>) => `ext_${name.replaceAll('-', '_')}`
