import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** What a receiver checks our requests with, in the form of Standard Webhooks. */
export const newSigningSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`

type Signed = {
  /** The same for every try, so that a receiver knows what it already has. */
  id: string
  at: Date
  body: string
  /** The current one first. While a secret is being changed there are two, and either proves the request. */
  secrets: readonly string[]
}

/** The headers of Standard Webhooks: of one request, at one time. */
export function signedHeaders({ id, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
