import { KontorError } from '@kontor/sdk'
import type { Failure } from './store.ts'
import { Trouble } from './trouble.ts'

/** The service has looked at the file and does not take it. */
export class Rejected extends Error {
  readonly problem: string

  constructor(problem: string) {
    super(problem)
    this.problem = problem
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Trouble) return { code: error.code }
  if (error instanceof Rejected) return { code: error.problem }
  if (error instanceof KontorError)
    return { code: error.details[0]?.error ?? error.code, message: error.details[0]?.message ?? error.message }
  return { code: 'UNKNOWN', message: error instanceof Error ? error.message : String(error) }
}
