import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { addOperator } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { newId } from '#vocabulary/ids.ts'
import { launchBrowser } from '../support/browser.ts'
import { addTotp, codeOf } from '../support/factors.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'
import { reusePage, signInWithCode } from '../support/reused-page.ts'
import { type Dashboard, look, openDashboard } from '../support/served-dashboard.ts'
import { createTestDatabases, type TestDatabases } from '../support/start-api.ts'
import { until } from '../support/until.ts'

/** Refusals that are part of what is tried. */
const REFUSED = /status of 403/
const unexpected = (complaints: string[]) => complaints.filter((line) => !REFUSED.test(line))
const DESK: { width: number; height?: number } = { width: 1_280 }
const PHONE = { width: 360, height: 740 }

let databases: TestDatabases
let proxy: Proxy
let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
before(async () => {
  databases = await createTestDatabases()
  proxy = await startProxy(databases.second.url)
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: proxy.url } }) }
  desk = await openDashboard({}, 'localhost', { ...databases, env })
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  proxy?.restore()
  await browser?.close()
  await desk?.close()
  await proxy?.close()
  await databases?.drop()
})

const at = (place = '') => `${desk.url}/admin/operator${place}`
const control = () => desk.api.services.databases.control
const cell = (name: string) => desk.api.services.databases.cells.get(name) as Db

/** Somebody who works in a business and has a password. */
async function makePerson() {
  const { admin } = await desk.make.business()
  const { id, email = '' } = admin
  await desk.doorOf(admin)
  return { id, email, admin }
}

async function makeOperator() {
  const person = await makePerson()
  await transaction(control(), (tx) => addOperator(tx, person.id))
  return person
}

async function enterAs(email: string, size = DESK) {
  const entered = await enterAgain(size)
  await desk.signIn(entered.context, email)
  return entered
}

/** By the screens of the profile, which the console leads to. Answers the secret. */
async function setUpApp(page: Page) {
  await page.getByRole('link', { name: 'Set up an app' }).click()
  const secret = ((await page.getByTestId('secret').textContent()) ?? '').replaceAll(' ', '')
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
  await page.getByRole('heading', { name: 'Keep these ten codes' }).waitFor()
  return secret
}

/** An operator who is in, at this address. */
async function enterOperator(place = '', size = DESK) {
  const { id, email, admin } = await makeOperator()
  const { secret } = await addTotp(admin)
  const entered = await enterAgain(size)
  await signInWithCode(entered.context, { url: desk.url, email, code: codeOf(secret) })
  await entered.page.goto(at(place))
  return { ...entered, id, email, secret }
}

/** A job as the queue holds it, out of attempts. */
async function addDead(
  name: string,
  error: string,
  { businessId, where = 'main' }: { businessId?: string; where?: string } = {},
) {
  const payload = JSON.stringify(businessId ? { businessId } : {})
  const { rows } = await sql<{ id: string }>`
    select id from graphile_worker.add_job(${name}, payload => ${payload}::json, max_attempts => 10)`.execute(
    cell(where),
  )
  const id = String(rows[0]?.id)
  await sql`
    update graphile_worker._private_jobs set attempts = 10, last_error = ${error}, updated_at = now()
     where id = ${id}::bigint`.execute(cell(where))
  return `${where}:${id}`
}

const triesOf = async (jobId: string) => {
  const [where = '', id = ''] = jobId.split(':')
  const { rows } = await sql<{ attempts: number }>`
    select attempts from graphile_worker._private_jobs where id = ${id}::bigint`.execute(cell(where))
  return rows[0]?.attempts
}

type Figures = { deadJobs?: number; stoppedSends?: number; requests?: number; rows?: number; mediaBytes?: number }

/** As the worker measures it every few minutes. */
const measure = (businessId: string, figures: Figures = {}) =>
  control()
    .updateTable('access.businessFigures')
    .set({ ...figures, measuredAt: new Date() })
    .where('businessId', '=', businessId)
    .execute()

const letProofAge = (userId: string) =>
  sql`update accounts.sessions set proven_at = now() - interval '11 minutes', second_factor_at = now() - interval '11 minutes'
       where user_id = ${userId}`.execute(control())

/** The last code may have been of this half minute. */
const forgetLastCode = (userId: string) =>
  sql`update accounts.second_factors set last_step = 0 where user_id = ${userId}`.execute(control())

