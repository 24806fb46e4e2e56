import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newsletterJobs } from '#modules/newsletter/index.ts'
import { now } from '#platform/clock.ts'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { createSendWorker, letter, openNewsletter } from '../support/newsletter-api.ts'
import { reusePage } from '../support/reused-page.ts'
import { openRoughServer } from '../support/rough-smtp.ts'
import { type Dashboard, enter, look, openDashboard } from '../support/served-dashboard.ts'
import { startTestWorker, type TestWorker } from '../support/start-worker.ts'
import { until } from '../support/until.ts'

let desk: Dashboard
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
let worker: TestWorker
before(async () => {
  desk = await openDashboard()
  const env = { ...desk.api.databases.env, ...desk.env, PUBLIC_URL: desk.url }
  worker = startTestWorker(
    env,
    newsletterJobs.map(({ cron: _cron, ...job }) => job),
  )
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await worker?.stop()
  await desk?.close()
})

const HTML = { settings: { variant: 'HTML' } }
const BLOCKS = [
  { id: 'title', type: 'TEXT', label: 'Title', required: true },
  { id: 'body', type: 'TEXT', label: 'Text', required: true, ...HTML },
]
const written = (body: string, title = 'The lamps are lit') => [
  { ...BLOCKS[0], value: title },
  { ...BLOCKS[1], value: body },
]
const FINE =
  '<p>Dear {{ subscriber.name | default: "friend" }}, at half past four it is dark on the quay now.</p><p><a href="https://shop.example.com/lamps">See the lamps</a></p>'

type Looks = Parameters<typeof enter>[1]

/** A newsletter with readers, and its owner at the desk. */
async function sitDown(fields: object = {}, options?: Looks) {
  const newsletter = await openNewsletter(desk.make, { name: 'Harbour Post', blocks: BLOCKS, ...fields })
  const { page, context, complaints } = options ? await enter(browser, options) : await enterAgain()
  await desk.doorOf(newsletter.admin)
  await desk.signIn(context, newsletter.admin.email ?? '')
  const open = async (place = '') => {
    await page.goto(`${desk.url}/admin/${newsletter.id}/letters${place}`)
    await page.locator('main h1').first().waitFor()
  }
  return { ...newsletter, page, context, complaints, open }
}

/** A computed style of what is in the frame. */
const styleIn = (page: Page, selector: string, name: string) =>
  page.evaluate(`(() => {
    const inside = document.querySelector('iframe.mail-frame').contentDocument
    return getComputedStyle(inside.querySelector('${selector}')).${name}
  })()`)

/** Asked of the page: to ask in the frame would need scripts there. */
const inFrame = (page: Page, what: string) =>
  page.evaluate(`(() => {
    const inside = document.querySelector('iframe.mail-frame')?.contentDocument
    return inside?.body ? ${what} : undefined
  })()`)

const shows = (page: Page, text: string) =>
  until(`the letter shows ${text}`, async () => String(await inFrame(page, 'inside.body.textContent')).includes(text))

