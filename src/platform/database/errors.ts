type Coded = { code?: unknown; constraint?: unknown; routine?: unknown; severity?: unknown }

/** An error reported by PostgreSQL itself: the connection is fine, unless the code says otherwise. */
export const isServerAnswer = (error: unknown): boolean =>
  error instanceof Error && typeof (error as Coded).severity === 'string' && (error as Coded).severity !== 'FATAL'

const codeOf = (error: unknown): string => {
  const code = error instanceof Error ? (error as Coded).code : undefined
  return typeof code === 'string' ? code : ''
}

/** The name of the violated constraint, for a module to turn into its own error. */
export const violatedConstraint = (error: unknown): string | undefined => {
  const constraint = error instanceof Error ? (error as Coded).constraint : undefined
  return typeof constraint === 'string' && codeOf(error).startsWith('23') ? constraint : undefined
}

/** Two transactions got in each other's way; running the whole of it again is right. */
export const isSerializationFailure = (error: unknown) => codeOf(error) === '40001' || codeOf(error) === '40P01'

/** Somebody else had the lock for too long. */
export const isLockTimeout = (error: unknown) => codeOf(error) === '55P03' || isSerializationFailure(error)

/** A unique value that another row has, or a row that is not there. */
export const isUnsettled = (error: unknown) => codeOf(error) === '23505' || codeOf(error) === '23503'

/** Statement timeout, or an operator has canceled the statement. */
export const isCanceled = (error: unknown) => codeOf(error) === '57014'

/** The statement wants more time, memory or disk than it is given. (A server that is full, 53300, ends the connection.) */
export const isTooMuch = (error: unknown) =>
  isServerAnswer(error) && (isCanceled(error) || codeOf(error).startsWith('53'))

/** The business is moving to another cell, or has moved (`cell.may_write`). */
export const isMoving = (error: unknown) => codeOf(error) === 'KM001'

/**
 * A migration has changed the type of a column since this connection planned the statement. (The message may be in any
 * language.)
 */
export const isStalePlan = (error: unknown) =>
  codeOf(error) === '0A000' && (error as Coded).routine === 'RevalidateCachedQuery'

/** Text that PostgreSQL cannot store: NUL, or half of a surrogate pair. */
export const isUnstorableText = (error: unknown) => codeOf(error) === '22021' || codeOf(error) === '22P05'

/** Describes why the database rejects a row, regardless of the caller. */
export function describeBadRow(error: unknown): string | undefined {
  const code = codeOf(error)
  const { constraint, column } = error as { constraint?: string; column?: string }
  if (code === '23505') return `duplicates another row (${constraint})`
  if (code === '23503') return `refers to a row that does not exist (${constraint})`
  if (code === '23502') return `has no ${column}`
  if (isUnstorableText(error)) return 'contains text that cannot be stored'
  if (code.startsWith('23')) return `is not allowed (${constraint})`
  return code.startsWith('22') ? 'has a value that does not fit its column' : undefined
}

const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '3D000', // the database does not exist
  '25006', // it is read-only: a standby, until the address leads to the primary again
  '25P03', // idle in transaction for too long
  '55P03', // lock timeout
  '55006', // the database is being dropped or copied
  '57014', // statement timeout
  '57P01', // the server is being shut down, or an operator ended the connection
  '57P02',
  '57P03', // starting up
  '57P05',
])

// node-postgres gives these no code.
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Postgres connection has been discarded|Cannot use a pool after calling end|driver has already been destroyed|Server disconnected|Connection ended)/i

/** `too_many_connections`: the server is alive, but takes no more connections. */
export const isFull = (error: Error) => codeOf(error) === '53300'

/** No connection within the time limit. */
export const isSlow = (error: Error) =>
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)/.test(error.message)

/** A timeout: the server neither replied nor refused. */
export const isNoAnswer = (error: unknown) =>
  codeOf(error) === 'ETIMEDOUT' ||
  (error instanceof Error &&
    /^(Query read timeout|timeout expired|timeout exceeded|Connection terminated due to connection timeout)/.test(
      error.message,
    ))

/** The table or the schema does not exist. */
export const isUndefined = (error: unknown) => codeOf(error) === '42P01' || codeOf(error) === '3F000'

const READ_ONLY = '25006'

/** The server refuses writes: a standby, or one that was made read-only. */
export const isReadOnly = (error: unknown) => codeOf(error) === READ_ONLY

/** The error that PostgreSQL would report for the first write. */
export const readOnlyServer = () =>
  Object.assign(new Error('This server is a standby, and takes no writes'), { code: READ_ONLY })

const OF_REPLICA_CODES = new Set([
  '40001', // what it reads was changed by what it follows
  '40P01',
  '25006',
  '55P03', // not 57014: what took too long here would take as long again there
  '42P01', // it has not followed the last migration yet
  '42703',
  '42883',
  '3F000',
])
/** Connections, resources, shutdown, system errors, its own corruption. */
const OF_REPLICA_CLASSES = /^(08|53|57P|58|XX)/

/** A read that failed because it went to a replica, perhaps: the primary may have the answer. */
export const isOfReplica = (error: unknown): boolean =>
  error instanceof Error &&
  (OF_REPLICA_CODES.has(codeOf(error)) || OF_REPLICA_CLASSES.test(codeOf(error)) || isConnectionError(error))

const isConnectionError = (error: Error) => !isServerAnswer(error) && isDatabaseUnavailable(error)

/** The database is unreachable, overloaded or shutting down: the caller did nothing wrong and may try again. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (UNAVAILABLE_CODES.has(code) || code.startsWith('08') || code.startsWith('53')) return true
  if (isSerializationFailure(error)) return true
  // For a statement this code is our bug; on connect (FATAL) it means that the database takes no connections.
  if (code === '55000') return (error as Coded).severity === 'FATAL'
  return UNAVAILABLE_MESSAGES.test(error.message)
}
