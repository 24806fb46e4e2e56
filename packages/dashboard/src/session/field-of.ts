import { KontorError } from '@kontor/sdk'

/** Which of these fields the service complains of. */
export const fieldOf = <Name extends string>(error: unknown, names: readonly Name[]): Name | undefined =>
  error instanceof KontorError ? names.find((name) => error.details.some(({ field }) => field === name)) : undefined
