import { setTimeout as sleep } from 'node:timers/promises'
import { parseMail, textOf } from '../twins/mail/mail.ts'
import type { Store } from '../twins/mail/store.ts'
import { DevError } from './folder.ts'
import { newSecret } from './settings.ts'

const CALL_MS = 20_000
const MAIL_MS = 20_000

export type Admin = { email: string; password: string; apiKey: string }
// oxlint-disable-next-line typescript/no-explicit-any -- bodies of many shapes, read here only
type Answer = { status: number; body: any }
export type Call = (method: string, path: string, body?: object) => Promise<Answer>

/** A JSON client of the API. */
export function caller(url: string, headers: Record<string, string> = {}): Call {
  return async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(CALL_MS),
    })
    const text = await answer.text()
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : undefined }
  }
}

/** Creates an account with an API key, the way that users do. Reuses those of the last start if they still work. */
export async function ensureAdmin(url: string, store: Store, last: Partial<Admin>): Promise<Admin> {
  const { apiKey = newSecret('dev_'), password = newSecret() } = last
  if (last.email && last.apiKey && last.password) {
    const me = await caller(url, { 'x-api-key': apiKey })('GET', '/v1/users/me')
    if (me.status === 200) return { email: last.email, password, apiKey }
  }
  const call = caller(url)
  let email = last.email ?? 'admin@example.com'
  let login = await logIn(call, email, password)
  if (login.status !== 200) {
    // The database may be older than the settings: the account exists, with an unknown password.
    if (!(await register(call, email, password))) {
      email = `admin-${newSecret().slice(0, 6).toLowerCase().replaceAll(/[-_]/g, '0')}@example.com`
      await register(call, email, password)
    }
    await confirm(call, store, email)
    login = await logIn(call, email, password)
  }
  if (login.status !== 200) throw refused('log in', login)
  const own = caller(url, { authorization: `Bearer ${login.body.accessToken}` })
  const me = await own('GET', '/v1/users/me')
  const others = (me.body?.apiTokens ?? []).filter(({ id }: { id: string }) => id !== KEY_ID)
  const key = { id: KEY_ID, name: 'npm run dev', value: apiKey, provider: 'API' }
  const updated = await own('PUT', '/v1/users/update', { apiTokens: [...others, key] })
  if (updated.status !== 200) throw refused('make an API key', updated)
  return { email, password, apiKey }
}

const KEY_ID = 'npm-run-dev'

const refused = (what: string, { status, body }: Answer) =>
  new DevError(`The API does not let us ${what}: ${status} ${JSON.stringify(body)}`)

const logIn = (call: Call, email: string, password: string) =>
  call('POST', '/v1/users/login', { provider: 'EMAIL', email, password })

/** False if the email address is taken. */
async function register(call: Call, email: string, password: string): Promise<boolean> {
  const person = { provider: 'EMAIL_REGISTER', email, password, name: 'Admin' }
  const answer = await call('POST', '/v1/users/register', person)
  if (answer.status < 300) return true
  if (answer.body?.details?.[0]?.error === 'EMAIL_EXISTS') return false
  throw refused('register', answer)
}

async function confirm(call: Call, store: Store, email: string): Promise<void> {
  const until = performance.now() + MAIL_MS
  for (;;) {
    const mail = store.list(email).find(({ kind, to }) => kind === 'mail' && to.includes(email))
    const token = mail && /[?&]token=([\w.-]+)/.exec(textOf(await parseMail(mail.raw)))?.[1]
    if (token) {
      const answer = await call('PUT', '/v1/users/confirm', { token })
      if (answer.status >= 300) throw refused('confirm the address', answer)
      return
    }
    if (performance.now() > until)
      throw new DevError('The mail that confirms the account has not arrived. For details: --verbose')
    await sleep(50)
  }
}
