import pino, { type DestinationStream, type Logger } from 'pino'

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
  }
  return destination ? pino(options, destination) : pino(options)
}

/** Selected fields only: the `detail` of a database error contains the statement's values. */
function describeError(error: Error & { code?: unknown; constraint?: unknown; cause?: unknown }): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, code, constraint, cause } = error
  return { type: name, message, code, constraint, stack, ...(cause instanceof Error ? { cause: cause.message } : {}) }
}
