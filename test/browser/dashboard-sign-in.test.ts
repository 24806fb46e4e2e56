import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { hashPassword } from '#modules/accounts/sign-in/passwords.ts'
import { launchBrowser } from '../support/browser.ts'
import { addTotp, codeOf, wrongCodeOf } from '../support/factors.ts'
import { openIdentityProvider } from '../support/identity-provider.ts'
import { startNameServer } from '../support/name-server.ts'
import { PASSWORD } from '../support/people.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, enter, look, openDashboard } from '../support/served-dashboard.ts'

const CLAIMED = 'Editor of the shop'
/** Refusals that are part of what is tried. */
const REFUSED = /status of (403|429)/

let names: Awaited<ReturnType<typeof startNameServer>>
let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
before(async () => {
  names = await startNameServer()
  desk = await openDashboard({ OUTGOING_LOOPBACK: 'on', ...names.env }, 'localhost')
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
  names?.close()
})

let count = 0

/** A business, an OpenID provider of its own, and its admin at the settings. */
async function sitDown(t: { after: (end: () => Promise<void>) => void }) {
  const business = await desk.make.business()
  const idp = await openIdentityProvider(`${desk.url}/v1/users/login/callback/${business.id}`)
  t.after(() => idp.close())
  const { body: role } = await business.admin.post(`${business.path}/roles`, {
    name: 'Editors',
    permissions: ['CONTENT_WRITE', 'CONTENT_READ_DRAFTS'],
  })
  const domain = `quay${++count}.example`
  const provider = `${business.path}/sign-in-provider`
  const settings = {
    issuer: idp.issuer,
    clientId: idp.env.OIDC_CLIENT_ID,
    clientSecret: idp.env.OIDC_CLIENT_SECRET,
    domains: [domain],
    roleClaim: 'name',
    roles: [{ value: CLAIMED, roleId: role.id as string }],
  }
  /** By the API, as the first test does it by the screens. */
  async function setUp() {
    const { body, status, text } = await business.admin.put(provider, settings)
    assert.equal(status, 200, text)
    const [{ record }] = body.domains
    names.texts.set(record.name, [record.value])
    const checked = await business.admin.post(`${provider}/check-domain`, { domain })
    assert.equal(checked.body.status, 'PROVEN', checked.text)
  }
  const staffUrl = `${desk.url}/admin/login?business=${business.id}`
  return { ...business, idp, domain, provider, settings, setUp, staffUrl }
}

/** Through the pages of the provider, as a person does. */
async function signInThere(page: Page, sub: string) {
  await page.getByRole('button', { name: 'Continue with your company’s sign-in' }).click()
  await page.locator('input[name=login]').fill(sub)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
  await page.locator('button[type=submit]').click()
  await page.waitForURL(/\/admin\//)
}

/** On a phone it can be read without scrolling sideways. */
async function fits(page: Page, name: string) {
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    assert.equal(overflow, 0, `${name} can be scrolled sideways at ${width}`)
  }
  await page.setViewportSize({ width: 1_280, height: 900 })
}

/** The same where a phone arranges it in another way. */
async function atPhone(page: Page, name: string) {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('main h1').scrollIntoViewIfNeeded() // what lies below a bar is no target
  await look(page, `${name}-390`)
  await fits(page, name)
}

