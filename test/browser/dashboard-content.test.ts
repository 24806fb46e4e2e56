import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { type DemoDesk, openDemoDesk } from '../support/demo-desk.ts'
import { reusePage } from '../support/reused-page.ts'
import { enter as enterPage, look } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'

let desk: DemoDesk
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
let journal: { id: string }
before(async () => {
  desk = await openDemoDesk({ withJournal: true })
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
  journal = (await desk.owner.get(`${desk.business}/collections?slug=journal`)).body.items[0]
})
after(async () => {
  await browser?.close()
  await desk?.close()
})

async function enter(place: string, looks?: Parameters<typeof enterPage>[1]) {
  const entered = looks ? await enterPage(browser, looks) : await enterAgain()
  await desk.signIn(entered.context)
  await entered.page.goto(desk.at(`/content${place}`))
  return entered
}

type Block = { id: string; type: string; value?: unknown; [part: string]: unknown }
type Entry = { id: string; blocks: Block[]; statuses: { status: string }[]; publishAt?: number }

const TITLE = { id: 'title', type: 'TEXT', label: 'Title', required: true, settings: { maxLength: 200 } }
const TEXT = { id: 'body', type: 'TEXT', label: 'Text', settings: { variant: 'HTML' } }
let count = 0

/** A collection of its own. */
async function makeCollection(blocks: object[] = [TITLE, TEXT]) {
  const body = { name: `Log ${++count}`, blocks, statuses: [{ status: 'PUBLISHED' }] }
  const made = await desk.owner.post(`${desk.business}/collections`, body)
  assert.equal(made.status, 201, made.text)
  return made.body as { id: string; name: string; slug: string }
}
async function makeEntry(collectionId: string, blocks: object[], status = 'PUBLISHED') {
  const made = await desk.owner.post(`${desk.business}/entries`, { collectionId, blocks, statuses: [{ status }] })
  assert.equal(made.status, 201, made.text)
  return made.body as Entry
}
const read = async (id: string): Promise<Entry> => (await desk.owner.get(`${desk.business}/entries/${id}`)).body
const valueOf = ({ blocks }: Entry, id: string) => blocks.find((block) => block.id === id)?.value
const titled = (text: string) => [{ id: 'title', type: 'TEXT', value: text }]
const statusOf = ({ statuses }: Entry) => statuses.at(-1)?.status

const saved = (page: Page) => page.getByText('Changes saved', { exact: true }).first().waitFor()
const save = async (page: Page) => {
  await page.keyboard.press('Control+s')
  await saved(page)
}
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

test('a collection is made from a starting set, gets its fields and is published', async () => {
  const { page, complaints } = await enter('')
  await page.getByRole('link', { name: 'Journal' }).waitFor()
  await look(page, 'content-1440')
  await page.keyboard.press('n')
  await page.getByRole('heading', { level: 1, name: 'New collection' }).waitFor()
  await look(page, 'content-new-1440')
  await field(page, 'Name').fill('Crew questions')
  await page.getByText('Questions and answers').click()
  await page.reload()
  assert.equal(await field(page, 'Name').inputValue(), 'Crew questions')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { level: 1, name: 'Fields of Crew questions' }).waitFor()
  await page.getByRole('button', { name: 'Publish the collection' }).click()
  await page.getByText('Crew questions: Published').first().waitFor()
  const { body } = await desk.owner.get(`${desk.business}/collections?slug=crew-questions`)
  assert.equal(body.items[0].statuses.at(-1).status, 'PUBLISHED')
  assert.deepEqual(
    body.items[0].blocks.map(({ id }: Block) => id),
    ['question', 'answer', 'product'],
  )
  assert.deepEqual(complaints, [])
})

test('entries are found by words, status and language, all of it in the address', async () => {
  const { page, complaints } = await enter(`/${journal.id}`)
  await page.locator('tbody tr[data-index]').first().waitFor()
  await look(page, 'entries-1440')
  const title = await page.locator('tbody [data-row-link]').first().innerText()
  await page.getByRole('searchbox', { name: 'Find entries' }).fill(title)
  await page.waitForURL(/query=/)
  await until('the entry is first', async () => (await page.locator('[data-row-link]').first().innerText()) === title)
  await page.getByRole('link', { name: 'Draft', exact: true }).click()
  await page.waitForURL(/status=DRAFT/)
  await page.getByRole('heading', { name: 'No entry fits' }).waitFor()
  await page.getByRole('link', { name: 'Show all entries' }).click()
  await page.locator('tbody tr[data-index]').first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.locator('.ProseMirror').first().waitFor()
  await look(page, 'entry-1440')
  assert.deepEqual(complaints, [])
})

