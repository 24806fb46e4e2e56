import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { idsOf } from '#modules/accounts/index.ts'
import { CALLBACK_PATH } from '#modules/accounts/sign-in/oauth.ts'
import { createKontor } from '../../packages/sdk/src/index.ts'
import { openIdentityProvider } from '../support/identity-provider.ts'
import { linkIn } from '../support/mail-server.ts'
import { type StartedWorld, startWorld } from '../support/world.ts'
import { createStorage, isError } from './support.ts'

const PUBLIC = 'http://localhost:3000'
let world: StartedWorld<'mail' | 'sms'>
let idp: Awaited<ReturnType<typeof openIdentityProvider>>
before(async () => {
  idp = await openIdentityProvider(PUBLIC + CALLBACK_PATH)
  world = await startWorld({ providers: ['mail', 'sms'], worker: 'accounts', publicUrl: PUBLIC, env: idp.env })
})
after(async () => {
  await world.close()
  await idp.close()
})

const open = (storage = createStorage().storage) => createKontor({ baseUrl: world.api.url, storage })

/** The account and every guest who became it. */
const namesOf = (userId: string) => idsOf(world.api.services.databases.control, userId)

test('a guest who registers becomes the account, and signs in once the address is confirmed', async () => {
  const kontor = open()
  const guest = await kontor.me.get()
  const account = { email: `ada.${process.pid}@example.com`, password: 'harbour lantern teapot' }
  await assert.rejects(kontor.session.register({ ...account, password: 'short' }), isError(422, 'VALIDATION_FAILED'))
  assert.equal((await kontor.session.current())?.userId, guest.id)

  await kontor.session.register({ ...account, name: 'Ada' })
  assert.equal(await kontor.session.current(), undefined)
  const early = (error: { has(code: string): boolean }) => error.has('NOT_CONFIRMED')
  await assert.rejects(kontor.session.login(account), early)
  const token = linkIn(await world.mailServer.mailTo(account.email), '/confirm').searchParams.get('token') ?? ''
  await kontor.operations.confirmEmail({ body: { token } })
  const { userId, isGuest } = await kontor.session.login(account)
  assert.equal(isGuest, false)
  assert.deepEqual(await namesOf(userId), [userId, guest.id])
  assert.equal((await kontor.me.get()).name, 'Ada')
})

test('a guest comes back from the identity provider as an account, if the login was begun here', async () => {
  idp.people.set('grace', { sub: 'grace', email: `grace.${process.pid}@example.com`, email_verified: true })
  const { storage } = createStorage()
  const guest = await open(storage).me.get()
  const leave = async () => {
    const { url } = await open(storage).session.loginUrl({ originUrl: PUBLIC, redirectUrl: `${PUBLIC}/after` })
    const callback = await idp.logIn(url, 'grace')
    const answer = await fetch(world.api.url + callback.pathname + callback.search, { redirect: 'manual' })
    const { searchParams } = new URL(answer.headers.get('location') ?? '')
    return { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '', originUrl: PUBLIC }
  }
  const foreign = { ...(await leave()), state: 'of-somebody-else' }
  await assert.rejects(open(storage).session.finishLogin(foreign), isError(0, 'MISUSE'))
  await assert.rejects(open(storage).session.finishLogin({ ...foreign, state: '' }), isError(0, 'MISUSE'))

  const { userId, provider } = await open(storage).session.finishLogin(await leave())
  assert.equal(provider, 'OAUTH_IDP')
  assert.deepEqual(await namesOf(userId), [userId, guest.id])
  assert.equal((await open(storage).me.get()).id, userId)
})
