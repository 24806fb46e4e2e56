import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { presentEvent } from '#platform/events/feed.ts'
import type { Line, Posted } from '#platform/outgoing/line.ts'
import { signedHeaders } from '#platform/outgoing/signing.ts'
import { isFuture } from './endpoint.ts'
import type { Problem } from './schemas.ts'

export type SentEvent = ReturnType<typeof presentEvent>
export type Outcome = Omit<Posted, 'problem'> & { at: Date; problem: Problem | null }

type Sealed = { secret: Uint8Array; oldSecret: Uint8Array | null; oldSecretUntil: Date | null }

/** The secrets that sign now, the current one first. */
export function openSecrets(box: SecretBox, { secret, oldSecret, oldSecretUntil }: Sealed): string[] {
  const valid = oldSecret && oldSecretUntil && isFuture(oldSecretUntil) ? [secret, oldSecret] : [secret]
  return valid.map((sealed) => {
    const opened = box.open(sealed)
    if (!opened) throw new Error('The secret of a webhook endpoint was sealed under another SECRET_KEY')
    return opened.toString()
  })
}

/** One attempt. Never throws. */
export async function sendEvent(line: Line, secrets: readonly string[], event: SentEvent): Promise<Outcome> {
  const at = now()
  const body = JSON.stringify(event)
  const posted = await line.post({ body, headers: signedHeaders({ id: event.id, at, body, secrets }) })
  return { ...posted, at, problem: problemOf(posted) }
}

function problemOf({ status, problem }: Posted): Problem | null {
  if (status === undefined) {
    return problem === 'TIMED_OUT' || problem === 'ADDRESS_NOT_ALLOWED' ? problem : 'UNREACHABLE'
  }
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'REDIRECTED' : 'REFUSED'
}