test('fields are added, moved by keys and by dragging, and it is said which entries would break before they are saved', async () => {
  const { id } = await makeCollection()
  const entry = await makeEntry(id, titled('Stays behind'))
  const { page, complaints } = await enter(`/${id}/schema`)
  await page.getByRole('button', { name: 'Add a field' }).click()
  await page.getByRole('menuitem', { name: 'One of several' }).click()
  await field(page, 'Label').waitFor()
  assert.equal(await page.locator('.block-row .badge.alert, .block-row .problem').count(), 0, 'nothing was typed yet')
  await field(page, 'Label').fill('Sort of boat')
  assert.equal(await field(page, 'Key').inputValue(), 'sort_of_boat')
  await page.getByLabel('What can be chosen, one a line').fill('Dinghy\nYawl')
  await page.getByText('1 entry looked at: it fits').waitFor()
  await page.getByLabel('Required before an entry is published').check()
  await page.getByText('1 of 1 would no longer fit').waitFor()
  await page.locator('.impact').getByText('Stays behind').waitFor()
  await page.getByText('1 entry will no longer fit.').waitFor()
  await look(page, 'fields-impact-1440')

  const order = () =>
    page.locator('[data-block]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-block')))
  await page.getByRole('button', { name: 'Sort of boat', exact: false }).and(page.locator('.block-name')).click()
  await page.getByRole('button', { name: /^Move Sort of boat/ }).focus()
  await page.keyboard.press('ArrowUp')
  await until('it moved', async () => (await order()).join() === 'title,sort_of_boat,body')
  await page.getByText('Sort of boat is at place 2 of 3.').waitFor({ state: 'attached' })
  const grip = page.getByRole('button', { name: /^Move Text/ })
  const top = await page.locator('[data-block=title]').boundingBox()
  await grip.hover()
  await page.mouse.down()
  await page.mouse.move((top?.x ?? 0) + 10, (top?.y ?? 0) + 2, { steps: 8 })
  await page.mouse.up()
  await until('it was dragged', async () => (await order()).join() === 'body,title,sort_of_boat')
  await page.reload()
  await until('the draft is kept', async () => (await order()).join() === 'body,title,sort_of_boat')
  await save(page)
  const { body } = await desk.owner.get(`${desk.business}/collections/${id}`)
  assert.deepEqual(
    body.blocks.map((block: Block) => block.id),
    ['body', 'title', 'sort_of_boat'],
  )
  assert.deepEqual(body.blocks[2].settings, { options: ['Dinghy', 'Yawl'] })
  assert.equal(body.staleEntries, 1)

  await page.goto(desk.at(`/content/${id}`))
  await page.getByRole('link', { name: 'No longer fit 1' }).click()
  await page.getByRole('link', { name: 'Stays behind' }).click()
  await page.getByText('The collection asks for more now: Sort of boat.').waitFor()
  await page.getByLabel('Sort of boat').selectOption('Yawl')
  await save(page)
  assert.equal(valueOf(await read(entry.id), 'sort_of_boat'), 'Yawl')
  assert.deepEqual(complaints, [])
})

