import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { mintResetToken } from '#modules/accounts/sign-in/change-password.ts'
import { CALLBACK_PATH } from '#modules/accounts/sign-in/oauth.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { addPasskey, addTotp, codeOf, type Passkey, usePasskey } from '../../support/factors.ts'
import { openIdentityProvider } from '../../support/identity-provider.ts'
import { createPeople, PASSWORD, type People } from '../../support/people.ts'
import { until } from '../../support/until.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

// Every way into an account, for every kind of account. The table in the guide is what is measured here:
// `WRITE_DOCS=1 node --test test/api/accounts/ways-in.test.ts` writes it anew.

const GUIDE = path.join(import.meta.dirname, '../../../docs/guides/second-factor.md')
const TABLE = /(<!-- ways in -->\n).*?(\n<!-- \/ways in -->)/s
const PUBLIC = 'http://localhost:3000'

let world: StartedWorld<'mail' | 'sms'>
let idp: Awaited<ReturnType<typeof openIdentityProvider>>
let people: People
before(async () => {
  idp = await openIdentityProvider(PUBLIC + CALLBACK_PATH)
  world = await startWorld({ providers: ['mail', 'sms'], worker: 'accounts', publicUrl: PUBLIC, env: { ...idp.env } })
  people = createPeople(world.api)
})
after(async () => {
  await world.close()
  await idp.close()
})

const url = () => world.api.url
const control = () => world.api.services.databases.control
const anonymous = () => createClient(url())
const bearer = (token: string) => createClient(url(), { authorization: `Bearer ${token}` })

const KINDS = ['no factor', 'a passkey', 'a second factor', 'in a business that requires one'] as const
type Kind = (typeof KINDS)[number]

type Account = {
  id: string
  email: string
  session: Awaited<ReturnType<People['session']>>
  key: string
  secret?: string
  passkey?: Passkey
}

/** Of the last kind: as many of its ways are tried with nothing but a password, and a passkey where that is the way. */
async function makeAccount(kind: Kind): Promise<Account> {
  const person = await people.person()
  const session = await people.session(person.email)
  const key = (await world.make.apiKey(person.id)).value
  const passkey = kind === 'no factor' || kind === 'a second factor' ? undefined : await addPasskey(session, PUBLIC)
  const secret = kind === 'a second factor' ? (await addTotp(session)).secret : undefined
  return { ...person, session, key, ...(passkey ? { passkey } : {}), ...(secret ? { secret } : {}) }
}

/** What a way comes to: its answer, and what it lets its caller speak with afterwards. */
type Outcome = { answer: Answer; more?: string; as?: ReturnType<typeof createClient> }
type Way = (account: Account) => Promise<Outcome>

const entered = (answer: Answer): Outcome =>
  answer.status === 200 ? { answer, as: bearer(answer.body.accessToken) } : { answer }

