import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { nowMs } from '../clock.ts'

/** A request that was recorded by somebody else is worth nothing after this. */
const MAX_AGE_MS = 5 * 60_000

/** Whether a request was signed with this secret, in the form of Standard Webhooks, within the last 5 minutes. */
export function isSignedWith(secret: string, headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs() - Number(timestamp) * 1_000) > MAX_AGE_MS) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',')
    const given = Buffer.from(value, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
