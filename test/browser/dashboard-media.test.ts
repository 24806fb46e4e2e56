import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import pino from 'pino'
import type { Browser, Page, Request } from 'playwright-core'
import { startMedia } from '#modules/media/index.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { assertFits } from '../support/assert-fits.ts'
import { launchBrowser } from '../support/browser.ts'
import { type DemoDesk, openDemoDesk } from '../support/demo-desk.ts'
import { claimOf } from '../support/media.ts'
import { drawPicture, PDF } from '../support/pictures.ts'
import { reusePage } from '../support/reused-page.ts'
import { look } from '../support/served-dashboard.ts'
import { startApi } from '../support/start-api.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'kontor-dashboard-media-'))
let desk: DemoDesk
let browser: Browser
let enterAgain: Awaited<ReturnType<typeof reusePage>>
let media: ReturnType<typeof startMedia>
before(async () => {
  desk = await openDemoDesk({ env: { MEDIA_STORAGE: `folder:${folder}` } })
  const storage = createStorage(desk.api.config)
  assert.ok(storage)
  media = startMedia(desk.api.services.databases.cells, { storage, log: pino({ level: 'silent' }) })
  browser = await launchBrowser()
  enterAgain = await reusePage(browser, desk.url)
})
after(async () => {
  await browser?.close()
  await media?.stop()
  await desk?.close()
  rmSync(folder, { recursive: true, force: true })
})

type Given = { name: string; mimeType: string; buffer: Buffer }
type File = { id: string; fileName: string; status: string; sha256: string }

async function sit(options: { width?: number } = {}) {
  const opened = await enterAgain(options)
  await desk.signIn(opened.context)
  return opened
}

const jpeg = async (name: string, number: number, width = 640, height = 480): Promise<Given> => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await drawPicture(number, width, height),
})