const WAYS: Record<string, Way> = {
  'password (`EMAIL`)': async ({ email }) => entered(await people.login(email)),

  'the dashboard’s session': async ({ email }) => {
    const body = { provider: 'EMAIL', email, password: PASSWORD }
    return entered(await anonymous().post('/admin/session', body, { origin: PUBLIC }))
  },

  'identity provider (`OAUTH_IDP`), same address': async ({ email }) => {
    idp.people.set(email, { sub: email, email, email_verified: true })
    const query = new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: PUBLIC, redirectUrl: `${PUBLIC}/after` })
    const { body } = await anonymous().get(`/v1/users/login/url?${query.toString()}`)
    const callback = await idp.logIn(body.url, email)
    const back = await fetch(url() + callback.pathname + callback.search, { redirect: 'manual' })
    const code = new URL(back.headers.get('location') ?? '').searchParams.get('code')
    return entered(await anonymous().post('/v1/users/login', { provider: 'OAUTH_IDP', code, originUrl: PUBLIC }))
  },

  'passkey (`PASSKEY`)': async ({ passkey }) => {
    const known = passkey ?? (await makeAccount('a passkey')).passkey
    assert.ok(known)
    const unknown = { ...known, key: { ...known.key, id: Buffer.from('never registered') } }
    const answer = await usePasskey(url(), passkey ? known : unknown)
    return entered(await anonymous().post('/v1/users/login', { provider: 'PASSKEY', passkey: answer }))
  },

  'a new password by mail, then that': async ({ id, email }) => {
    const token = await transaction(control(), (tx) => mintResetToken(tx, id))
    const password = 'seven copper kettles sing'
    const reset = await anonymous().post('/v1/users/reset-forgot-password', { token, password })
    assert.equal(reset.status, 200, reset.text)
    return entered(await people.login(email, password))
  },

  'a guest’s token and the password': async ({ id, email }) => {
    const guest = await world.make.guest()
    const answer = await guest.post('/v1/users/login', { provider: 'EMAIL', email, password: PASSWORD })
    const merged = await control()
      .selectFrom('accounts.guestAliases')
      .select('userId')
      .where('guestId', '=', guest.id)
      .executeTakeFirst()
    return { ...entered(answer), more: merged?.userId === id ? 'merged' : 'not merged' }
  },

  'a guest who confirms the account’s phone number': async ({ id }) => {
    const number = `+49151${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
    await control().insertInto('accounts.verifiedPhones').values({ number, userId: id, verifiedAt: now() }).execute()
    const guest = await world.make.guest()
    assert.equal((await guest.post('/v1/users/phone-number', { phoneNumber: number })).status, 200)
    const code = await world.sms.codeTo(number)
    return { answer: await guest.post('/v1/users/phone-number/confirm', { phoneNumber: number, code }) }
  },

  'an invitation’s token, without a session': async ({ email }) => {
    const { admin, path: at } = await world.make.business()
    const { body } = await admin.post(`${at}/roles`, { name: 'Editors', permissions: [] })
    assert.equal((await admin.post(`${at}/invitations`, { email, roleId: body.id })).status, 201)
    const tokenOf = () => {
      const mails = world.mailServer.mails.filter(({ to }) => to?.[0]?.address === email)
      return mails.map(({ text = '' }) => /invitation\?token=([\w-]+)/.exec(text)?.[1]).find(Boolean)
    }
    await until('the mail', () => tokenOf() !== undefined)
    const token = tokenOf()
    return { answer: await anonymous().post('/v1/users/invitations/accept', { token }) }
  },

  'the refresh token of a session that has shown what there is': async ({ session: { refreshToken } }) =>
    entered(await anonymous().post('/v1/users/refresh', { provider: 'EMAIL', refreshToken })),

  'an API key from before': async ({ key }) => {
    const client = createClient(url(), { 'x-api-key': key })
    return { answer: await client.get('/v1/users/me'), as: client }
  },

  'the challenge and the second factor': async ({ email, secret }) => {
    const { body } = await people.login(email)
    const shown = { challenge: body.challenge ?? 'none', code: secret ? codeOf(secret) : '000000' }
    return entered(await anonymous().post('/v1/users/login/second-factor', shown))
  },
}

function wordsOf({ answer: { status, body }, more }: Outcome): string {
  const detail = status >= 400 ? (body.details[0]?.error ?? body.error) : undefined
  return [`${status}${detail ? ` ${detail}` : ''}`, more].filter(Boolean).join(', ')
}

/** What the role of that user is good for, in a business that wants a second factor. */
async function roleOf(userId: string, strict: Strict, client: Outcome['as']): Promise<string> {
  if (!client) return 'no session'
  const { businessId, roleId, path: at } = strict
  await control()
    .insertInto('access.memberships')
    .values({ businessId, userId, roleId, createdAt: now() })
    .onConflict((known) => known.doNothing())
    .execute()
  const answer = await client.get(`${at}/orders/counts?by=status`)
  return answer.status === 200 ? 'the role counts' : wordsOf({ answer })
}

type Strict = { businessId: string; roleId: string; path: string }
async function strictBusiness(): Promise<Strict> {
  const { admin, path: at, id } = await world.make.business()
  await addTotp(admin)
  assert.equal((await admin.put(at, { requireSecondFactor: true })).status, 200)
  const { roleId } = await world.make.member(id, 'ORDERS_READ')
  return { businessId: id, roleId, path: at }
}

test('every way into an account answers as the guide says', async () => {
  const strict = await strictBusiness()
  const rows: string[] = [`| way in | ${KINDS.join(' | ')} |`, `|---|${KINDS.map(() => '---|').join('')}`]
  for (const [name, way] of Object.entries(WAYS)) {
    const cells: string[] = []
    for (const kind of KINDS) {
      const isStrict = kind === 'in a business that requires one'
      const needsFactor = isStrict && name.startsWith('the challenge')
      const account = await makeAccount(needsFactor ? 'a second factor' : kind)
      const outcome = await way(account)
      cells.push(isStrict ? await roleOf(account.id, strict, outcome.as) : wordsOf(outcome))
      await world.forgetAttempts()
    }
    rows.push(`| ${name} | ${cells.join(' | ')} |`)
  }
  const made = rows.join('\n')
  const guide = readFileSync(GUIDE, 'utf8')
  if (process.env.WRITE_DOCS) return writeFileSync(GUIDE, guide.replace(TABLE, `$1${made}$2`))
  assert.equal(TABLE.exec(guide)?.[0].split('\n').slice(1, -1).join('\n'), made)
})
