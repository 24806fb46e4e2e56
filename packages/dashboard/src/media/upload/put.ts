import type { Answer } from '@kontor/sdk'

type Terms = NonNullable<Answer<'createMedia'>['upload']>
type Way = { signal: AbortSignal; onProgress: (sent: number) => void }

/** A line that died without a word is noticed after this. */
const QUIET_MS = 60_000

/**
 * Sends the bytes to the address that was given, with the headers that were given and nothing else: no token, no cookie.
 * By XMLHttpRequest, as `fetch` does not say how far it is. Answers the status of the store; 0: nobody answered.
 */
export const put = (terms: Terms, file: Blob, { signal, onProgress }: Way): Promise<number> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open(terms.method, terms.url)
    for (const [name, value] of Object.entries(terms.headers)) request.setRequestHeader(name, value)
    const stop = () => request.abort()
    let quiet = setTimeout(stop, QUIET_MS)
    signal.addEventListener('abort', stop)
    request.upload.addEventListener('progress', ({ loaded }) => {
      clearTimeout(quiet)
      quiet = setTimeout(stop, QUIET_MS)
      onProgress(loaded)
    })
    request.addEventListener('loadend', () => {
      clearTimeout(quiet)
      signal.removeEventListener('abort', stop)
    })
    request.addEventListener('load', () => resolve(request.status))
    request.addEventListener('error', () => resolve(0))
    request.addEventListener('abort', () => (signal.aborted ? reject(signal.reason as Error) : resolve(0)))
    request.send(file)
  })
