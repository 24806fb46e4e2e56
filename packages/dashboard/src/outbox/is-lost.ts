import { KontorError } from '@kontor/sdk'

/** There was no answer, or somebody else than the service gave it. */
const NO_ANSWER = ['NETWORK', 'TIMEOUT', 'UNKNOWN_ANSWER']
/** The service says itself that it has not decided: later it will. */
const NOT_NOW = ['UNAVAILABLE', 'RATE_LIMITED', 'STILL_RUNNING']

/**
 * Whether nothing is known about what became of a call. A session that ended is no answer either: it goes on after
 * login. Everything else that the service says is one, such as that a provider is not set up.
 */
export const isLost = (error: unknown): boolean =>
  !(error instanceof KontorError) ||
  error.status === 401 ||
  NO_ANSWER.includes(error.code) ||
  NOT_NOW.some((code) => error.has(code))
