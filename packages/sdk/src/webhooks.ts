import type { Event } from './generated/types.gen.ts'

export type WebhookOptions = {
  /** How old, or how far ahead of this clock, a request may be. */
  toleranceSeconds?: number
}

/** Headers of a request, as frameworks have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

/** Somebody else sent it, or sent it too long ago: answer 400, and do nothing. */
export class WebhookError extends Error {}

/**
 * Checks that a webhook is from Kontor, and gives its event. `body` is the text as it came, not parsed: one space more and no
 * signature fits. While a secret is being changed either one is right. Throws a `WebhookError` otherwise.
 */
export async function verifyWebhook(
  body: string | Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = 300 }: WebhookOptions = {},
): Promise<Event> {
  const read = (name: string) => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const [id, timestamp] = [read('webhook-id'), read('webhook-timestamp')]
  const seconds = /^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN
  // Not `>`: without a time it is no better than too old.
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= toleranceSeconds))
    throw new WebhookError('Too old, or without a time')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), hmac, false, ['verify'])
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const signature of read('webhook-signature').split(' ')) {
    const [version, value = ''] = signature.split(',')
    // `verify` takes the same time whatever the difference is.
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(value), signed)))
      return JSON.parse(text) as Event
  }
  throw new WebhookError('No signature fits')
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return new Uint8Array(1) // no base64, so nothing that fits
  }
}