async function filesIn(query = ''): Promise<File[]> {
  const answer = await desk.owner.get(`${desk.business}/media?limit=100&${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.items
}
const fileNamed = async (name: string) => (await filesIn()).find(({ fileName }) => fileName === name)

/** Uploads without a browser, and waits until it is ready. */
async function store(given: Given, more: object = {}): Promise<string> {
  const { name: fileName, mimeType, buffer: bytes } = given
  const made = await desk.owner.post(`${desk.business}/media`, { ...claimOf({ bytes, mimeType, fileName }), ...more })
  assert.equal(made.status, 201, made.text)
  const { id, upload } = made.body
  const put = await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: new Uint8Array(bytes) })
  assert.equal(put.status, 200)
  await desk.owner.post(`${desk.business}/media/${id}/complete`, undefined)
  await until('it is ready', async () => (await desk.owner.get(`${desk.business}/media/${id}`)).body.status === 'READY')
  return id
}

const give = (page: Page, files: Given[]) => page.getByLabel('Files to upload').setInputFiles(files)
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })
const tile = (page: Page, name: string) => page.locator('[data-tile]', { hasText: name })
const saved = (page: Page) => page.getByText('Changes saved', { exact: true }).first().waitFor()

/** Drops or pastes files, as the system does it. */
const hand = (page: Page, event: 'drop' | 'paste', { name, mimeType, buffer }: Given) =>
  page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(buffer.toString('base64'))}), (one) => one.charCodeAt(0))
    const data = new DataTransfer()
    data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: ${JSON.stringify(mimeType)} }))
    document.body.dispatchEvent(${
      event === 'drop'
        ? "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })"
        : "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })"
    })
  })()`)

test('files come by button, drop and paste; the library finds, filters and sorts them by its address', async () => {
  const { page, complaints } = await sit()
  await page.goto(desk.at('/media'))
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  await look(page, 'media-empty-1440')
  await give(page, [
    await jpeg('harbour.jpg', 1, 1_600, 1_067),
    await jpeg('lighthouse.jpg', 2, 800, 1_400),
    await jpeg('coast.jpg', 3, 3_000, 700),
    { name: 'sign.png', mimeType: 'image/png', buffer: await drawPicture(4, 700, 700, 'png') },
    { name: 'care.pdf', mimeType: 'application/pdf', buffer: PDF },
    { name: 'broken.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture at all') },
    { name: 'setup.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') },
  ])
  await hand(page, 'drop', await jpeg('dropped.jpg', 5))
  await hand(page, 'paste', { name: 'image.png', mimeType: 'image/png', buffer: await drawPicture(6, 300, 300, 'png') })
  await tray(page).getByText('7 files uploaded').waitFor()
  await tray(page).getByText('It is something else than its name says.').waitFor()
  await tray(page).getByText('Files of this type are not taken.').waitFor()
  for (const name of ['harbour.jpg', 'lighthouse.jpg', 'coast.jpg', 'sign.png', 'care.pdf', 'dropped.jpg'])
    await tile(page, name).getByText('Ready').waitFor()
  await tile(page, 'pasted-').waitFor()
  await look(page, 'media-tray-1440')
  const newest = await tray(page).locator('.uploads li:not(.failed) .name').first().innerText()
  assert.match(newest, /^pasted-/, 'the newest is on top')
  await page.locator('.side .nav a', { hasText: 'Products' }).click()
  await tray(page).getByRole('button', { name: 'Show the uploads' }).waitFor()
  await page.goBack()
  await tray(page).getByRole('button', { name: 'Show less of the uploads' }).waitFor()
  await tray(page).getByRole('button', { name: 'Close the list of uploads' }).click()
  await until('what was not taken has left the library', async () => (await filesIn('status=REJECTED')).length === 0)
  await assertFits(page, 'media-1440')

  await give(page, [await jpeg('again.jpg', 1, 1_600, 1_067)])
  await tray(page).getByText('Already here').waitFor()
  assert.equal((await filesIn()).length, 7)

  await page.getByRole('link', { name: 'Documents' }).click()
  await page.waitForURL(/type=document/)
  await tile(page, 'harbour.jpg').waitFor({ state: 'detached' })
  await tile(page, 'care.pdf').waitFor()
  await page.goto(desk.at('/media?sort=fileName'))
  await until(
    'they stand by name',
    async () => (await page.locator('[data-tile] .name').first().innerText()) === 'care.pdf',
  )
  await page.keyboard.press('/')
  await page.keyboard.type('lightho')
  await page.waitForURL(/query=lightho/)
  await tile(page, 'harbour.jpg').waitFor({ state: 'detached' })
  await page.goto(desk.at('/media?sort=fileName'))
  await tile(page, 'care.pdf').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('body').press('j')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'coast.jpg' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a drawing can be downloaded, is said not to be shown, and is no picture to pick', async () => {
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9"/></svg>')
  const id = await store({ name: 'capstan.svg', mimeType: 'image/svg+xml', buffer: drawing })
  const { page, complaints } = await sit()
  await page.goto(desk.at(`/media/${id}`))
  await page.getByText('Can be downloaded, not shown: drawings may hold scripts.').waitFor()
  const icon = await page.getByRole('link', { name: 'Download' }).locator('.icon').boundingBox()
  assert.ok(icon && icon.width <= 20, 'its drawing fits the button')
  await look(page, 'media-drawing-1440')
  const made = await desk.owner.post(`${desk.business}/products`, { name: 'Capstan' })
  await page.goto(desk.at(`/products/${made.body.id}`))
  await page.getByRole('button', { name: 'Add pictures' }).click()
  await page.getByRole('dialog', { name: 'Add pictures' }).getByRole('searchbox').fill('capstan')
  await page.getByText('No picture fits').waitFor()
  assert.deepEqual(complaints, [])
})

