/** Why something could not be had from an address that somebody else has named. */
export const OUTGOING_PROBLEMS = [
  /** No http or https address, one with a password or an unusual port, or one of a private network. */
  'ADDRESS_NOT_ALLOWED',
  /** No such host, or nobody answers there. */
  'UNREACHABLE',
  'TIMED_OUT',
  'TOO_MANY_REDIRECTS',
  /** Another status than 200. */
  'REFUSED',
  'TOO_LARGE',
  /** The answer broke off, or was shorter than it said. */
  'INCOMPLETE',
] as const
export type OutgoingProblem = (typeof OUTGOING_PROBLEMS)[number]

export class OutgoingError extends Error {
  readonly problem: OutgoingProblem
  /** Whether it may go better later. */
  readonly isTemporary: boolean

  constructor(
    problem: OutgoingProblem,
    { isTemporary = false, cause }: { isTemporary?: boolean; cause?: unknown } = {},
  ) {
    super(problem, { cause })
    this.name = 'OutgoingError'
    this.problem = problem
    this.isTemporary = isTemporary
  }
}
