import pino, { type DestinationStream, type LogFn, type Logger } from 'pino'

// Paths in a log line that could hold a secret. Tokens are never part of a logged URL, and bodies are never logged.
const SECRETS = [
  'password',
  'oldPassword',
  'newPassword',
  'token',
  'accessToken',
  'refreshToken',
  'code',
  'apiKey',
  'value',
  'secret',
]
const redact = [
  'req.headers.authorization',
  'req.headers["x-api-key"]',
  'req.headers.cookie',
  ...SECRETS.flatMap((name) => (name === 'code' ? [`body.${name}`] : [name, `*.${name}`])),
]

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    redact: { paths: redact, censor: '[redacted]' },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    // Without a message of its own, a line takes that of the error, past the serializer.
    hooks: {
      logMethod(args: Parameters<LogFn>, write: LogFn) {
        const [about] = args as [{ err?: unknown } | string]
        if (typeof about === 'object' && quotesAddress(about?.err)) write.call(this, about, ANSWERED_ALREADY)
        else write.apply(this, args)
      },
    },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** Its message, and with it the stack, quotes the address with its query: what a link in a letter holds, for one. */
const quotesAddress = (error: unknown) => (error as { code?: unknown } | undefined)?.code === 'FST_ERR_REP_ALREADY_SENT'
const ANSWERED_ALREADY = 'this request has been answered already'

/** Selected fields only: the `detail` of a database error contains the statement's values. */
function describeError(error: Error & { code?: unknown; constraint?: unknown; cause?: unknown }): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, code, constraint, cause } = error
  if (quotesAddress(error)) return { type: name, message: ANSWERED_ALREADY, code }
  return { type: name, message, code, constraint, stack, ...(cause instanceof Error ? { cause: cause.message } : {}) }
}