test('a file gets its focal point, its texts and its tags; two people are merged; what is used is not deleted unseen', async () => {
  const id = await store(await jpeg('mooring.jpg', 20, 1_200, 800))
  const address = `${desk.business}/media/${id}`
  const read = async () => (await desk.owner.get(address)).body
  const made = await desk.owner.post(`${desk.business}/products`, { name: 'Mooring rope', gallery: [{ mediaId: id }] })
  assert.equal(made.status, 201, made.text)
  const { page, complaints } = await sit()
  await page.goto(desk.at(`/media/${id}`))
  const point = page.getByRole('button', { name: /^Focal point/ })
  const box = await point.boundingBox()
  assert.ok(box)
  await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.5)
  await page.getByRole('button', { name: /25 % from the left, 50 % from the top/ }).waitFor()
  await point.press('ArrowRight')
  await point.press('Shift+ArrowDown')
  await page.getByRole('button', { name: /26 % from the left, 60 % from the top/ }).waitFor()
  const crop = page.locator('.crops img').first()
  assert.match(
    await crop.evaluate((image: unknown) => (image as { style: { objectPosition: string } }).style.objectPosition),
    /^26(\.\d)?% 60(\.\d)?%$/,
  )
  await page.getByRole('textbox', { name: 'English' }).fill('A boat at its mooring')
  await page.getByRole('link', { name: 'Mooring rope' }).waitFor()
  await look(page, 'media-file-1440')

  await page.reload()
  await page.getByText('2 unsaved changes').waitFor()
  assert.equal((await desk.owner.put(address, { tags: ['theirs'] })).status, 200)
  await page.getByRole('button', { name: 'Save 2' }).click()
  await saved(page)
  const merged = await read()
  assert.deepEqual([merged.tags, merged.alt], [['theirs'], { en: 'A boat at its mooring' }])
  assert.ok(Math.abs(merged.focalPoint.x - 0.26) < 0.01 && Math.abs(merged.focalPoint.y - 0.6) < 0.01)

  await page.getByRole('textbox', { name: 'English' }).fill('Mine')
  await desk.owner.put(address, { alt: { en: 'Theirs', de: 'Ein Boot' } })
  await page.getByRole('button', { name: 'Save 1' }).click()
  await page.getByRole('dialog', { name: 'Somebody was faster' }).waitFor()
  await page.getByRole('button', { name: 'Save these' }).click()
  await until('mine counts, and theirs in another language stays', async () => {
    const { alt } = await read()
    return alt.en === 'Mine' && alt.de === 'Ein Boot'
  })

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('link', { name: 'Mooring rope' }).waitFor()
  await look(page, 'media-delete-1440')
  const anyway = dialog.getByRole('button', { name: /^Delete anyway/ })
  assert.equal(await anyway.getAttribute('aria-disabled'), 'true')
  await dialog.getByLabel('Delete it anyway, and leave the holes').check()
  await anyway.click()
  await page.waitForURL(/\/media$/)
  assert.equal((await desk.owner.get(address)).status, 404)
  assert.deepEqual(complaints, [])
})

test('twenty files while the line is lost in the middle: all end, none twice', async () => {
  const { page, context } = await sit()
  const before = (await filesIn()).length
  const files = await Promise.all(
    Array.from({ length: 20 }, (_, index) => jpeg(`sail-${index}.jpg`, 100 + index, 96, 72)),
  )
  let [underWay, most, puts, created] = [0, 0, 0, 0]
  const isPut = (url: string) => url.includes('/media-uploads')
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/media')) created++
    if (!isPut(request.url())) return
    puts++
    most = Math.max(most, ++underWay)
    assert.equal(request.headers().authorization, undefined)
  })
  const leave = (request: Request) => {
    if (isPut(request.url())) underWay--
  }
  page.on('requestfinished', leave)
  page.on('requestfailed', leave)
  await page.goto(desk.at('/media'))
  await page.locator('h1').waitFor()
  await give(page, files)
  await until('some have arrived', () => puts >= 5)
  await context.setOffline(true)
  await page.getByText('No answer, it tries again by itself').first().waitFor()
  await page.waitForTimeout(1_500)
  await context.setOffline(false)
  await tray(page).getByText('20 files uploaded').waitFor()
  const sails = (await filesIn()).filter(({ fileName }) => fileName.startsWith('sail-'))
  assert.equal((await filesIn()).length - before, 20)
  assert.equal(sails.filter(({ status }) => status === 'READY').length, 20)
  assert.equal(new Set(sails.map(({ sha256 }) => sha256)).size, 20)
  assert.ok(most <= 3, `${most} at a time`)
  console.log(`20 files: ${puts} PUTs, ${created} POSTs, ${most} at a time, ${sails.length} in the library`)
})

test('a reload in the middle goes on where it was, and nothing is in the library twice', async () => {
  const { page } = await sit()
  await page.goto(desk.at('/media'))
  await page.locator('h1').waitFor()
  await page.route('**/v1/media-uploads**', (route) => route.abort())
  await give(
    page,
    await Promise.all(Array.from({ length: 5 }, (_, index) => jpeg(`tide-${index}.jpg`, 200 + index, 96, 72))),
  )
  await page.getByText('No answer, it tries again by itself').first().waitFor()
  await page.unroute('**/v1/media-uploads**')
  // Not even where the library is: it goes on from any page.
  await page.goto(desk.at('/products'))
  await tray(page).getByText('5 files uploaded').waitFor()
  const tides = (await filesIn()).filter(({ fileName }) => fileName.startsWith('tide-'))
  assert.deepEqual([tides.length, tides.every(({ status }) => status === 'READY')], [5, true])
  assert.equal(new Set(tides.map(({ fileName }) => fileName)).size, 5)
})

