import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { nowMs } from '#platform/clock.ts'
import { createAuthenticator } from './authenticator.ts'
import { type Client, createClient } from './client.ts'
import type { People } from './people.ts'

/** The code that an app shows, `steps` half minutes from now. */
export const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs() + steps * 30_000 })

const SIX_DIGITS = ['000000', '111111', '222222', '333333', '444444']
/** A code that is none of those around now. */
export const wrongCodeOf = (secret: string) => {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps))
  return SIX_DIGITS.find((code) => !near.includes(code)) ?? '555555'
}

/** Sets up codes for whoever this session is of. Uses up the code before this one. */
export async function addTotp(client: Client) {
  const begun = await client.post('/v1/users/second-factor', undefined)
  assert.equal(begun.status, 200, begun.text)
  const secret = begun.body.secret as string
  const confirmed = await client.post('/v1/users/second-factor/confirm', { code: codeOf(secret, -1) })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { secret, recoveryCodes: confirmed.body.recoveryCodes as string[] }
}

export async function addPasskey(client: Client, origin: string, conduct?: { counter?: number }) {
  const authenticator = createAuthenticator(origin)
  const options = await client.post('/v1/users/passkeys/options', undefined)
  assert.equal(options.status, 200, options.text)
  const { key, passkey } = authenticator.create(options.body, conduct)
  const added = await client.post('/v1/users/passkeys', { passkey, name: 'Phone' })
  assert.equal(added.status, 201, added.text)
  return { id: added.body.id as string, key, authenticator }
}

export type Passkey = Awaited<ReturnType<typeof addPasskey>>

/** Answers a new challenge with it. */
export async function usePasskey(
  url: string,
  { key, authenticator }: Pick<Passkey, 'key' | 'authenticator'>,
  conduct?: Parameters<Passkey['authenticator']['get']>[2],
) {
  const options = await createClient(url).post('/v1/users/login/passkey-options', {})
  assert.equal(options.status, 200, options.text)
  return authenticator.get(key, options.body, conduct)
}

/** Somebody with codes, who is logged in. */
export async function personWithTotp(people: People) {
  const person = await people.person()
  const session = await people.session(person.email)
  return { ...person, session, ...(await addTotp(session)) }
}