test('an admin sets the provider up, proves the domain, maps a group to a role; a colleague comes in; it is deleted', async (t) => {
  const { admin, id, idp, domain, provider, staffUrl } = await sitDown(t)
  const { page, context, complaints } = await enterAgain({ width: 1_280 })
  await desk.doorOf(admin)
  await desk.signIn(context, admin.email ?? '')
  await page.goto(`${desk.url}/admin/${id}/settings/sign-in`)
  await page.getByText(`${desk.url}/v1/users/login/callback/${id}`).waitFor()
  await look(page, 'settings-sign-in-new-1280')
  await fits(page, 'settings-sign-in-new')

  await page.getByLabel('Issuer').fill('127.0.0.1:1')
  await page.getByLabel('Client ID').fill('kontor')
  await page.getByRole('button', { name: /^Save 2.*Still missing: Client secret, Domains/ }).waitFor()
  assert.equal(await page.getByLabel('Issuer').inputValue(), 'https://127.0.0.1:1')
  await page.getByLabel('Client secret').fill(idp.env.OIDC_CLIENT_SECRET)
  await page.getByLabel('Another domain').fill(`ada@${domain.toUpperCase()}`)
  await page.getByLabel('Another domain').press('Enter')
  await page.getByText('Not saved yet').waitFor()
  await page.getByRole('button', { name: /^Save/ }).click()
  await page.locator('.problem', { hasText: 'There is no OpenID provider at' }).waitFor()
  await look(page, 'settings-sign-in-refused-1280')
  assert.equal((await admin.get(provider)).status, 404)

  await page.getByLabel('Issuer').fill(`${idp.issuer}/.well-known/openid-configuration`)
  await page.getByLabel('Claim').fill('name')
  await page.getByRole('button', { name: 'Add a group' }).click()
  await page.getByLabel('Group').fill(CLAIMED)
  await page.getByLabel('Role', { exact: true }).selectOption('Editors')
  await page.getByRole('button', { name: /^Save/ }).click()
  await page.getByText('Nobody can sign in with it yet: prove a domain.').waitFor()
  const { body: saved } = await admin.get(provider)
  assert.equal(saved.issuer, idp.issuer)
  assert.equal(
    await page
      .evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')
      .then(String)
      .then((kept) => kept.includes(idp.env.OIDC_CLIENT_SECRET)),
    false,
  )

  const [{ record }] = saved.domains
  await page.getByText(record.name, { exact: true }).waitFor()
  await context.grantPermissions(['clipboard-write', 'clipboard-read'], { origin: desk.url })
  await page.getByRole('button', { name: /^Copy ?: Value/ }).click()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), record.value)
  await page.getByRole('button', { name: /^Check now/ }).click()
  await page.getByText('the record was not there').waitFor()
  await look(page, 'settings-sign-in-pending-1280')
  await fits(page, 'settings-sign-in-pending')
  names.texts.set(record.name, [record.value])
  await page.getByRole('button', { name: /^Check now/ }).click()
  await page.getByText('Your staff can sign in with it.').waitFor()
  await look(page, 'settings-sign-in-1280')
  await atPhone(page, 'settings-sign-in')
  assert.deepEqual(complaints, [])

  idp.people.set('cleo', { sub: 'cleo', email: `cleo@${domain}`, email_verified: true, name: CLAIMED })
  const colleague = await enter(browser)
  await colleague.page.goto(await page.locator('.copied code').first().innerText())
  await look(colleague.page, 'door-staff')
  await signInThere(colleague.page, 'cleo')
  await colleague.page.locator('.side').getByRole('link', { name: 'Content' }).waitFor()
  assert.equal(await colleague.page.locator('.side').getByRole('link', { name: 'Orders' }).count(), 0)
  await colleague.page.locator('.who').click()
  await colleague.page.getByRole('menuitem', { name: 'Sign out' }).click()
  await colleague.page.goto(`${desk.url}/admin/login`)
  await colleague.page.getByRole('button', { name: 'Continue with your company’s sign-in' }).waitFor()
  assert.deepEqual(colleague.complaints, [])

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText(/ deleted$/).waitFor()
  assert.equal((await admin.get(provider)).status, 404)
  await colleague.page.goto(staffUrl)
  await colleague.page.getByText('The sign-in of your company cannot be used now.').waitFor()
  await colleague.context.close()
  await page.goto(`${desk.url}/admin/${id}/settings/audit`)
  await page.locator('.log li', { hasText: `proved the domain ${domain}` }).waitFor()
  await page.locator('.log li', { hasText: 'deleted the staff sign-in' }).waitFor()
  await page.locator('.log li', { hasText: /The company’s sign-in gave .* the role Editors/ }).waitFor()
})

test('another issuer wants the secret again and says that domains are to be proven anew', async (t) => {
  const { admin, id, setUp } = await sitDown(t)
  await setUp()
  const other = await openIdentityProvider(`${desk.url}/other`)
  t.after(() => other.close())
  const { page, context } = await enterAgain({ width: 1_280 })
  await desk.doorOf(admin)
  await desk.signIn(context, admin.email ?? '')
  await page.goto(`${desk.url}/admin/${id}/settings/sign-in`)
  await page.getByLabel('Issuer').fill(other.issuer)
  await page.getByText('Type it again: a secret is not handed on').waitFor()
  await page.getByText('With another issuer each domain is to be proven anew').waitFor()
  await page.reload()
  assert.equal(await page.getByLabel('Issuer').inputValue(), other.issuer, 'what was typed is still there')
  await page.getByLabel('Client secret').fill(other.env.OIDC_CLIENT_SECRET)
  await page.getByRole('button', { name: /^Save/ }).click()
  await page.getByText('Not proven yet').waitFor()
})