test('an address that is refused is replaced by a new one, and a cancelled upload leaves nothing', async () => {
  const { page } = await sit()
  await page.goto(desk.at('/media'))
  await page.locator('h1').waitFor()
  let refused = 0
  await page.route('**/v1/media-uploads**', (route) =>
    refused++ === 0 ? route.fulfill({ status: 403, body: '{}' }) : route.continue(),
  )
  await give(page, [await jpeg('late.jpg', 300)])
  await tray(page).getByText('1 file uploaded').waitFor()
  assert.equal((await filesIn()).filter(({ fileName }) => fileName === 'late.jpg').length, 1)
  await page.unroute('**/v1/media-uploads**')
  await page.route('**/v1/media-uploads**', (route) => route.abort())
  await give(page, [await jpeg('regret.jpg', 301)])
  await until('it is known', async () => (await fileNamed('regret.jpg')) !== undefined)
  await page.getByRole('button', { name: 'Cancel regret.jpg' }).click()
  await until('it is gone', async () => (await fileNamed('regret.jpg')) === undefined)
})

test('pictures are picked for a product, a variant and a category; uploaded on the way, and put in order by keys', async () => {
  const first = await store(await jpeg('rope-front.jpg', 400), { alt: { en: 'A rope from the front' } })
  const second = await store(await jpeg('rope-back.jpg', 401))
  const variants = ['S', 'M'].map((name) => ({
    id: name.toLowerCase(),
    name,
    attributes: [{ name: 'Size', value: name }],
  }))
  const made = await desk.owner.post(`${desk.business}/products`, { name: 'Dock line', variants })
  assert.equal(made.status, 201, made.text)
  const read = async () => (await desk.owner.get(`${desk.business}/products/${made.body.id}`)).body
  const idsOf = (items: { mediaId?: string }[]) => items.map(({ mediaId }) => mediaId)
  const { page, complaints } = await sit()
  await page.goto(desk.at(`/products/${made.body.id}`))
  await page.getByRole('button', { name: 'Add pictures' }).click()
  const picker = page.getByRole('dialog', { name: 'Add pictures' })
  await picker.getByRole('searchbox').fill('rope')
  await tile(page, 'rope-front.jpg').click()
  await tile(page, 'rope-back.jpg').click()
  await picker.getByLabel('Files to upload').setInputFiles([await jpeg('rope-new.jpg', 402)])
  await picker.getByText('3 pictures picked').waitFor()
  await look(page, 'media-picker-1440')
  await picker.getByRole('button', { name: 'Add 3' }).click()
  await page.getByText('A rope from the front').waitFor()
  await page.getByRole('button', { name: /^Picture 1 of 3/ }).press('ArrowRight')
  await page
    .getByRole('button', { name: /^Picture 2 of 3/ })
    .and(page.locator(':focus'))
    .waitFor()
  await look(page, 'product-pictures-1440')
  await page.getByRole('button', { name: /^Picture 3 of 3/ }).press('Delete')
  await page.getByLabel('Pictures of').selectOption('m')
  await page.getByRole('button', { name: 'Add pictures' }).click()
  await tile(page, 'rope-back.jpg').click()
  await picker.getByRole('button', { name: 'Add 1' }).click()
  await page.getByRole('button', { name: 'Save 2' }).click()
  await saved(page)
  const now = await read()
  assert.deepEqual(idsOf(now.gallery), [second, first])
  assert.deepEqual(
    now.variants.map(({ gallery }: { gallery: { mediaId?: string }[] }) => idsOf(gallery)),
    [[], [second]],
  )

  const [category] = (await desk.owner.get(`${desk.business}/categories?limit=1`)).body.items
  await page.goto(desk.at(`/categories/${category.id}`))
  await page.getByRole('button', { name: /^(Choose a|Another) picture$/ }).click()
  await tile(page, 'rope-front.jpg').click()
  await page.getByRole('img', { name: 'A rope from the front' }).waitFor()
  await look(page, 'category-picture-1440')
  await page.getByRole('button', { name: 'Save 1' }).click()
  await saved(page)
  const { image } = (await desk.owner.get(`${desk.business}/categories/${category.id}`)).body
  assert.equal(image.mediaId, first)
  assert.deepEqual(complaints, [])
})

