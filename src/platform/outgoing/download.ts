import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { ask, untilAborted } from './ask.ts'
import { checkAddress, type Rules } from './check-address.ts'
import { OutgoingError } from './errors.ts'

const MAX_REDIRECTS = 3
const TIMEOUT_MS = 30_000

export type Downloaded = { size: number; sha256: string }
export type DownloadOptions = { maxBytes: number; signal?: AbortSignal; timeoutMs?: number }
export type Download = (address: string, file: string, options: DownloadOptions) => Promise<Downloaded>

/**
 * Loads what an address that somebody else has named answers into a file. Nothing private can be reached with it: each host
 * is checked, the connection goes to what was checked, and so for each redirect. No cookie and no credential is sent.
 */
export const createDownload =
  (rules: Rules): Download =>
  async (address, file, { maxBytes, signal, timeoutMs = TIMEOUT_MS }) => {
    const late = AbortSignal.timeout(timeoutMs)
    const ending = signal ? AbortSignal.any([signal, late]) : late
    try {
      const answer = await follow(address, rules, ending)
      return await store(answer, file, maxBytes, ending)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (late.aborted) throw new OutgoingError('TIMED_OUT', { isTemporary: true, cause: error })
      if (error instanceof OutgoingError) throw error
      throw new OutgoingError('UNREACHABLE', { isTemporary: true, cause: error })
    }
  }

async function follow(address: string, rules: Rules, signal: AbortSignal): Promise<IncomingMessage> {
  let next = address
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const checked = await untilAborted(checkAddress(next, rules), signal)
    const answer = await ask(checked, rules, { headers: { accept: 'image/*' }, signal })
    const status = answer.statusCode ?? 0
    if (status === 200) return answer
    answer.destroy()
    const location = [301, 302, 303, 307, 308].includes(status) ? answer.headers.location : undefined
    if (location === undefined) {
      throw new OutgoingError('REFUSED', { isTemporary: status >= 500 || [408, 425, 429].includes(status) })
    }
    next = URL.parse(location, checked.url.href)?.href ?? ''
  }
  throw new OutgoingError('TOO_MANY_REDIRECTS')
}

/** No further than it may be long, whatever it says of its length. */
async function store(
  answer: IncomingMessage,
  file: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Downloaded> {
  if (Number(answer.headers['content-length']) > maxBytes) {
    answer.destroy()
    throw new OutgoingError('TOO_LARGE')
  }
  const hash = createHash('sha256')
  let size = 0
  try {
    await pipeline(
      answer,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          size += chunk.length
          if (size > maxBytes) throw new OutgoingError('TOO_LARGE')
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(file),
      { signal },
    )
  } catch (error) {
    if (error instanceof OutgoingError || signal.aborted) throw error
    throw new OutgoingError('INCOMPLETE', { isTemporary: true, cause: error })
  }
  if (!answer.complete || size === 0) throw new OutgoingError('INCOMPLETE', { isTemporary: true })
  return { size, sha256: hash.digest('hex') }
}
