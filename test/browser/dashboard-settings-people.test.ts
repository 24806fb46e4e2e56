import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { now } from '#platform/clock.ts'
import { newId } from '#vocabulary/ids.ts'
import { launchBrowser } from '../support/browser.ts'
import { reusePage } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'

let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
before(async () => {
  desk = await openDashboard()
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

const control = () => desk.api.services.databases.control
const rename = (id: string, name: string) =>
  control().updateTable('accounts.users').set({ name }).where('id', '=', id).execute()

/** A business with roles and people, and one of them at its settings. */
async function sitDown({ people = 3, as }: { people?: number; as?: 'settler' } = {}) {
  const shop = await desk.make.shop()
  const { admin, path, id: businessId } = shop
  await rename(admin.id, 'Ada Byron')
  const role = async (name: string, ...permissions: string[]) =>
    (await admin.post(`${path}/roles`, { name, permissions })).body as { id: string }
  const packers = await role('Packers', 'ORDERS_READ', 'ORDERS_WRITE')
  const writers = await role('Writers', 'CONTENT_WRITE', 'CONTENT_READ_DRAFTS')
  const rows = Array.from({ length: people }, (_, index) => ({
    id: newId('usr'),
    name: `${['Bo', 'Cleo', 'Dan', 'Ines'][index % 4]} ${['Lind', 'Moor', 'Næss', 'Oduya', 'Pähl'][index % 5]} ${index}`,
    email: `person${index}-${newId('x')}@team.example`,
  }))
  await control()
    .insertInto('accounts.users')
    .values(
      rows.map((one) => ({ ...one, emailKey: one.email, confirmedAt: now(), createdAt: now(), updatedAt: now() })),
    )
    .execute()
  await control()
    .insertInto('access.memberships')
    .values(rows.map(({ id: userId }) => ({ businessId, userId, roleId: packers.id, createdAt: now() })))
    .execute()
  const settler = as === 'settler' ? await desk.make.member(businessId, 'SETTINGS_WRITE') : undefined
  const { page, context, complaints } = await enterAgain({ width: 1_280 })
  const person = settler ?? admin
  await desk.doorOf(person)
  await desk.signIn(context, person.email ?? '')
  const open = async (place: string) => {
    await page.goto(`${desk.url}/admin/${businessId}/settings${place}`)
    await page.locator('main h1').first().waitFor()
  }
  /** On a phone it can be read without scrolling sideways. */
  const fits = async (name: string) => {
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 700 })
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, `${name} can be scrolled sideways at ${width}`)
    }
    await page.setViewportSize({ width: 1_280, height: 900 })
  }
  /** The same where a phone arranges it in another way. */
  const phone = async (name: string) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await look(page, `${name}-390`)
    await fits(name)
  }
  const members = async (query: string) => (await admin.get(`${path}/members?query=${query}`)).body.items
  return { ...shop, packers, writers, rows, page, complaints, open, fits, phone, members }
}

