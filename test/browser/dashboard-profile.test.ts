import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { launchBrowser } from '../support/browser.ts'
import { runCli } from '../support/cli.ts'
import { createClient } from '../support/client.ts'
import { addTotp, codeOf } from '../support/factors.ts'
import { createPeople } from '../support/people.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, enter, look, openDashboard, PASSWORD } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'
import { addAuthenticator, type Credential } from '../support/virtual-authenticator.ts'

/** Refusals that are part of what is tried. */
const REFUSED = /status of (403|429)/
const MORE_THAN_TEN_MINUTES = 11 * 60_000

let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
before(async () => {
  desk = await openDashboard({}, 'localhost')
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

const at = (place: string) => `${desk.url}/admin${place}`

/** Somebody with a password who is admin of a business. */
async function makePerson(name?: string) {
  const business = await desk.make.business(name === undefined ? {} : { name })
  const { id, email = '' } = business.admin
  await desk.doorOf(business.admin)
  return { id, email, business }
}

const DESK = { width: 1_280 }

/** Leaves the page as soon as the next one enters. */
async function enterAs(email: string) {
  const entered = await enterAgain(DESK)
  await desk.signIn(entered.context, email)
  return entered
}

/** With a device that keeps passkeys, in a browser of their own. */
async function enterWithDevice(email: string) {
  const entered = await enter(browser, DESK)
  await desk.signIn(entered.context, email)
  return { ...entered, device: await addAuthenticator(entered.page) }
}

/** Signed in at another browser, where no page is open. */
async function signInElsewhere(email: string) {
  const context = await browser.newContext()
  await desk.signIn(context, email)
  const resume = () => context.request.post(at('/session'), { headers: { origin: desk.url } })
  return { context, resume }
}

async function givePassword(page: Page, email: string, password = PASSWORD) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const secretOn = async (page: Page) => ((await page.getByTestId('secret').textContent()) ?? '').replaceAll(' ', '')

/** Sets up an app by the screens. Answers its secret and the recovery codes. */
async function setUpApp(page: Page) {
  await page.goto(at('/profile/security'))
  await page.getByRole('link', { name: 'Set it up' }).click()
  const secret = await secretOn(page)
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
  await page.getByRole('heading', { name: 'Keep these ten codes' }).waitFor()
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  return { secret, codes }
}

type Device = Awaited<ReturnType<typeof addAuthenticator>>
const continueButton = (page: Page) => page.getByRole('button', { name: 'Continue with a passkey' })

/** On the page of what is secure. */
async function addPasskey(page: Page, device: Device, name?: string) {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  if (name) await page.getByLabel('Name of the passkey').fill(name)
  await device.touch(
    () => page.getByRole('button', { name: 'Make the passkey' }).click(),
    () => page.getByText('not used yet').waitFor(),
  )
}

const signInBy = (page: Page, device: Device) =>
  device.touch(
    () => continueButton(page).click(),
    () => page.locator('.who').waitFor(),
  )

/** The clock of the service goes on in half minutes; the last code may have been of this one. */
const forgetLastCode = (userId: string) =>
  desk.api.services.databases.control
    .updateTable('accounts.secondFactors')
    .set({ lastStep: 0 })
    .where('userId', '=', userId)
    .execute()

/** As if whoever is signed in had proven themselves a while ago. */
async function letProofAge(userId: string) {
  const then = new Date(Date.now() - MORE_THAN_TEN_MINUTES)
  const sessions = desk.api.services.databases.control.updateTable('accounts.sessions').where('userId', '=', userId)
  await sessions.set({ provenAt: then }).execute()
  await sessions.set({ secondFactorAt: then }).where('secondFactorAt', 'is not', null).execute()
}

test('the menu of the person leads to the profile; a new name is kept over a reload, and saved', async () => {
  const { email } = await makePerson()
  const { page, complaints } = await enterAs(email)
  await page.goto(at('/'))
  await page.locator('.who').click()
  await page.getByRole('menuitem', { name: 'Your profile' }).click()
  await page.waitForURL(at('/profile'))
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada Feddersen')
  await page.reload()
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Ada Feddersen')
  await look(page, 'profile')
  await page.getByRole('button', { name: 'Save 1' }).click()
  await page.getByText('Changes saved').waitFor()
  await page.locator('.who', { hasText: 'Ada Feddersen' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill('your sessions')
  await page.locator('[role=option][aria-selected=true]', { hasText: 'Go to your sessions' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(at('/profile/sessions'))
  assert.deepEqual(complaints, [])
})

test('the profile speaks the language and wears the theme that one chooses', async () => {
  const { email } = await makePerson()
  const { page } = await enterAs(email)
  await page.goto(at('/profile'))
  await page.getByText('Dark', { exact: true }).click()
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  await page.getByText('Deutsch', { exact: true }).click()
  await page.getByRole('link', { name: 'Sicherheit' }).click()
  await page.getByRole('heading', { name: 'Passwort' }).waitFor()
})

test('somebody who works in no business has a profile, too', async () => {
  const { email } = await createPeople(desk.api).person()
  const { page } = await enterAs(email)
  await page.goto(at('/profile/security'))
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
  await look(page, 'profile-alone')
})

test('an app is set up by its code, and its ten recovery codes are shown once', async () => {
  const { id, email } = await makePerson()
  const { page, complaints } = await enterAs(email)
  await page.goto(at('/profile/security'))
  await page.getByRole('link', { name: 'Set it up' }).click()
  await page.getByRole('img', { name: 'QR code for the app' }).waitFor()
  await look(page, 'profile-app')
  await page.getByRole('textbox', { name: 'Code' }).fill('000 000')
  await page.getByText('This code is not right').waitFor()
  const secret = await secretOn(page)
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
  await page.getByRole('heading', { name: 'Keep these ten codes' }).waitFor()
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  assert.equal(new Set(codes).size, 10)
  await look(page, 'profile-codes')

  await page.getByRole('link', { name: 'Security' }).first().click()
  await page.getByRole('dialog', { name: 'Leave without the recovery codes?' }).waitFor()
  await page.getByRole('button', { name: 'Stay' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const text = readFileSync(await (await download).path(), 'utf8')
  for (const code of codes) assert.ok(text.includes(code))
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByText('You have 10 recovery codes left').waitFor()
  await look(page, 'profile-security')
  assert.deepEqual(
    complaints.filter((one) => !REFUSED.test(one)),
    [],
  )

  await forgetLastCode(id)
  await page.getByRole('link', { name: 'New recovery codes' }).click()
  await page.getByRole('button', { name: 'Make ten new codes' }).click()
  await page.getByRole('heading', { name: 'Keep these ten codes' }).waitFor()
  const others = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  assert.equal(others.filter((code) => codes.includes(code)).length, 0)
})

test('with an app, the password leads to a second step: a wrong code says what is left, the right one is sent by itself', async () => {
  const { email, business } = await makePerson()
  const { secret } = await addTotp(business.admin)
  const { page } = await enterAgain(DESK)
  await page.goto(at(`/${business.slug}/orders`))
  await page.waitForURL(/\/admin\/login/)
  await givePassword(page, email)
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
  await look(page, 'door-code')
  await page.getByRole('textbox', { name: 'Code' }).fill('000000')
  await page.getByText('4 tries are left.').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Code' }).inputValue(), '000000')
  await look(page, 'door-code-wrong')
  const code = codeOf(secret)
  await page.getByRole('textbox', { name: 'Code' }).pressSequentially(`${code.slice(0, 3)} ${code.slice(3)}`)
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()
})

test('the sixth wrong code leads back to the first step with what was typed; after ten in an hour it says how long to wait', async () => {
  const { id, email, business } = await makePerson()
  const { secret, recoveryCodes } = await addTotp(business.admin)
  const { page, context, complaints } = await enterAgain(DESK)
  const field = page.getByRole('textbox', { name: 'Code' })
  const asked = page.waitForResponse((answer) => answer.url().endsWith('/admin/session') && answer.status() === 403)
  await page.goto(at('/login'))
  await givePassword(page, email)
  const { challenge } = await (await asked).json()
  // One of the tries is made elsewhere: the page does not know of it.
  const data = { challenge, code: '000000' }
  const elsewhere = await context.request.post(at('/session'), { data, headers: { origin: desk.url } })
  assert.equal(elsewhere.status(), 422)
  for (const left of ['4 tries are left.', '3 tries are left.', '2 tries are left.', '1 try is left.']) {
    await field.fill(`00000${left.slice(0, 1)}`)
    await page.getByText(left).waitFor()
  }
  const refused = page.waitForResponse((answer) => answer.status() === 429)
  await field.fill('000009')
  await refused
  await page.getByText('Those were too many wrong ones for one sign-in.').waitFor()
  await look(page, 'door-tried-often')
  assert.equal(await page.getByLabel('Email').inputValue(), email)
  assert.equal(await page.getByLabel('Password').inputValue(), PASSWORD)

  const letAMinutePass = () =>
    desk.api.services.databases.control
      .deleteFrom('accounts.attempts')
      .where('key', 'like', `factor-code:${id}%:minute`)
      .execute()
  await letAMinutePass()
  await page.getByRole('button', { name: 'Sign in' }).click()
  for (const digit of [1, 2, 3, 4]) {
    await field.fill(`00000${digit}`)
    await page.getByText(`${5 - digit} ${digit === 4 ? 'try is' : 'tries are'} left.`).waitFor()
  }
  await field.fill('000005')
  await page.getByText('Those were too many wrong ones for one sign-in.').waitFor()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await letAMinutePass()
  await field.fill(codeOf(secret))
  await page.getByText(/wait (59|60) minutes and try again/).waitFor()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.who').waitFor()
  assert.deepEqual(
    complaints.filter((one) => !REFUSED.test(one)),
    [],
  )
})

test('a recovery code signs in once, and the way without the device says so', async () => {
  const { email, business } = await makePerson()
  const { recoveryCodes } = await addTotp(business.admin)
  const [code = ''] = recoveryCodes
  const { page } = await enterAgain({ width: 390 })
  await page.goto(at('/login'))
  await givePassword(page, email)
  await page.getByRole('button', { name: 'I have lost my device' }).click()
  await page.getByRole('heading', { name: 'Without your device' }).waitFor()
  await page.getByRole('heading', { name: 'Whoever runs this service' }).waitFor()
  await look(page, 'door-lost')
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(code.toLowerCase())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This recovery code is used up.').waitFor()
  await page.getByRole('button', { name: 'Set up your new device' }).click()
  await page.getByText('You have 9 recovery codes left').waitFor()

  await page.getByRole('button', { name: email }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await givePassword(page, email)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('you have used it already').waitFor()
})

/** The phone with the app and the passkey is gone, and so are its browser and its sessions. */
async function loseEverything() {
  const { id, email, business } = await makePerson()
  const { device, ...first } = await enterWithDevice(email)
  const { secret, codes } = await setUpApp(first.page)
  await first.page.getByRole('button', { name: 'Print', exact: true }).click()
  await first.page.getByRole('button', { name: 'I have kept them' }).click()
  await first.page.getByText('You have 10 recovery codes left').waitFor()
  await addPasskey(first.page, device, 'Lost phone')
  const lost = await device.credentials()
  await first.context.close()
  return { id, email, business, secret, codes, lost }
}

/** What was lost opens nothing any more. */
async function tryLost({ email, secret, lost }: { email: string; secret: string; lost: Credential[] }) {
  const { page, context } = await enter(browser)
  const device = await addAuthenticator(page, lost)
  await page.goto(at('/login'))
  await device.touch(
    () => continueButton(page).click(),
    () => page.getByText('This passkey is not known here.').waitFor(),
  )
  await givePassword(page, email)
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
  await page.getByText('This code is not right').waitFor()
  await context.close()
}

test('who has lost phone and passkey comes in by a recovery code, sets up anew, and the old ones open nothing', async () => {
  const { id, email, secret, codes, lost } = await loseEverything()
  const { page, context } = await enter(browser, { width: 390 })
  const device = await addAuthenticator(page)
  await page.goto(at('/login'))
  await givePassword(page, email)
  await page.getByRole('button', { name: 'I have lost my device' }).click()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(codes[3] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Set up your new device' }).click()
  await page.getByText('You have 9 recovery codes left').waitFor()

  // They have a cup of tea first: the app that is gone would be asked for.
  await letProofAge(id)
  await page.getByRole('button', { name: 'Remove the app' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).click()
  const proof = page.getByRole('dialog', { name: 'Is it you?' })
  await proof.getByText('Without your device?').waitFor()
  await look(page, 'lost-proof')
  await proof.getByRole('link', { name: 'Sign in again' }).click()
  await givePassword(page, email)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(codes[4] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(at('/profile/security'))

  await page.getByRole('button', { name: 'Remove the app' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).click()
  await page.getByText('Not set up').waitFor()
  await page.getByRole('button', { name: 'Remove Lost phone' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('You have none yet.').waitFor()
  await addPasskey(page, device, 'New phone')
  const anew = await setUpApp(page)
  assert.equal(anew.codes.filter((code) => codes.includes(code)).length, 0)
  await context.close()
  await tryLost({ email, secret, lost })

  const later = await enterAgain(DESK)
  await later.page.goto(at('/login'))
  await givePassword(later.page, email)
  await later.page.getByRole('button', { name: 'Use a recovery code' }).click()
  await later.page.getByLabel('Recovery code').fill(codes[5] ?? '')
  await later.page.getByRole('button', { name: 'Sign in' }).click()
  await later.page.getByText('This is none of your recovery codes').waitFor()
  await later.page.getByLabel('Recovery code').fill(anew.codes[0] ?? '')
  await later.page.getByRole('button', { name: 'Sign in' }).click()
  await later.page.locator('.who').waitFor()
})

test('who has no recovery codes either is helped by the operator, told by mail, and begins with the password', async () => {
  const { email, business, secret, lost } = await loseEverything()
  const { page } = await enterAgain(DESK)
  await page.goto(at('/login'))
  await givePassword(page, email)
  await page.getByRole('button', { name: 'I have lost my device' }).click()
  await page.getByText('Write to them from your own address.').waitFor()
  const { code, out, err } = await runCli(['user', 'second-factor', 'remove', email], desk.api.databases.env)
  assert.equal(code, 0, err)
  assert.match(out, /has no second factor any more; all their sessions have ended/)
  const told = () =>
    desk.mailServer.mails.some(
      ({ to, subject }) => to?.[0]?.address === email && /second factor.*removed/i.test(subject ?? ''),
    )
  await until('a mail tells them', told)

  await page.getByRole('button', { name: 'I have found it' }).click()
  await page.getByRole('button', { name: 'Back to signing in' }).click()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.who').waitFor()
  await page.goto(at('/profile/security'))
  await page.getByText('Not set up').waitFor()
  await page.getByText('You have none yet.').waitFor()
  await setUpApp(page)
  await tryLost({ email, secret, lost })
  const { body } = await business.admin.get('/v1/users/me')
  assert.equal(body.error, 'UNAUTHENTICATED', 'sessions from before have ended')
})

test('a second step that took too long goes back to the first, with what was typed', async () => {
  const { id, email, business } = await makePerson()
  await addTotp(business.admin)
  const { page } = await enterAgain(DESK)
  await page.goto(at('/login'))
  await givePassword(page, email)
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
  const { control } = desk.api.services.databases
  await control
    .updateTable('accounts.loginChallenges')
    .set({ expiresAt: new Date(0) })
    .where('userId', '=', id)
    .execute()
  await page.getByRole('textbox', { name: 'Code' }).fill('123456')
  await page.getByText('The second step took longer than five minutes.').waitFor()
  assert.equal(await page.getByLabel('Email').inputValue(), email)
  assert.equal(await page.getByLabel('Password').inputValue(), PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
})

test('a passkey is added with its name, signs in by a press, a key, the browser’s offer and as a second step, and is removed', async () => {
  const { email } = await makePerson()
  const { page, context, device } = await enterWithDevice(email)
  await page.goto(at('/profile/security'))
  await addPasskey(page, device, 'Ada’s laptop')
  await page.getByText('Next time Ada’s laptop signs you in.').waitFor()
  await look(page, 'profile-passkeys')
  assert.equal((await device.credentials()).length, 1)

  await page.locator('.who').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await continueButton(page).waitFor()
  await look(page, 'door')
  const isRefused = () => page.getByText('Nothing was confirmed.').waitFor()
  await device.touch(() => continueButton(page).click(), isRefused, { isOwner: false })
  await signInBy(page, device)

  await context.clearCookies()
  await page.goto(at('/login'))
  await continueButton(page).waitFor() // who came in with a passkey last has it under the finger
  await device.touch(
    () => page.keyboard.press('Enter'),
    () => page.locator('.who').waitFor(),
  )

  await context.clearCookies()
  // Without windows, what is offered below the email address is chosen by whoever has a finger on the device.
  await device.touch(
    () => page.goto(at('/login')),
    () => page.locator('.who').waitFor(),
  )

  await setUpApp(page)
  await context.clearCookies()
  await page.goto(at('/login'))
  await givePassword(page, email)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await signInBy(page, device)

  await page.goto(at('/profile/security'))
  await page.getByText('last used').waitFor()
  await page.getByRole('button', { name: 'Remove Ada’s laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('You have none yet.').waitFor()
  await context.close()
})

test('a key is made by a form, shown once, works as far as it was given rights, and is revoked', async () => {
  const { email, business } = await makePerson('Quay Books')
  const { page, context, complaints } = await enterAs(email)
  await page.goto(at('/profile/keys'))
  await page.getByText('No keys yet').waitFor()
  await page.getByRole('link', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Import script')
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.getByText('Choose at least one.').waitFor()
  await page.getByLabel('See orders and customers').check()
  await page.reload()
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Import script')
  assert.ok(await page.getByLabel('See orders and customers').isChecked())
  await look(page, 'profile-new-key')
  await page.getByRole('button', { name: 'Make the key' }).click()
  const value = await page.getByLabel('Value').inputValue()
  await look(page, 'profile-key-value')

  const key = createClient(desk.url, { 'x-api-key': value })
  assert.equal((await key.get(`${business.path}/orders`)).status, 200)
  assert.equal((await key.post(`${business.path}/promo-codes`, {})).status, 403)

  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Stay' }).click()
  await context.grantPermissions(['clipboard-write', 'clipboard-read'], { origin: desk.url })
  await page.getByRole('button', { name: 'Copy the value' }).click()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), value)
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: /Import script/ })
  await row.getByText('Quay Books').waitFor()
  await row.getByText('See orders and customers').waitFor()
  await look(page, 'profile-keys')
  await row.getByRole('button', { name: 'Revoke Import script' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No keys yet').waitFor()
  assert.equal((await key.get(`${business.path}/orders`)).status, 401)
  assert.deepEqual(
    complaints.filter((one) => !REFUSED.test(one)),
    [],
  )
})

test('sessions say where and when; one is ended, then all others', async () => {
  const { email } = await makePerson()
  const others = [await signInElsewhere(email), await signInElsewhere(email), await signInElsewhere(email)]
  const { page, complaints } = await enterAs(email)
  await page.goto(at('/profile/sessions'))
  await page.getByText('this one').waitFor()
  await look(page, 'profile-sessions')
  const ends = page.getByRole('button', { name: /^End (?!all)/ })
  assert.equal(await ends.count(), others.length + 1) // one of a program, with which the business was made
  await page.getByRole('button', { name: 'End Unknown program' }).click()
  await page.getByText('Session ended').waitFor()
  await page.getByRole('button', { name: 'End all others' }).click()
  await page.getByText('3 other browsers and programs are signed out').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click()
  await page.getByText('Other sessions ended').waitFor()
  assert.equal(await ends.count(), 0)
  assert.deepEqual(complaints, [])
  for (const { resume } of others) assert.equal((await resume()).status(), 401)
  const [one] = others
  const ended = await one?.context.newPage()
  await ended?.goto(at('/profile'))
  await ended?.getByRole('button', { name: 'Sign in' }).waitFor()
  for (const { context } of others) await context.close()
})

test('a proof that is too old is asked for anew, over the dialog that waits for it, and the action is done', async () => {
  const { id, email } = await makePerson()
  const { page } = await enterAs(email)
  const { secret } = await setUpApp(page)
  await page.getByRole('button', { name: 'Print', exact: true }).click()
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByText('You have 10 recovery codes left').waitFor()
  await page.goto(at('/profile/keys/new'))
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop server')
  await page.getByLabel('See orders and customers').check()
  await letProofAge(id)
  await forgetLastCode(id)
  await page.getByRole('button', { name: 'Make the key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Is it you?' })
  await dialog.waitFor()
  await look(page, 'proof')
  await page.keyboard.press('Escape')
  await page.getByText('What you chose is still there.').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Shop server')
  await page.getByRole('button', { name: 'Make the key' }).click()
  await dialog.getByLabel('Code of your authenticator app').fill('000000')
  await dialog.getByText('This code is not right').waitFor()
  await dialog.getByLabel('Code of your authenticator app').fill(codeOf(secret))
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Leave without it' }).click()

  await letProofAge(id)
  await forgetLastCode(id)
  await page.getByRole('button', { name: 'Revoke Shop server' }).click()
  const sure = page.getByRole('dialog', { name: 'Revoke Shop server?' })
  await sure.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByLabel('Code of your authenticator app').fill(codeOf(secret))
  await page.getByText('Shop server revoked').waitFor()
})

test('who has no second factor is asked for the password, and the passkey is made', async () => {
  const { id, email } = await makePerson()
  const { page, context, device } = await enterWithDevice(email)
  await page.goto(at('/profile/security'))
  await letProofAge(id)
  const dialog = page.getByRole('dialog', { name: 'Is it you?' })
  const isAsked = async () => {
    await dialog.getByLabel('Password').fill('not the password')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByText('This is not your password.').waitFor()
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Next time Desk signs you in.').waitFor()
  }
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name of the passkey').fill('Desk')
  await device.touch(() => page.getByRole('button', { name: 'Make the passkey' }).click(), isAsked)
  await context.close()
})

test('the password is changed; the old one is wanted, and other sessions end', async () => {
  const { email } = await makePerson()
  const other = await signInElsewhere(email)
  const { page } = await enterAs(email)
  await page.goto(at('/profile/security'))
  await page.getByLabel('Current password').fill('not the password')
  await page.getByLabel('New password').fill('lantern teapot harbour')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('This is not your current password.').waitFor()
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('Password changed.').waitFor()
  assert.equal((await other.resume()).status(), 401)
  await other.context.close()
})

/** Somebody of the team has switched it on. */
const requireSecondFactor = async (businessId: string) => {
  const { control } = desk.api.services.databases
  await control
    .updateTable('access.businesses')
    .set((row) => ({ requireSecondFactor: true, version: row('version', '+', 1) }))
    .where('id', '=', businessId)
    .execute()
  await transaction(control, (tx) => notify(tx, 'business', businessId))
}

test('a business that wants a second factor says so, leads to one, and opens', async () => {
  const { email, business } = await makePerson('Rope Walk')
  await requireSecondFactor(business.id)
  const { page, context, complaints, device } = await enterWithDevice(email)
  await page.goto(at(`/${business.slug}/orders`))
  await page.getByRole('heading', { name: 'Rope Walk wants a second factor' }).waitFor()
  await look(page, 'shut')
  assert.deepEqual(complaints, [], 'nothing was asked of the service that it refuses')
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await addPasskey(page, device)
  await page.goto(at(`/${business.slug}/orders`))
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()

  await context.clearCookies()
  await desk.signIn(context, email)
  await page.goto(at(`/${business.slug}/orders`))
  await page.getByRole('button', { name: 'Show it now' }).click()
  const dialog = page.getByRole('dialog', { name: 'Is it you?' })
  await look(page, 'proof-passkey')
  await device.touch(
    () => dialog.getByRole('button', { name: 'Use a passkey' }).click(),
    () => page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor(),
  )
  await context.close()
})

test('a business that begins to want one says so to whoever works there, at their next step at the latest', async () => {
  const { email, business } = await makePerson()
  const { page } = await enterAs(email)
  await page.goto(at(`/${business.slug}/orders`))
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()
  await requireSecondFactor(business.id)
  // The end of the stream of events may tell them before they take the step: then there is nothing to press any more.
  const step = page.getByRole('link', { name: 'Customers' }).first().click()
  step.catch(() => {})
  await page.getByRole('heading', { name: 'wants a second factor' }).waitFor()
})

test('on a phone, in German, all pages of the profile can be read', async () => {
  const { email, business } = await makePerson()
  const key = { name: 'Import script', permissions: ['PRODUCTS_WRITE', 'CONTENT_WRITE'], expiresAt: 4_000_000_000 }
  const made = await business.admin.post('/v1/users/keys', { ...key, businessId: business.id })
  assert.equal(made.status, 201, made.text)
  const { page, context } = await enter(browser, { width: 390, locale: 'de-DE' })
  await desk.signIn(context, email)
  for (const place of ['', '/security', '/security/app', '/sessions', '/keys', '/keys/new']) {
    await page.goto(at(`/profile${place}`))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('[aria-busy=true], .bone').first().waitFor({ state: 'detached' })
    if (place === '/security' || place === '/keys') await look(page, `profile${place.replaceAll('/', '-')}-phone`)
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    assert.equal(overflow, 0, `${place} can be scrolled sideways`)
  }
  await context.close()
})