test('every kind of field is written; what was typed survives a reload; it is published, planned and archived', async () => {
  const settings = { options: ['S', 'M'] }
  const { id, name } = await makeCollection([
    TITLE,
    TEXT,
    { id: 'stars', type: 'NUMBER', label: 'Stars', settings: { min: 1, max: 5 } },
    { id: 'open', type: 'BOOLEAN', label: 'Open' },
    { id: 'day', type: 'DATE', label: 'Day' },
    { id: 'mug', type: 'RELATIONSHIP', label: 'Goods', settings: { targetType: 'PRODUCT' } },
    { id: 'place', type: 'GEO_LOCATION', label: 'Place' },
    { id: 'cover', type: 'MEDIA', label: 'Cover', settings: { accept: ['image/*'], maxItems: 1 } },
    { id: 'size', type: 'SELECT', label: 'Size', settings },
    { id: 'sizes', type: 'MULTI_SELECT', label: 'Sizes', settings },
  ])
  const { page, complaints } = await enter(`/${id}/new?locale=de`)
  await field(page, 'Title').fill('Harbour lights')
  await field(page, 'Title in German').fill('Hafenlichter')
  const text = field(page, 'Text')
  await text.click()
  await page.keyboard.type('Some ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('bold')
  await page.keyboard.press('Control+b')
  await page.keyboard.press('Enter')
  await page
    .getByRole('toolbar', { name: 'Format Text', exact: true })
    .getByRole('button', { name: 'List' })
    .first()
    .click()
  await page.keyboard.type('One')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Two')
  await page.getByLabel('Stars').fill('9')
  await page.getByText('From 1 to 5.').waitFor()
  await page.getByLabel('Stars').fill('4,5')
  await page.getByLabel('Open').selectOption('Yes')
  await page.getByLabel('Day').fill('2026-12-24T18:00')
  await page.getByRole('combobox', { name: 'Goods' }).fill('lantern')
  await page.locator('.found [role=option]').first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByLabel('North').fill('54.32, 10.13')
  await page.getByLabel('Address of a file for Cover').fill('https://example.com/a.png')
  await page.keyboard.press('Enter')
  await page.getByLabel('Size', { exact: true }).selectOption('M')
  await page.getByRole('group', { name: 'Sizes' }).getByLabel('S', { exact: true }).check()
  await page.reload()
  await until('the text is back', async () => (await text.innerText()).includes('Two'))
  await page
    .getByRole('group', { name: 'Goods' })
    .getByRole('link', { name: /Lantern/ })
    .waitFor()
  await look(page, 'entry-new-1440')
  await page.getByRole('button', { name: 'Save as a draft' }).click()
  await page.getByRole('heading', { level: 1, name: 'Harbour lights' }).waitFor()
  const [made] = (await desk.owner.get(`${desk.business}/entries?collectionId=${id}`)).body.items as Entry[]
  assert.ok(made)
  const product = (await desk.owner.get(`${desk.business}/products?query=lantern&limit=1`)).body.items[0].id
  const { timeZone } = (await desk.owner.get(desk.business)).body
  const clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  assert.equal(clock.format(Number(valueOf(made, 'day')) * 1_000), '2026-12-24 18:00')
  assert.deepEqual(
    ['title', 'body', 'stars', 'open', 'mug', 'place', 'size', 'sizes'].map((one) => valueOf(made, one)),
    [
      { en: 'Harbour lights', de: 'Hafenlichter' },
      '<p>Some <strong>bold</strong></p><ul><li>One</li><li>Two</li></ul>',
      4.5,
      true,
      product,
      { latitude: 54.32, longitude: 10.13 },
      'M',
      ['S'],
    ],
  )

  await field(page, 'Title').fill('Harbour lights at night')
  await page.reload()
  assert.equal(await field(page, 'Title').inputValue(), 'Harbour lights at night')
  await page.getByText('1 unsaved change').waitFor()
  await look(page, 'entry-edited-1440')
  await page.getByRole('button', { name: 'More to do with it' }).click()
  await page.getByRole('menuitem', { name: /^Publish at a time/ }).click()
  await page.getByLabel('When').fill('2027-01-01T09:00')
  await page.getByRole('button', { name: 'Plan it' }).click()
  await page
    .getByText(/^It will be published on/)
    .first()
    .waitFor()
  const planned = await read(made.id)
  assert.equal(clock.format(Number(planned.publishAt) * 1_000), '2027-01-01 09:00')
  assert.deepEqual(valueOf(planned, 'title'), { en: 'Harbour lights at night', de: 'Hafenlichter' })
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('Published: readers see it.').first().waitFor()
  assert.equal(statusOf(await read(made.id)), 'PUBLISHED')
  await page.getByRole('button', { name: 'More to do with it' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await page.getByText('It is archived: readers do not see it.').first().waitFor()
  assert.equal(statusOf(await read(made.id)), 'ARCHIVED')
  await page.goto(desk.at(`/content/${id}/${made.id}?do=delete`))
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  assert.equal((await desk.owner.get(`${desk.business}/entries/${made.id}`)).status, 404)
  assert.deepEqual(complaints, [])
})

test('two editors, one entry, a new required field in between: both finish, and no field is lost', async () => {
  const { id } = await makeCollection()
  const entry = await makeEntry(id, titled('Log of today'))
  const ada = await enter(`/${id}/${entry.id}`)
  const bo = await enter(`/${id}/${entry.id}`, {})
  await field(ada.page, 'Title').fill('Log of today, by Ada')
  await field(bo.page, 'Text').click()
  await bo.page.keyboard.type('Written by Bo.')
  const blocks = [TITLE, TEXT, { id: 'teaser', type: 'TEXT', label: 'Teaser', required: true }]
  assert.equal((await desk.owner.put(`${desk.business}/collections/${id}`, { blocks })).status, 200)
  for (const { page } of [ada, bo]) await page.getByText('The collection asks for more now: Teaser.').waitFor()
  assert.equal(await field(ada.page, 'Title').inputValue(), 'Log of today, by Ada')
  await field(ada.page, 'Teaser').fill('What happened')
  await field(bo.page, 'Teaser').fill('What Bo saw')
  await save(ada.page)
  await bo.page.keyboard.press('Control+s')
  const sheet = bo.page.getByRole('dialog')
  await sheet.getByText('Somebody was faster').waitFor()
  await sheet.getByText('What happened').waitFor()
  await look(bo.page, 'entry-merge-1440')
  await sheet.getByLabel(/^Theirs/).check()
  await sheet.getByRole('button', { name: 'Save these' }).click()
  await saved(bo.page)
  const now = await read(entry.id)
  assert.equal(valueOf(now, 'title'), 'Log of today, by Ada')
  assert.equal(valueOf(now, 'teaser'), 'What happened')
  assert.equal(valueOf(now, 'body'), '<p>Written by Bo.</p>')
  assert.deepEqual([...ada.complaints, ...bo.complaints], [])
  await bo.context.close()
})

test('two versions are compared word by word, and an earlier one is brought back', async () => {
  const { id } = await makeCollection()
  const body = (words: string) => [...titled('Tides'), { id: 'body', type: 'TEXT', value: words }]
  const entry = await makeEntry(id, body('<p>High water at noon.</p>'))
  const change = async (words: string) =>
    assert.equal((await desk.owner.put(`${desk.business}/entries/${entry.id}`, { blocks: body(words) })).status, 200)
  await change('<p>High water at dusk.</p>')
  await change('<p>Low water at dusk.</p>')
  const { page, complaints } = await enter(`/${id}/${entry.id}`)
  await page.getByRole('button', { name: 'Versions' }).click()
  await page.getByText('Version 2 to version 3').waitFor()
  assert.deepEqual(await page.locator('.diff del').allTextContents(), ['High'])
  assert.deepEqual(await page.locator('.diff ins').allTextContents(), ['Low'])
  await page.getByLabel('Compare from version 1').click()
  await page.waitForURL(/from=1/)
  await page.getByText('Version 1 to version 3').waitFor()
  assert.deepEqual(await page.locator('.diff del').allTextContents(), ['High', 'noon'])
  await look(page, 'versions-1440')
  await page.getByRole('button', { name: 'Bring version 1 back' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Bring it back' }).click()
  await page
    .getByText(/^It is as it was in version 1/)
    .first()
    .waitFor()
  assert.equal(valueOf(await read(entry.id), 'body'), '<p>High water at noon.</p>')
  assert.deepEqual(complaints, [])
})

test('without a language model it is said so, and nothing is lost', async () => {
  const { id } = await makeCollection()
  const { page } = await enter(`/${id}/new`)
  await page.getByRole('button', { name: 'Propose texts' }).click()
  await page.getByLabel('What is it about, for whom, in which tone?').fill('The harbour in winter')
  await page.getByRole('button', { name: 'Propose', exact: true }).click()
  await page.getByText('This service has no language model.').waitFor()
  await look(page, 'entry-propose-1440')
})

test('whoever may only read drafts sees all of it, and why nothing can be changed', async () => {
  const { id } = await makeCollection()
  const entry = await makeEntry(id, titled('Only to read'), 'DRAFT')
  const person = await desk.make.member(desk.businessId, 'CONTENT_READ_DRAFTS')
  const { page, complaints } = await enterAgain()
  await page.goto(await desk.doorOf(person))
  await page.waitForURL(/harbour-goods/)
  await page.goto(desk.at(`/content/${id}/${entry.id}`))
  await page.getByRole('button', { name: /^Publish.*Needs CONTENT_WRITE/ }).waitFor()
  assert.equal(await field(page, 'Title').getAttribute('readonly'), '')
  await page.goto(desk.at(`/content/${id}/schema`))
  await page.getByRole('button', { name: /^Add a field.*Needs CONTENT_WRITE/ }).waitFor()
  await page.goto(desk.at(`/content/${id}/${entry.id}/versions`))
  await page.getByText('Earlier versions are for those who write.').waitFor()
  assert.deepEqual(complaints, [])
})

/** What a phone lays out in another way. */
const LAID_OUT_FOR_PHONES = new Set(['entries-390', 'fields-390', 'entry-390'])

test('all of it on a phone, and in German', async () => {
  const { items } = (await desk.owner.get(`${desk.business}/entries?collectionId=${journal.id}&limit=1`)).body
  const { page, context, complaints } = await enter('', { width: 390, locale: 'de-DE' })
  await page.getByRole('link', { name: 'Journal' }).waitFor()
  await assertFits(page, 'content-390')
  const places: [string, string][] = [
    ['/new', 'content-new-390'],
    [`/${journal.id}`, 'entries-390'],
    [`/${journal.id}/schema`, 'fields-390'],
    [`/${journal.id}/new`, 'entry-new-390'],
    [`/${journal.id}/${items[0].id}?locale=de`, 'entry-390'],
    [`/${journal.id}/${items[0].id}/versions`, 'versions-390'],
  ]
  for (const [place, name] of places) {
    await page.goto(desk.at(`/content${place}`))
    await page.locator('main h1').waitFor()
    if (LAID_OUT_FOR_PHONES.has(name)) await look(page, name)
    else await assertFits(page, name)
  }
  assert.deepEqual(complaints, [])
  await context.close()
})