test('a thousand members are searched and paged; one gets another role, is offered ADMIN, and is removed', async () => {
  const { page, open, fits, phone, members, rows, packers, complaints } = await sitDown({ people: 1_000 })
  await open('/team')
  await page.getByText('More than 100').waitFor()
  await page.getByRole('row', { name: /Ada Byron/ }).waitFor()
  await look(page, 'settings-team-1280')
  await phone('settings-team')
  const drawn = await page.locator('.team-table tbody tr').count()
  assert.ok(drawn < 70, `${drawn} rows are drawn`)
  await page.getByLabel('Find members').fill('moor 421')
  await page.waitForURL(/query=moor/)
  await page.getByText('1 person', { exact: true }).waitFor()
  const name = rows[421]?.name ?? ''
  await page.getByRole('link', { name }).click()
  const sheet = page.getByRole('dialog', { name })
  await sheet.getByRole('button', { name: /^Save the roles.*No changes/ }).waitFor()
  await sheet.getByLabel('Writers').check()
  await sheet.getByLabel('Packers').uncheck()
  await sheet.getByRole('button', { name: 'Save the roles' }).click()
  await sheet.waitFor({ state: 'detached' })
  assert.deepEqual(
    (await members('moor%20421'))[0].roles.map((role: { name: string }) => role.name),
    ['Writers'],
  )
  await page.getByRole('link', { name }).click()
  await sheet.getByLabel('Admin').check()
  await sheet.getByText('They have to accept it.').waitFor()
  await look(page, 'settings-member-admin-1280')
  await fits('settings-member')
  await sheet.getByRole('button', { name: 'Save the roles' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.getByText('Admin offered').waitFor()
  await page.getByRole('link', { name }).click()
  await sheet.getByRole('button', { name: 'Remove', exact: true }).click()
  await sheet.getByText('loses all roles at once').waitFor()
  await sheet.getByRole('button', { name: 'Remove from the team' }).click()
  await page.getByText('Nobody is found so').waitFor()
  assert.deepEqual(await members('moor%20421'), [])
  await open(`/team?role=${packers.id}`)
  await page.locator('.chip', { hasText: 'Packers' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('somebody is invited once though the answer is lost, invited again, and the invitation withdrawn', async () => {
  const { page, open, fits, admin, path, complaints } = await sitDown()
  await open('/team')
  await page.keyboard.press('n')
  const sheet = page.getByRole('dialog', { name: 'Invite somebody' })
  await sheet.getByLabel('Email address').fill('new@team.example')
  await sheet.getByRole('button', { name: /^Send the invitation.*Choose a role first/ }).waitFor()
  await sheet.getByLabel('Writers').check()
  await look(page, 'settings-invite-1280')
  await fits('settings-invite')
  let asked = 0
  await page.route('**/invitations', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    asked += 1
    if (asked > 1) return route.fallback()
    await route.fetch() // it was done; nobody hears of it
    await route.abort('connectionreset')
  })
  await sheet.getByRole('button', { name: 'Send the invitation' }).click()
  await sheet.waitFor({ state: 'detached' })
  const pending = async () => (await admin.get(`${path}/invitations?status=PENDING`)).body.items
  assert.equal((await pending()).length, 1)
  assert.ok(asked >= 2)
  await page.getByRole('link', { name: 'Invitations 1' }).click()
  await page.getByText('new@team.example', { exact: true }).waitFor()
  await page.getByText('invited by Ada Byron').waitFor()
  await look(page, 'settings-invitations-1280')
  await fits('settings-invitations')
  const [first] = await pending()
  await page.getByRole('button', { name: 'Send again' }).click()
  await until('there is another one', async () => (await pending())[0]?.id !== first.id)
  assert.equal((await pending()).length, 1)
  await page.getByText('gets another mail').waitFor()
  await page.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('Nobody is invited now').waitFor()
  assert.equal((await pending()).length, 0)
  assert.deepEqual(complaints, [])
})

test('whoever sets up the business without being its ADMIN is told what they may not do', async () => {
  const { page, open, rows, complaints } = await sitDown({ as: 'settler' })
  await open('/team')
  await page.getByRole('link', { name: rows[0]?.name ?? '' }).click()
  await page.getByRole('button', { name: /^Remove.*Needs ADMIN/ }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('n')
  await page.getByText('You can’t assign a role with more permissions than yours.').first().waitFor()
  await open('/roles')
  await page.getByRole('link', { name: /^Admin/ }).click()
  await page.getByText('You can’t edit a role with more permissions than yours.').first().waitFor()
  await open('/roles/new')
  assert.equal(await page.getByLabel('Everything, as an admin').isDisabled(), true)
  assert.equal(await page.getByLabel('Set up the business').isDisabled(), false)
  await open('/audit')
  await page.getByText('Your role does not show this page.').waitFor()
  assert.equal(await page.locator('.settings-nav a', { hasText: 'Audit log' }).count(), 0)
  assert.deepEqual(complaints, [])
})

test('a role is made in plain words, changed while somebody else changes it, and deleted once nobody has it', async () => {
  const { page, open, fits, admin, path, packers, complaints } = await sitDown()
  await open('/roles')
  await page.getByRole('link', { name: '3 people' }).waitFor()
  await look(page, 'settings-roles-1280')
  await fits('settings-roles')
  await page.keyboard.press('n')
  await page.getByLabel('Name', { exact: true }).fill('Letter writers')
  await page.getByLabel('Send letters').check()
  await page.reload()
  await page.getByRole('button', { name: 'Create the role' }).click()
  await page.getByRole('heading', { level: 1, name: 'Letter writers' }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  await page.getByLabel('See readers').check()
  await page.getByText('May: See readers · Send letters').waitFor()
  assert.equal((await admin.put(`${path}/roles/${id}`, { name: 'Postmasters' })).status, 200)
  await page.keyboard.press('Control+s')
  await page.getByText('Changes saved', { exact: true }).waitFor()
  const saved = (await admin.get(`${path}/roles/${id}`)).body
  assert.deepEqual([saved.name, saved.permissions.toSorted()], ['Postmasters', ['NEWSLETTER_SEND', 'SUBSCRIBERS_READ']])
  await page.getByRole('heading', { level: 1, name: 'Postmasters' }).waitFor()
  await look(page, 'settings-role-1280')
  await fits('settings-role')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL(/settings\/roles$/)
  await open(`/roles/${packers.id}`)
  await page.getByRole('button', { name: /^Delete.*Give them another role first/ }).waitFor()
  assert.deepEqual(complaints, [])
})

test('the dashboard is seen as a role: less is there, nothing can be changed, and a bar leads back', async () => {
  const { page, open, phone, admin, path, complaints, id } = await sitDown()
  const permissions = ['ORDERS_READ', 'PROMOS_WRITE']
  const sellers = (await admin.post(`${path}/roles`, { name: 'Sellers', permissions })).body
  await open(`/roles/${sellers.id}`)
  await page.getByRole('button', { name: 'See as this role' }).click()
  const bar = page.getByRole('region', { name: 'Seen as a role' })
  await bar.getByText('You see this as Sellers.').waitFor()
  const links = () => page.locator('.side .nav a').allTextContents()
  await until('only what they may see is left', async () => !(await links()).includes('Settings'))
  assert.deepEqual(await links(), ['Home', 'Orders', 'Promo codes', 'Customers', 'Insights'])
  await look(page, 'seen-as-1280')
  await phone('seen-as')
  await page.reload() // it stays, in this tab
  await bar.waitFor()
  await page.goto(`${desk.url}/admin/${id}/settings/business`)
  await page.getByRole('heading', { name: 'Your role does not show this' }).waitFor()
  await page.getByText('Sellers has no SETTINGS_WRITE.').waitFor()
  await page.goto(`${desk.url}/admin/${id}/orders`)
  await page.getByRole('button', { name: /^New order.*Sellers has no ORDERS_WRITE/ }).waitFor()
  // What they may do looks as they have it, and still nothing is sent.
  await page.goto(`${desk.url}/admin/${id}/promo-codes/new`)
  await page.getByLabel('Code', { exact: true }).fill('NOT-MADE')
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url())
  })
  await page.getByRole('button', { name: 'Create the code' }).click()
  await page.getByText('You’re viewing as another role.').first().waitFor()
  assert.deepEqual(sent, [])
  assert.deepEqual((await admin.get(`${path}/promo-codes`)).body.items, [])
  await bar.getByRole('button', { name: 'Back to yourself' }).click()
  await page.waitForURL(/settings\/roles\/role_/)
  await page.locator('.side').getByRole('link', { name: 'Settings' }).waitFor()
  assert.equal(await bar.count(), 0)
  assert.deepEqual(complaints, [])
})

test('the log says in sentences who did what, and is found by person, kind and day', async () => {
  const { page, open, phone, admin, path, id, writers, rows, complaints } = await sitDown()
  const settler = await desk.make.member(id, 'SETTINGS_WRITE')
  await rename(settler.id, 'Sam Settler')
  await settler.put(path, { name: 'Renamed', timeZone: 'Europe/Oslo' })
  await admin.put(`${path}/members/${rows[0]?.id}`, { roleIds: [writers.id] })
  await admin.put(`${path}/roles/${writers.id}`, { permissions: ['CONTENT_WRITE'] })
  await admin.post(`${path}/invitations`, { email: 'x@example.com', roleId: writers.id })
  await open('/audit')
  const line = (text: string) => page.locator('.log li', { hasText: text })
  await line('Sam Settler changed the name, the time zone').waitFor()
  await line(`Ada Byron gave ${rows[0]?.name} the role Writers`).waitFor()
  await line(`took the role Packers from ${rows[0]?.name}`).waitFor()
  await line('changed what Writers may do: Write content and letters').waitFor()
  await line('invited somebody as Writers').waitFor()
  await line('made the role Packers: See orders and customers · Work on orders').waitFor()
  await look(page, 'settings-audit-1280')
  await phone('settings-audit')
  await page.getByLabel('Who', { exact: true }).selectOption('Sam Settler')
  await page.waitForURL(/person=usr_/)
  await line('Ada Byron').first().waitFor({ state: 'detached' })
  assert.equal(await page.locator('.log li').count(), 1)
  await page.getByRole('link', { name: 'Clear' }).click()
  await page.getByLabel('What', { exact: true }).selectOption('Roles')
  await line('Sam Settler').waitFor({ state: 'detached' })
  await page.getByLabel('Up to and with').fill('2020-01-01')
  await page.getByText('Nothing is found so').waitFor()
  await page.goBack()
  assert.deepEqual(complaints, [])
})
