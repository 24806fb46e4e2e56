import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import { OutgoingError } from '#platform/outgoing/errors.ts'
import type { GuardedFetch } from '#platform/outgoing/fetch.ts'
import { signedHeaders } from '#platform/outgoing/signing.ts'
import type { Callout } from '#vocabulary/business.ts'
import { newId } from '#vocabulary/ids.ts'
import { problemsOf } from './check-answer.ts'
import type { CalloutRequest, Problem } from './schemas.ts'

/** `isAway`: it may be so for every cart; an answer that is wrong may be so for this one only. */
export type Came = { status: number | null; text: string | null; answer: unknown; problems: Problem[]; isAway: boolean }

const nothing = (message: string): Came => ({
  status: null,
  text: null,
  answer: undefined,
  problems: [{ field: '', message }],
  isAway: true,
})

const SAID: Partial<Record<OutgoingError['problem'], string>> = {
  ADDRESS_NOT_ALLOWED: 'The address leads to a private network, or to an unusual port.',
  TOO_LARGE: 'The answer is larger than a mebibyte.',
  INCOMPLETE: 'The answer broke off.',
}

/** Asks once, signed. Whatever goes wrong is answered, not thrown. */
export async function askService(
  { fetch, box }: { fetch: GuardedFetch; box: SecretBox },
  { url, timeoutMs, sealedSecret }: Callout,
  request: CalloutRequest,
  deadline?: AbortSignal,
): Promise<Came> {
  const secret = box.open(Buffer.from(sealedSecret, 'base64'))?.toString()
  if (secret === undefined)
    return nothing('Its secret was sealed under a key that is gone: delete it, and set it again.')
  const body = JSON.stringify(request)
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...signedHeaders({ id: newId('msg'), at: now(), body, secrets: [secret] }),
      },
      body,
      signal: deadline ? AbortSignal.any([late, deadline]) : late,
    })
    return readAnswer(response.status, await response.text(), request)
  } catch (error) {
    if (late.aborted) return nothing(`No whole answer came within ${timeoutMs} ms.`)
    // It was not given the time that it may take: others had taken it, or it waited for its turn.
    if (deadline?.aborted) return { ...nothing('All that was asked for the request took too long.'), isAway: false }
    if (error instanceof OutgoingError) return nothing(SAID[error.problem] ?? 'Nobody answers at this address.')
    return nothing('Nobody answers at this address.')
  }
}

function readAnswer(status: number, text: string, request: CalloutRequest): Came {
  const came = { status, text, answer: undefined, isAway: status >= 500 || status === 429 }
  const wrong = (message: string): Came => ({ ...came, problems: [{ field: '', message }] })
  if (status >= 300 && status < 400) return wrong(`It answers ${status}: redirects are not followed.`)
  if (status !== 200) return wrong(`It answers ${status} instead of 200.`)
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return wrong('The answer is not JSON.')
  }
  return { ...came, answer, problems: problemsOf(request.point, answer, request) }
}
