import { type Kontor, KontorError } from '@kontor/sdk'
import { askForProof } from './proof.ts'

type Call = (input?: unknown, options?: unknown) => Promise<unknown>

/** The request was rejected, without effect, until the person confirms their identity. */
const wantsProof = (error: unknown) =>
  error instanceof KontorError && (error.has('REAUTHENTICATION_REQUIRED') || error.has('OWN_SIGN_IN_REQUIRED'))

/**
 * The one place where re-authentication is seen to: the person is asked, and then the same call is made again. Whoever waits
 * for its answer notices nothing. If they do not want to, the call has failed.
 */
export function proven(kontor: Kontor): Kontor {
  const repeated = (call: Call): Call => {
    return async (input, options) => {
      for (;;) {
        try {
          return await call(input, options)
        } catch (error) {
          if (!wantsProof(error) || !(await askForProof())) throw error
        }
      }
    }
  }
  const operations = Object.fromEntries(
    Object.entries(kontor.operations).map(([id, call]) => [id, repeated(call as Call)]),
  )
  return { ...kontor, operations: operations as unknown as Kontor['operations'] }
}