test('after the provider comes the second step of the account; a reload begins anew, and the way leads on to where one was going', async (t) => {
  const { id, idp, domain, setUp } = await sitDown(t)
  await setUp()
  const email = `bo@${domain}`
  const bo = await desk.make.user()
  await desk.api.services.databases.control
    .updateTable('accounts.users')
    .set({ email, emailKey: email })
    .where('id', '=', bo.id)
    .execute()
  const { secret } = await addTotp(bo)
  idp.people.set('bo', { sub: 'bo', email, email_verified: true, name: CLAIMED })

  const { page, complaints } = await enterAgain()
  await page.goto(`${desk.url}/admin/login?business=${id}&to=/admin/profile/sessions`)
  await signInThere(page, 'bo')
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('code'), null, 'the code is out of the address')
  await look(page, 'door-staff-code')
  await page.getByRole('textbox', { name: 'Code' }).fill(wrongCodeOf(secret))
  await page.getByText('4 tries are left.').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Continue with your company’s sign-in' }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  // The provider knows them by now, and asks for nothing.
  await page.getByRole('button', { name: 'Continue with your company’s sign-in' }).click()
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
  await page.getByRole('button', { name: 'Back to signing in' }).click()
  await page.getByRole('button', { name: 'Continue with your company’s sign-in' }).click()
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
  await page.waitForURL(`${desk.url}/admin/profile/sessions`)
  await page.getByText('this one').waitFor()
  assert.deepEqual(
    complaints.filter((one) => !REFUSED.test(one)),
    [],
  )
})

test('staff sign-in › opens the other businesses of a person after they confirm it', async (t) => {
  const { idp, domain, setUp, staffUrl } = await sitDown(t)
  await setUp()
  const email = `fay@${domain}`
  const fay = await desk.make.user()
  await desk.api.services.databases.control
    .updateTable('accounts.users')
    .set({ email, emailKey: email, passwordHash: await hashPassword(PASSWORD) })
    .where('id', '=', fay.id)
    .execute()
  const other = await desk.make.business({ owner: fay })
  idp.people.set('fay', { sub: 'fay', email, email_verified: true, name: CLAIMED })

  const { page, complaints } = await enterAgain({ width: 1_280 })
  await page.goto(staffUrl)
  await signInThere(page, 'fay')
  await page.locator('.side').getByRole('link', { name: 'Content' }).waitFor()
  await page.locator('.switcher').first().click()
  await page.getByRole('menuitem', { name: 'Confirm it’s you to see all businesses' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: other.name }).count(), 0)
  await page.keyboard.press('Escape')

  await page.goto(`${desk.url}/admin/${other.id}`)
  await page.getByText('Confirm it’s you to see your other businesses.').waitFor()
  await look(page, 'staff-limited-1280')
  await page.getByRole('button', { name: 'Confirm it’s you' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.getByText('gives you access to its business only').waitFor()
  await look(page, 'staff-confirm-1280')
  await dialog.getByLabel('Password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.locator('.side').getByRole('link', { name: 'Orders' }).waitFor()
  assert.ok(page.url().startsWith(`${desk.url}/admin/${other.slug}`))
  await page.locator('.switcher').first().click()
  await page.getByRole('menuitem', { name: other.name }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Confirm it’s you to see all businesses' }).count(), 0)
  assert.deepEqual(complaints, [])
})

test('whoever the provider gives no role is told whom to ask, and can sign in another way', async (t) => {
  const { idp, domain, setUp, staffUrl } = await sitDown(t)
  await setUp()
  idp.people.set('dee', { sub: 'dee', email: `dee@${domain}`, email_verified: true, name: 'Nobody' })
  const { page } = await enterAgain({ width: 390 })
  await page.goto(staffUrl)
  await signInThere(page, 'dee')
  await page.getByText('did not let you in here').waitFor()
  await look(page, 'door-staff-refused')
  await page.getByLabel('Password').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('error'), null)
  await page.goto(`${staffUrl}&code=stolen&state=other`)
  await page.getByText('This sign-in was not begun here.').waitFor()
  await page.getByRole('button', { name: 'Continue with your company’s sign-in' }).waitFor()
})