test('a letter is looked at, checked, tried and planned, and stands in the list', async () => {
  const { page, open, entry, fill, complaints, admin } = await sitDown()
  await fill(12, 'planned.example')
  await entry(written(FINE, 'An earlier one'))
  const { id, path } = await entry(written(FINE))
  await open()
  await page.getByRole('heading', { name: 'Harbour Post' }).waitFor()
  await page.getByText('12 readers').waitFor()
  const row = page.getByRole('row', { name: /The lamps are lit/ })
  await row.getByText('Draft').waitFor()
  await look(page, 'letters')
  await row.getByRole('link', { name: 'The lamps are lit' }).click()

  await shows(page, 'Dear Ada, at half past four')
  assert.equal(await styleIn(page, '.card', 'fontSize'), '16px', 'with its styles')
  const links = await inFrame(page, "[...inside.querySelectorAll('a')].map((a) => [a.getAttribute('href'), a.title])")
  assert.deepEqual(
    (links as [string | null, string][])[0],
    [null, 'https://shop.example.com/lamps'],
    'nobody leaves the page by a link of the letter',
  )
  await page.getByText('Nothing is wrong with it.').waitFor()
  await look(page, 'letter')
  await page.getByRole('link', { name: 'Phone' }).click()
  await page.waitForURL(/as=phone/)
  assert.ok(((await page.locator('iframe.mail-frame').boundingBox())?.width ?? 0) <= 400)
  await look(page, 'letter-phone-width')
  await page.keyboard.press('3')
  await page.waitForURL(/as=dark/)
  await until('it is dark', async () => (await styleIn(page, 'body', 'backgroundColor')) === 'rgb(22, 24, 27)')
  await page.getByRole('link', { name: 'Text', exact: true }).click()
  await page.locator('.mail-text').getByText('Dear Ada').waitFor()
  await page.getByText('Variables').click()
  await page.getByRole('button', { name: 'Copy Name of the reader' }).waitFor()
  await look(page, 'letter-text')

  await page.getByRole('button', { name: 'Test to me' }).click()
  await page.getByText(`Test email sent to ${admin.email}`).waitFor()
  const tried = await desk.mailServer.mailTo(admin.email ?? '')
  assert.match(tried.subject ?? '', /The lamps are lit/)

  await page.getByText('Later', { exact: true }).click()
  await page.getByLabel('Date and time').fill('2001-01-01T08:00')
  await page.getByText('That time is over. Choose one to come.').waitFor()
  await page.getByLabel('Date and time').fill('2031-06-05T07:30')
  await page.getByText('Thursday 5 June 2031, 07:30, at the clock of UTC').waitFor()
  await look(page, 'letter-later')
  await page.getByRole('button', { name: 'Plan it for 12 readers' }).click()
  await page.waitForURL(/sends\/snd_/)
  const { items } = (await admin.get(`${path}/sends`)).body
  assert.deepEqual([items.length, items[0].scheduledAt], [1, Date.UTC(2031, 5, 5, 7, 30) / 1_000])
  await page.getByText('Its readers are settled when it starts').waitFor()
  await look(page, 'send-planned')
  await page.getByRole('link', { name: 'See the letter' }).click()
  await page.getByText('It starts on Thursday 5 June 2031').waitFor()
  await page.getByRole('link', { name: 'Pause or cancel it' }).click()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel the send' }).click()
  await page.getByText('Called off').first().waitFor()
  assert.equal((await admin.get(`${path}/sends/${items[0].id}`)).body.status, 'CANCELLED')
  await open(`/${id}`)
  await page.getByRole('button', { name: 'Send to 12 readers now' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('what is wrong with a letter is said before it is sent, with the block that it is in', async () => {
  const { page, open, entry, fill, path, admin, complaints } = await sitDown()
  await fill(2, 'wrong.example')
  const odd =
    '<p>Look <a href="http://shop.example.com/a">here</a> or <a href="https://shop">there</a></p><img src="https://cdn.example.com/mast.png">'
  const { id } = await entry(written(odd))
  await page.route('https://cdn.example.com/**', (route) => route.abort())
  await open(`/${id}`)
  const check = page.getByRole('region', { name: 'Check before sending' })
  await check.getByText('The link “here” is not encrypted.').waitFor()
  await check.getByText('The link “there” leads nowhere.').waitFor()
  await check.getByText('Who does not see it reads nothing: mast.png').waitFor()
  await check.getByText('3 things to look at').waitFor()
  await page.getByRole('button', { name: 'Send to 2 readers now' }).click()
  const asked = page.getByRole('dialog', { name: 'Send it now?' })
  await asked.getByText('The link “there” leads nowhere.').waitFor()
  await asked.getByText('It is still a draft in Content; sending does not publish it.').waitFor()
  await asked.getByRole('button', { name: 'Send to 2 readers' }).waitFor()
  await look(page, 'letter-send-now')
  await asked.getByRole('button', { name: 'Not yet' }).click()
  await asked.waitFor({ state: 'hidden' })
  assert.equal(
    (await admin.get(`${path}/entries/${id}/sends`)).body.items.length,
    0,
    'nothing is sent before it is said',
  )
  await look(page, 'letter-warned')

  const blocks = written('<p>Dear {{ subscriber.name</p>', '')
  const { headers } = await admin.get(`${path}/entries/${id}`)
  assert.ok(headers)
  const changed = await admin.put(`${path}/entries/${id}`, { blocks: [blocks[1]] })
  assert.equal(changed.status, 200, changed.text)
  await page.reload()
  await check.getByText('The template of “Text” is wrong.').waitFor()
  await check.getByText('“Title” is empty.').waitFor()
  const button = page.getByRole('button', { name: /^Send to 2 readers now/ })
  assert.equal(await button.getAttribute('aria-disabled'), 'true')
  await look(page, 'letter-wrong')
  assert.deepEqual(complaints, [])
})

test('no script of a letter runs, whatever the service would answer', async () => {
  const { page, open, entry, complaints } = await sitDown()
  const { id } = await entry(written(FINE))
  const html = `<!doctype html><html><head><style>p { color: red }</style><meta http-equiv="refresh" content="0;url=https://evil.example"></head>
    <body onload="top.ran = 1" style="background: rgb(1, 2, 3)">
      <script>top.ran = 2</script><script src="/admin/assets/x.js"></script>
      <img src="/admin/none.png" onerror="top.ran = 3" alt="x"><svg onload="top.ran = 4"></svg>
      <iframe srcdoc="<script>top.ran = 5</script>"></iframe><a href="javascript:top.ran = 6">press</a>
      <form action="https://evil.example"><button>send</button></form><p>still here</p></body></html>`
  await page.route(/\/preview$/, (route) => route.fulfill({ json: { subject: 'Odd', html, text: 'odd' } }))
  await open(`/${id}`)
  await shows(page, 'still here')
  await inFrame(page, "inside.querySelector('a').click()")
  const sandbox = await page.locator('iframe.mail-frame').getAttribute('sandbox')
  assert.ok(!sandbox?.includes('allow-scripts'), 'it is sandboxed')
  const left = "inside.querySelectorAll('script, iframe, form, meta, [onload], [onerror], a[href]').length"
  assert.equal(await inFrame(page, left), 0)
  assert.equal(await styleIn(page, 'body', 'backgroundColor'), 'rgb(1, 2, 3)')
  assert.equal(await page.evaluate('window.ran'), undefined)
  assert.match(page.url(), /\/letters\/ent_/)
  assert.deepEqual(complaints, [])
})

/** In every frame that is drawn the parts are the whole. */
const WATCH = `(() => {
  window.seen = []
  const look = () => {
    const line = document.querySelector('.sum-line')
    if (line) {
      const sum = [...line.querySelectorAll('[data-count]')].reduce((all, one) => all + Number(one.dataset.count), 0)
      const drawn = [...document.querySelectorAll('.balance span')].reduce((all, one) => all + Number(one.style.flexGrow), 0)
      window.seen.push([sum, Number(line.dataset.total), drawn, line.querySelector('.sent').textContent])
    }
    requestAnimationFrame(look)
  }
  look()
})()`

test('a send is paused, one reader is looked up, it is resumed, and the rest gets it afterwards', async () => {
  const { page, open, entry, fill, send, owner, db, complaints } = await sitDown()
  await fill(40, 'running.example')
  const rough = await openRoughServer()
  rough.behave((stage, { recipient }) => {
    if (stage === 'RCPT' && recipient.startsWith('reader3@')) return { say: '550 5.1.1 No such mailbox here' }
    if (stage === 'TAKEN' && recipient.startsWith('reader5@')) return { and: 'DROP' }
    return undefined
  })
  const sender = createSendWorker(desk.api, { smtpUrl: rough.url, perSecondOfBusiness: 8, connections: 1 })
  let isOver = false
  const sending = (async () => {
    while (!isOver) {
      await sender.run(db)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  try {
    const made = await entry(written(FINE, 'First frost'))
    const running = await send(made)
    await open(`/${made.id}/sends/${running.id}`)
    await page.evaluate(WATCH)
    await page.getByText('Sending', { exact: true }).waitFor()
    await until('some were sent', async () => (await running.get()).sent > 3)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    assert.equal((await running.get()).status, 'PAUSED')
    await page.getByLabel('Find a reader').fill('reader30@running.example')
    await page.getByRole('row', { name: /Reader 30/ }).waitFor()
    await page.getByLabel('Find a reader').fill('reader30@')
    await page.getByText('Type the whole address').waitFor()
    await page.getByLabel('Find a reader').fill('nobody@running.example')
    await page.getByText('This letter was not for them').waitFor()
    await look(page, 'send-paused')
    await page.getByRole('button', { name: 'Resume' }).click()
    await until('it is done', async () => (await running.get()).status === 'DONE', { everyMs: 200 })
    await page.getByText('ended at').waitFor()

    await page.getByRole('link', { name: /^Failed/ }).click()
    const failed = page.getByRole('row', { name: /Reader 3 / })
    await failed.getByText('550 5.1.1 No such mailbox here').waitFor()
    await page.waitForURL(/show=failed/)
    await look(page, 'send-failed')
    await page.getByRole('link', { name: /^Uncertain/ }).click()
    await page.getByRole('row', { name: /Reader 5 / }).waitFor()
    await look(page, 'send-uncertain')
    await page.getByRole('link', { name: /^Sent/ }).click()
    await page.getByRole('row', { name: /Reader 1 / }).waitFor()
    const seen = (await page.evaluate('window.seen')) as [sum: number, total: number, drawn: number, sent: string][]
    assert.ok(new Set(seen.map(([, , , sent]) => sent)).size > 2, 'it was seen to move')
    const odd = seen.filter(([sum, total, drawn]) => sum !== total || drawn !== total)
    assert.deepEqual(
      odd.filter(([, total]) => total !== 0),
      [],
      'the parts were the whole in every frame',
    )

    rough.behave(() => undefined)
    await page.getByRole('button', { name: 'Send to the rest: 1' }).waitFor()
    await page.getByRole('checkbox', { name: 'Uncertain: 1' }).check()
    await page.getByRole('button', { name: 'Send to the rest: 2' }).click()
    await page.getByText('the first send').waitFor()
    await page.getByText('ended at').waitFor()
    const { items } = (await owner.get(`${made.path}/sends`)).body
    assert.deepEqual([items[0].remainderOf, items[0].sent, items[0].total], [running.id, 2, 2])
    await look(page, 'send-rest')
    await page.getByRole('link', { name: 'the first send' }).click()
    await page.getByText('It was sent to the rest already').waitFor()
    await page.getByRole('button', { name: 'Send to the rest: 1' }).click()
    await page.getByText(/Nobody is left to send it to/).waitFor()

    // Once more to everybody is a step of its own.
    await page.getByRole('link', { name: 'See the letter' }).click()
    const again = page.getByRole('button', { name: /^Send to 40 readers now/ })
    await again.waitFor()
    assert.equal(await again.getAttribute('aria-disabled'), 'true')
    await look(page, 'letter-sent')
    await page.getByLabel('Send it once more').check()
    await again.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send to 40 readers' }).click()
    await page.waitForURL((url) => !url.href.includes(running.id) && url.href.includes('/sends/snd_'))
    await until('a third is there', async () => (await owner.get(`${made.path}/sends`)).body.items.length === 3)
    await open()
    const listed = page.getByRole('row', { name: /First frost/ })
    await listed.getByText('Sending').waitFor()
    assert.deepEqual(complaints, [])
  } finally {
    isOver = true
    await sending
    sender.close()
    await rough.close()
  }
})

const suppress = ({ db, id: businessId }: Awaited<ReturnType<typeof sitDown>>, emailKey: string, reason: string) =>
  db.insertInto('newsletter.suppressions').values({ businessId, emailKey, reason, createdAt: now() }).execute()

test('readers are found, added, imported with what is wrong, taken off and exported', async () => {
  const seat = await sitDown({
    plans: [
      { id: 'free', name: 'Reader' },
      { id: 'patron', name: 'Patron', price: { amount: 400, currency: 'usd', interval: 'MONTHLY' } },
    ],
  })
  const { page, open, subscribed, subscribers, admin, collection, complaints } = seat
  await subscribed(admin, { email: 'ada@readers.example', name: 'Ada', planId: 'free' })
  await open(`/readers/${collection.id}`)
  await page.getByText('Plans: Reader (free), Patron ($ 4.00 a month).').waitFor()
  await page
    .getByRole('row', { name: /ada@readers.example/ })
    .getByText('Subscribed')
    .waitFor()
  await page.getByRole('button', { name: 'Add a reader' }).click()
  await page.getByLabel('Email address').fill('bo@readers.example')
  await page.keyboard.press('Enter')
  await page.getByText('bo@readers.example is a reader now.').waitFor()
  await page.getByRole('row', { name: /bo@readers.example/ }).waitFor()
  await look(page, 'readers-add')

  await page.getByRole('button', { name: 'Import readers' }).click()
  await page.getByText('Drop a file of readers here').waitFor()
  const text =
    'email,name,planId\ncleo@readers.example,Cleo,free\nnot an address,Nobody,free\ndan@readers.example,Dan,patron\n'
  await page
    .getByLabel('File of readers')
    .setInputFiles({ name: 'readers.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByText('Imported', { exact: true }).waitFor()
  await page.getByRole('heading', { name: '2 lines are wrong' }).waitFor()
  await page.getByText('Who subscribes to a paid plan has to pay').waitFor()
  await page.getByRole('row', { name: /cleo@readers.example/ }).waitFor()
  await look(page, 'readers-import')
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByLabel('Find a reader').fill('BO@readers.example')
  await page.waitForURL(/email=/)
  await page.getByRole('row', { name: /ada@readers.example/ }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Unsubscribe bo@readers.example' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe' }).click()
  await page.getByText('bo@readers.example gets no more letters.').waitFor()
  await page
    .getByRole('row', { name: /bo@readers.example/ })
    .getByText('Has left')
    .waitFor()
  const [left] = await subscribers('&status=CANCELLED')
  assert.equal(left.email, 'bo@readers.example')
  await page.getByLabel('Find a reader').fill('')
  await page.getByRole('link', { name: /^Has left 1/ }).click()
  await page.waitForURL(/status=CANCELLED/)
  await look(page, 'readers')

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const file = readFileSync((await (await saved).path()) ?? '', 'utf8')
  assert.equal(file.trim().split('\n').length, 4, file)

  await suppress(seat, 'ada@readers.example', 'BOUNCE')
  await suppress(seat, 'zoe@readers.example', 'COMPLAINT')
  await open('/suppressions')
  await page
    .getByRole('row', { name: /zoe@readers.example/ })
    .getByText('Complained')
    .waitFor()
  await look(page, 'suppressions')
  await page.getByRole('button', { name: 'Allow again: ada@readers.example' }).click()
  await page.getByRole('dialog').getByText('The mailbox does not exist').waitFor()
  await look(page, 'suppressions-allow')
  await page.getByRole('dialog').getByRole('button', { name: 'Allow again' }).click()
  await page.getByText('Letters go to ada@readers.example again.').waitFor()
  await page.getByRole('row', { name: /ada@readers.example/ }).waitFor({ state: 'detached' })
  const { items } = (await admin.get(`${seat.path}/suppressions`)).body
  assert.deepEqual(
    items.map(({ email }: { email: string }) => email),
    ['zoe@readers.example'],
  )
  assert.deepEqual(complaints, [])
})

test('on a phone, and in German, everything is in reach', async () => {
  const { page, open, entry, fill, send, db, collection, complaints } = await sitDown(
    {},
    { width: 390, locale: 'de-DE' },
  )
  await fill(6, 'phone.example')
  const made = await entry(written(FINE))
  const sender = createSendWorker(desk.api, { smtpUrl: desk.mailServer.env.SMTP_URL })
  const sent = await send(made)
  await sender.run(db)
  sender.close()
  await open()
  await page.getByText('The lamps are lit').waitFor()
  await look(page, 'phone-letters')
  await page.locator('td').getByText('Versandt').waitFor()
  await open(`/${made.id}`)
  await shows(page, 'Dear Ada')
  await look(page, 'phone-letter')
  await open(`/${made.id}/sends/${sent.id}`)
  await page.getByText('geht auf').waitFor()
  await page.getByText('Reader 1', { exact: true }).waitFor()
  await look(page, 'phone-send')
  await open(`/readers/${collection.id}`)
  await page.getByText('reader1@phone.example').waitFor()
  await assertFits(page, 'phone-readers')
  await open('/suppressions')
  await page.getByText('Keine Adresse ist gesperrt').waitFor()
  await look(page, 'phone-suppressions')
  assert.deepEqual(complaints, [])
})

test('who has one permission alone sees what it is for, and what is missing for the rest', async () => {
  const { id, entry, fill, collection } = await sitDown()
  await fill(3, 'alone.example')
  const { id: entryId } = await entry(letter(), { statuses: [{ status: 'PUBLISHED' }] })
  const reader = await desk.make.member(id, 'SUBSCRIBERS_READ')
  const { page, context, complaints } = await enterAgain()
  await desk.doorOf(reader)
  await desk.signIn(context, reader.email ?? '')
  await page.goto(`${desk.url}/admin/${id}/letters`)
  await page.getByText('Drafts are not shown to you.').waitFor()
  await page.goto(`${desk.url}/admin/${id}/letters/${entryId}`)
  await page.getByText('The preview is not shown to you').waitFor()
  const button = page.getByRole('button', { name: /^Send to 3 readers now/ })
  assert.match((await button.getAttribute('title')) ?? '', /Needs NEWSLETTER_SEND/)
  await page.goto(`${desk.url}/admin/${id}/letters/readers/${collection.id}`)
  await page.getByText('reader3@alone.example').waitFor()
  const leave = page.getByRole('button', { name: /^Unsubscribe reader3@/ })
  assert.match((await leave.getAttribute('title')) ?? '', /Needs NEWSLETTER_SEND/)
  assert.deepEqual(complaints, [])
})
