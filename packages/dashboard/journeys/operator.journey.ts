import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import pg from 'pg'
import type { Cookie, Page } from 'playwright-core'
import { until } from '../../../test/support/until.ts'
import { isNarrow, PHONE, signIn } from './desk.ts'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Service } from './service.ts'
import type { Shop } from './shop.ts'

const EMAIL = 'otto@host.example'
const JOB = 'orders.print-slips'
const ERROR = 'connect ECONNREFUSED printer.quay.example:9100'

type Case = { jobId: string }

const retry = (page: Page) => page.getByRole('button', { name: 'Run again' }).first()
const business = (page: Page) => page.getByRole('link', { name: 'Harbour Goods' }).first()

/** A mail has said that a job is dead. Whose it is and why stands on the first screen; the business says whether its books balance. */
export const createOperator = (service: Service) => {
  const { databaseUrl, businessId } = service
  let kept: Cookie[] | undefined
  let isPrepared = false

  async function ask<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** An operator, who is nobody in the business, and books that were checked. */
  async function prepareOnce(shop: Shop): Promise<void> {
    if (isPrepared) return
    await ask(
      `with made as (
         insert into accounts.users (id, name, email, email_key, confirmed_at, created_at, updated_at, password_hash)
         select 'usr_operator', 'Otto', $1, $1, now(), now(), now(), password_hash from accounts.users where email = $2
         returning id)
       insert into accounts.operators (user_id, created_at) select id, now() from made`,
      [EMAIL, service.email],
    )
    await shop.write('POST', '/checks', {})
    await until('the books are checked', async () => (await shop.read('/checks')).finishedAt !== null, {
      withinMs: 120_000,
    })
    isPrepared = true
  }

  return journey<Case>({
    number: 12,
    name: 'the operator at 3 a.m., on a phone of 360 px: which business, which job, retry, proof that the books balance',
    bars: { seconds: 60, actions: 8 },
    runs: 5,
    isDoor: true,
    async prepare(shop) {
      await prepareOnce(shop)
      const [job] = await ask<{ id: string }>(
        `select id from graphile_worker.add_job($1, payload => $2::json, max_attempts => 10)`,
        [JOB, JSON.stringify({ businessId })],
      )
      await ask(
        'update graphile_worker._private_jobs set attempts = 10, last_error = $2, updated_at = now() where id = $1',
        [job?.id, ERROR],
      )
      // As the worker measures it every few minutes.
      await ask(
        `insert into access.business_figures (business_id, dead_jobs, checked_at, measured_at)
         select business_id, 1, finished_at, now() from checks.businesses where business_id = $1
         on conflict (business_id) do update
           set dead_jobs = 1, broken_rules = 0, checked_at = excluded.checked_at, measured_at = now()`,
        [businessId],
      )
      return { jobId: String(job?.id) }
    },
    async open(page) {
      await page.setViewportSize(PHONE)
      if (kept) return page.context().addCookies(kept)
      await signIn(page.context(), { ...service, email: EMAIL })
      await setUpApp(page, service)
      kept = await page.context().cookies()
    },
    place: '/../operator',
    isReady: (page) => retry(page).waitFor(),
    async byMouse(person) {
      const { page } = person
      await seesTheJob(person)
      await person.click(retry(page))
      await page.getByText('It runs again.').waitFor()
      await person.click(business(page))
      await seesTheBooks(person)
    },
    async byKeyboard(person) {
      const { page } = person
      await seesTheJob(person)
      await person.press('j')
      await person.sees('what Enter would do', page.locator('[data-stop]:focus', { hasText: 'Run again' }))
      await person.press('Enter')
      await page.getByText('It runs again.').waitFor()
      await person.press('Control+k')
      await person.sees('the palette', page.getByRole('combobox', { name: 'Find or do' }))
      await person.type('harbour')
      await person.sees('what was found', page.getByRole('option', { name: 'Harbour Goods' }))
      await person.press('Enter')
      await seesTheBooks(person)
    },
    async check(_shop, { jobId }, page) {
      const [job] = await ask<{ attempts: number }>(
        'select attempts from graphile_worker._private_jobs where id = $1',
        [jobId],
      )
      assert.equal(job?.attempts, 0, 'the job has all its attempts again')
      await ask('select graphile_worker.complete_jobs(array[$1]::bigint[])', [jobId])
      kept = await page.context().cookies() // a refresh token works once
    },
  })
}

async function seesTheJob(person: Person): Promise<void> {
  const { page } = person
  await person.sees('what needs an operator', page.getByText(ERROR), business(page), retry(page))
  await isNarrow(page)
}

async function seesTheBooks(person: Person): Promise<void> {
  const { page } = person
  await person.sees('the business', page.getByText('Books: they balance'), page.getByText('Books checked'))
  await isNarrow(page)
}

/** By the screens, once. */
async function setUpApp(page: Page, { url }: Service): Promise<void> {
  await page.goto(`${url}/admin/operator`)
  await page.getByRole('link', { name: 'Set up an app' }).click()
  const secret = ((await page.getByTestId('secret').textContent()) ?? '').replaceAll(' ', '')
  await page.getByRole('textbox', { name: 'Code' }).fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
  await page.getByRole('heading', { name: 'Keep these ten codes' }).waitFor()
}