test('pictures are picked for an entry, beside those by address', async () => {
  const id = await store(await jpeg('quay.jpg', 450))
  const collection = await desk.owner.post(`${desk.business}/collections`, {
    name: 'Quays',
    blocks: [{ id: 'pictures', type: 'MEDIA', label: 'Pictures' }],
  })
  const address = { url: 'https://cdn.example.com/a.png', mimeType: 'image/png' }
  const entry = await desk.owner.post(`${desk.business}/entries`, {
    collectionId: collection.body.id,
    blocks: [{ id: 'pictures', type: 'MEDIA', value: [address] }],
  })
  assert.equal(entry.status, 201, entry.text)
  const read = async () => (await desk.owner.get(`${desk.business}/entries/${entry.body.id}`)).body.blocks[0].value
  const { page } = await sit()
  await page.goto(desk.at(`/content/${collection.body.id}/${entry.body.id}`))
  await page.getByRole('button', { name: 'From the library' }).click()
  await tile(page, 'quay.jpg').click()
  await page.getByRole('button', { name: 'Add 1' }).click()
  await page.locator('.media-items > li').nth(1).waitFor()
  await look(page, 'entry-pictures-1440')
  await page.getByRole('button', { name: 'Save 1' }).click()
  await saved(page)
  const [first, second] = await read()
  assert.deepEqual([first.url, second.mediaId], [address.url, id])
  // What is not touched goes back as it was stored.
  await page.locator('.media-items > li').nth(0).getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Save 1' }).click()
  await until('it is taken away', async () => (await read()).length === 1)
  assert.equal((await read())[0].mediaId, id)
})

test('who may only write content has the library, and no link to what they may not open', async () => {
  const id = await store(await jpeg('shared.jpg', 500))
  await desk.owner.post(`${desk.business}/products`, { name: 'Shared', gallery: [{ mediaId: id }] })
  const writer = await desk.make.member(desk.businessId, 'CONTENT_WRITE')
  const { page, complaints } = await enterAgain()
  await page.goto(await desk.doorOf(writer))
  await page.waitForURL(/\/admin\/harbour-goods/)
  await page.getByRole('link', { name: 'Media' }).first().click()
  await give(page, [await jpeg('writer.jpg', 501)])
  await tile(page, 'writer.jpg').getByText('Ready').waitFor()
  await page.goto(desk.at(`/media/${id}`))
  await page.getByRole('heading', { name: 'Shown in' }).waitFor()
  await page.locator('.usages li').waitFor()
  assert.equal(await page.locator('.usages a').count(), 0)
  assert.deepEqual(complaints, [])

  const clerk = await desk.make.member(desk.businessId, 'ORDERS_READ')
  await enterAgain()
  await page.goto(await desk.doorOf(clerk))
  await page.waitForURL(/\/admin\/harbour-goods/)
  await page.getByRole('link', { name: 'Orders' }).first().waitFor()
  assert.equal(await page.getByRole('link', { name: 'Media' }).count(), 0)
})

test('on a phone the library, a file and the picker fit, in both themes', async () => {
  const id = await store(await jpeg('phone.jpg', 600, 900, 1_200), { alt: { en: 'A phone' } })
  const [product] = (await desk.owner.get(`${desk.business}/products?limit=1`)).body.items
  const { page } = await sit({ width: 390 })
  await page.goto(desk.at('/media'))
  await tile(page, 'phone.jpg').waitFor()
  assert.equal(await page.getByLabel('Picture from the camera').getAttribute('capture'), 'environment')
  await look(page, 'media-390')
  await page.goto(desk.at(`/media/${id}`))
  await page.getByRole('button', { name: /^Focal point/ }).press('Shift+ArrowUp')
  await look(page, 'media-file-390')
  await page.goto(desk.at(`/products/${product.id}`))
  await page.getByRole('button', { name: 'Add pictures' }).click()
  await tile(page, 'phone.jpg').click()
  await look(page, 'media-picker-390')
})

test('where files are stored elsewhere, pages may show them and send them there, and nowhere else', async () => {
  const env = {
    MEDIA_STORAGE: 's3',
    S3_ENDPOINT: 'https://s3.example.com',
    S3_REGION: 'eu-central-1',
    S3_BUCKET: 'harbour',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
    MEDIA_PUBLIC_URL: 'http://127.0.0.1:9/public',
  }
  const api = await startApi({ env })
  try {
    const { headers } = await fetch(`${api.url}/admin`)
    const policy = headers.get('content-security-policy') ?? ''
    const rules = policy.split('; ')
    assert.ok(rules.includes("connect-src 'self' https://s3.example.com"), policy)
    assert.ok(rules.includes("img-src 'self' data: https: http://127.0.0.1:9"), policy)
    assert.ok(rules.includes("script-src 'self'"), policy)
    assert.doesNotMatch(policy, /unsafe-/)
  } finally {
    await api.close()
  }
})
