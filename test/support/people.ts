import { hashPassword } from '#modules/accounts/sign-in/passwords.ts'
import { now } from '#platform/clock.ts'
import { newId } from '#vocabulary/ids.ts'
import { createClient } from './client.ts'
import type { TestApi } from './start-api.ts'

export const PASSWORD = 'harbour lantern teapot'

let hash: Promise<string> | undefined
let count = 0

/** People with a password, straight in the database, who log in through the API. */
export function createPeople({ url, services }: Pick<TestApi, 'url' | 'services'>) {
  const { control } = services.databases

  async function person({ isConfirmed = true } = {}) {
    hash ??= hashPassword(PASSWORD)
    const id = newId('usr')
    const email = `person${++count}-${process.pid}@example.com`
    await control
      .insertInto('accounts.users')
      .values({
        id,
        email,
        emailKey: email,
        passwordHash: await hash,
        confirmedAt: isConfirmed ? now() : null,
        createdAt: now(),
        updatedAt: now(),
      })
      .execute()
    return { id, email }
  }

  const login = (email: string, password = PASSWORD, at = url, headers: Record<string, string> = {}) =>
    createClient(at).post('/v1/users/login', { provider: 'EMAIL', email, password }, headers)

  /** Logs in, and speaks to the API with the access token. */
  async function session(email: string) {
    const { status, body, text } = await login(email)
    if (status !== 200) throw new Error(`${email} cannot log in: ${text}`)
    const { accessToken, refreshToken } = body as { accessToken: string; refreshToken: string }
    return { accessToken, refreshToken, ...createClient(url, { authorization: `Bearer ${accessToken}` }) }
  }

  return {
    person,
    login,
    session,
    suspend: (id: string) =>
      control.updateTable('accounts.users').set({ suspendedAt: now() }).where('id', '=', id).execute(),
  }
}

export type People = ReturnType<typeof createPeople>

/** What a JWT says, unverified. */
export function decodeToken(token: string): Record<string, unknown> {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
}