test('whoever is no operator sees no way in, and is told which command makes them one', async () => {
  const { email } = await makePerson()
  const { page, complaints } = await enterAs(email)
  await page.goto(`${desk.url}/admin`)
  await page.locator('.switcher:visible').click()
  await page.getByRole('menuitem', { name: 'Another business' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Operator' }).count(), 0)
  assert.deepEqual(complaints, [])
  await page.goto(at('/jobs'))
  await page.getByRole('heading', { name: 'This is for operators of the service' }).waitFor()
  await page.getByText(`npm run cli -- user operator add ${email}`).waitFor()
  await look(page, 'operator-refused')
  assert.deepEqual(unexpected(complaints), [])
})

test('an operator without a second factor is led to one, and then finds what needs them on the first screen of a phone', async () => {
  const { name, id: businessId } = await desk.make.business({ name: 'Nordlicht Kaffee' })
  await measure(businessId, { deadJobs: 2, requests: 48_211, rows: 120_000, mediaBytes: 52_400_000 })
  const { id: good } = await desk.make.business({ name: 'Harbour Goods', cell: 'second' })
  await measure(good, { requests: 31 })
  const error = 'connect ECONNREFUSED smtp.example:587'
  const jobs = [
    await addDead('newsletter.deliver', error, { businessId }),
    await addDead('newsletter.deliver', error, { businessId }),
  ]

  const { id, email } = await makeOperator()
  const { page, complaints } = await enterAs(email, PHONE)
  await page.goto(`${desk.url}/admin`)
  await page.locator('.switcher:visible').click()
  await page.getByRole('menuitem', { name: 'Operator' }).click()
  await page.getByRole('heading', { name: 'Operators need a second factor' }).waitFor()
  await look(page, 'operator-no-factor-360')
  const secret = await setUpApp(page)
  await page.goto(at())
  await page.getByRole('heading', { name: /of \d+ businesses needs? you/ }).waitFor()
  await page.getByText(error).waitFor()
  const run = page.getByRole('button', { name: 'Run all 2 again' })
  const box = await run.boundingBox()
  assert.ok(box && box.y + box.height < PHONE.height - 56, `what to do is above the fold: ${box?.y}`)
  assert.ok(box.height >= 40, 'large enough for a thumb')
  await page.getByRole('link', { name, exact: true }).last().waitFor()
  await look(page, 'operator-home-360')

  await letProofAge(id)
  await forgetLastCode(id)
  await run.click()
  await page.getByRole('heading', { name: 'Is it you?' }).waitFor()
  for (const job of jobs) assert.equal(await triesOf(job), 10, 'nothing is done before the proof')
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
  await page.getByText('2 run again.').waitFor()
  for (const job of jobs) assert.equal(await triesOf(job), 0)
  await page.getByText('No dead jobs.').waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('dead jobs are seen one by one, run again, and discarded only after a question', async () => {
  const name = 'webhooks.mail-admins'
  const { id: businessId, name: businessName } = await desk.make.business({ name: 'Fjell & Faden' })
  const kept = await addDead(name, '410 Gone from https://lager.example/hook', { businessId })
  const gone = await addDead(name, 'socket hang up', { where: 'second' })
  const { page, complaints, email } = await enterOperator('/jobs')
  const group = page.getByRole('article').filter({ hasText: name })
  await group.getByText('2 jobs').waitFor()
  await look(page, 'operator-jobs-1280')
  await group.getByRole('link', { name: 'One by one' }).click()
  await page.waitForURL(at(`/jobs?name=${name}`))
  await page.getByRole('list', { name: 'One by one' }).getByRole('link', { name: businessName }).waitFor()
  await page.setViewportSize(PHONE)
  await look(page, 'operator-jobs-one-360')
  await page.getByRole('button', { name: `Run again ${kept}` }).click()
  await page.getByText('It runs again.').waitFor()
  assert.equal(await triesOf(kept), 0)
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await page.getByRole('button', { name: 'Leave it' }).click()
  assert.equal(await triesOf(gone), 10)
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await page.getByText('Discarded.').waitFor()
  await until('it is gone', async () => (await triesOf(gone)) === undefined)
  await page.goto(at('/audit'))
  await page.getByText(`${email} ran the job ${name} (${kept}) again`).waitFor()
  await page.getByText(`${email} discarded 1 dead job of ${name}`).waitFor()
  await page.getByText(`made ${email} an operator`).waitFor()
  await page.getByRole('link', { name: businessName }).waitFor()
  await look(page, 'operator-audit-360')
  assert.deepEqual(unexpected(complaints), [])
})

test('a business is found, suspended with a reason that stays, and opened again', async () => {
  const { id, name, admin } = await desk.make.business({ name: 'Atelier Brume', cell: 'second' })
  await measure(id, { stoppedSends: 1, requests: 9_120, rows: 4_200, mediaBytes: 1_900_000_000 })
  await sql`
    insert into cell.usage_days (business_id, day, requests, mails, jobs)
    select ${id}, date_trunc('day', now(), 'UTC') - day * interval '1 day', 9000 - day * day * 9, day * 40, 300
      from generate_series(1, 29) as day`.execute(cell('second'))
  const { page, complaints } = await enterOperator()
  await page.getByRole('searchbox', { name: 'Find a business' }).fill('brume')
  await page.waitForURL(at('?query=brume'))
  const row = page.getByRole('row', { name: /Atelier Brume/ })
  await row.getByText('1 letter stopped').first().waitFor()
  await page.getByRole('link', { name: 'All', exact: false }).first().click()
  await look(page, 'operator-home-1280')
  await row.getByRole('link', { name }).click()
  await page.waitForURL(at(`/businesses/${id}`))
  await page.getByText('Letters: 1 stopped').waitFor()
  await page.getByRole('list', { name: 'Requests' }).getByText(': 8,991').waitFor({ state: 'attached' })
  await page.getByRole('link', { name: admin.email ?? '' }).waitFor()
  await look(page, 'operator-business-1280')
  await page.getByLabel('Requests a minute').fill('many')
  await page.getByText('A whole number, or nothing.').waitFor()
  await page.getByLabel('Requests a minute').fill('6000')
  await page.getByLabel('Files, in GB').fill('2,5')
  await page.getByRole('button', { name: 'Set the limits' }).click()
  await page.getByText('The limits are set.').waitFor()
  const { limits } = await control()
    .selectFrom('access.businesses')
    .select('limits')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(limits, { requestsPerMinute: 6_000, mediaBytes: 2_500_000_000 })
  await page.setViewportSize(PHONE)
  await page.getByRole('link', { name: 'Suspend' }).click()
  const suspend = page.getByRole('button', { name: `Suspend ${name}` })
  await suspend.click()
  await page.getByText('Say why: its people read it.').waitFor()
  await page.getByLabel('Reason').fill('Unpaid since September.')
  await look(page, 'operator-suspend-360')
  await suspend.click()
  await page.getByText(`${name} suspended`).waitFor()
  await page.getByText('suspended the business').waitFor()
  await page.getByText('Unpaid since September.').first().waitFor()
  await look(page, 'operator-business-360')
  assert.equal((await admin.get(`/v1/businesses/${id}/roles`)).status, 403)
  await page.getByRole('button', { name: 'Open again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Open again' }).click()
  await page.getByText(`${name} is open again.`).waitFor()
  await page.getByRole('link', { name: 'Suspend' }).waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('without a mouse: a dead job is run again and a business found, opened and suspended, by keys', async () => {
  const { id, name } = await desk.make.business({ name: 'Quayside Lamps' })
  await measure(id, { deadJobs: 1 })
  const job = await addDead('orders.print-slips', 'connect ECONNREFUSED printer.example:9100', { businessId: id })
  const { page, complaints } = await enterOperator('', PHONE)
  const { keyboard } = page
  const focused = page.locator('[data-stop]:focus')
  const palette = page.getByRole('combobox', { name: 'Find or do' })
  await page.getByRole('heading', { name: 'orders.print-slips' }).waitFor()
  await keyboard.press('j')
  await focused.getByText('Run again').waitFor()
  await keyboard.press('j')
  await page.locator('a[data-stop]:focus').waitFor()
  await keyboard.press('k')
  await focused.getByText('Run again').waitFor()
  await keyboard.press('Enter')
  await page.getByText('It runs again.').waitFor()
  assert.equal(await triesOf(job), 0)

  await keyboard.press('Control+k')
  await palette.waitFor()
  await keyboard.type(id)
  await page.getByRole('option', { name }).waitFor()
  await keyboard.press('Escape')
  await keyboard.press('Control+k')
  await keyboard.type('quays')
  const option = page.getByRole('option', { name })
  await option.waitFor()
  await look(page, 'operator-palette-360')
  await keyboard.press('Enter')
  await page.waitForURL(at(`/businesses/${id}`))
  await page.getByRole('heading', { name, level: 1 }).waitFor()

  await page.setViewportSize({ ...DESK, height: 800 })
  await keyboard.press('Control+k')
  await palette.waitFor()
  await keyboard.press('ArrowUp')
  const last = page.getByRole('option', { name: 'Sign out', selected: true })
  const box = await last.boundingBox()
  const list = await page.getByRole('listbox', { name: 'Found' }).boundingBox()
  assert.ok(box && list && box.y + box.height <= list.y + list.height, 'what the arrows have chosen is in sight')
  await keyboard.type('suspend quay')
  await page.getByRole('option', { name: `Suspend ${name}` }).waitFor()
  await keyboard.press('Enter')
  await page.getByRole('button', { name: `Suspend ${name}` }).waitFor()
  await keyboard.press('Escape')

  for (const [keys, place] of [
    ['gj', '/jobs'],
    ['gs', '/sends'],
    ['gc', '/cells'],
    ['ga', '/audit'],
    ['gb', ''],
  ] as const) {
    await keyboard.type(keys)
    await page.waitForURL(at(place))
  }
  await page.getByRole('searchbox', { name: 'Find a business' }).waitFor()
  await keyboard.press('/')
  await keyboard.type('quays')
  await page.waitForURL(at('?query=quays'))
  await keyboard.press('Control+k')
  await keyboard.type('to cells')
  await page.getByRole('option', { name: 'Go to Cells' }).waitFor()
  await keyboard.press('Enter')
  await page.waitForURL(at('/cells'))
  await keyboard.press('?')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await look(page, 'operator-keys-1280')
  assert.deepEqual(unexpected(complaints), [])
})

/** A letter as the cell holds it. */
async function addSend(businessId: string, fields: object) {
  const at = new Date()
  const ids = { businessId, id: newId('snd'), entryId: newId('ent'), collectionId: newId('col'), onUncertain: 'SKIP' }
  const times = { scheduledAt: at, startedAt: at, createdAt: at, updatedAt: at }
  await cell('main')
    .insertInto('newsletter.sends')
    .values({ ...ids, status: 'RUNNING', ...times, ...fields })
    .execute()
}

test('letters of all businesses are seen with how far they are, and what has stopped them', async () => {
  const [calm, ill] = [await desk.make.business({ name: 'Lumen Press' }), await desk.make.business({ name: 'Elster' })]
  await addSend(calm.id, { total: 1_204, sent: 800, failed: 2, suppressed: 5 })
  await addSend(ill.id, { status: 'PAUSED', problem: 'The mail server refuses the sender.', total: 40, sent: 12 })
  const { page, complaints } = await enterOperator('/sends')
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
  await row('Lumen Press').getByText('800 / 1,204').waitFor()
  await row('Elster').getByText('The mail server refuses the sender.').waitFor()
  await look(page, 'operator-sends-1280')
  await page.getByRole('link', { name: 'Paused' }).click()
  await row('Lumen Press').waitFor({ state: 'detached' })
  await row('Elster').getByText('Stopped').waitFor()
  await page.setViewportSize(PHONE)
  await page.goto(at('/sends'))
  await page.getByText('800 of 1,204, 2 failed').waitFor()
  await look(page, 'operator-sends-360')
  assert.deepEqual(unexpected(complaints), [])
})

test('it speaks German, with words that come with it', async () => {
  const { page, complaints } = await enterOperator('/sends?state=SCHEDULED')
  await page.getByText('No letters here').waitFor()
  await page.locator('.who').click()
  await page.getByRole('menuitem', { name: 'Deutsch' }).click()
  await page.getByText('Keine Briefe hier').waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Zellen' }).click()
  await page.getByRole('heading', { name: 'Prozesse' }).waitFor()
  await page.setViewportSize(PHONE)
  await look(page, 'operator-cells-german-360')
  assert.deepEqual(unexpected(complaints), [])
})

test('a cell that does not answer is said so, and the rest still shows', async () => {
  const { name, id } = await desk.make.business({ name: 'Bruket', cell: 'second' })
  await measure(id)
  await addDead('orders.tell', 'Boom')
  const { page, complaints } = await enterOperator('/cells')
  await page.getByRole('heading', { name: 'Processes' }).waitFor()
  await look(page, 'operator-cells-1280')
  proxy.cut()
  await page.goto(at())
  await page.getByRole('heading', { name: 'A cell does not answer' }).waitFor()
  await page.getByText('Cell second does not answer.').waitFor()
  await page.getByRole('heading', { name: 'orders.tell' }).waitFor()
  await look(page, 'operator-away-1280')
  await page.getByRole('link', { name: 'Which?' }).click()
  await page
    .getByRole('row', { name: new RegExp(name) })
    .getByText('Its cell second does not answer')
    .first()
    .waitFor()
  await page.getByRole('link', { name: 'Jobs' }).first().click()
  await page.getByText('What it holds is missing here; the rest is complete.').waitFor()
  await page.getByRole('heading', { name: 'orders.tell' }).waitFor()
  await page.setViewportSize(PHONE)
  await page.goto(at())
  await page.getByText('Cell second does not answer.').waitFor()
  await look(page, 'operator-away-360')
  proxy.restore()
  assert.deepEqual(unexpected(complaints), [])
})
