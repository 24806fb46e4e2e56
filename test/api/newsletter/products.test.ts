import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import { now } from '#platform/clock.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { holdClock } from '../../support/clock.ts'
import { BODY, text } from '../../support/content.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { market } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const PRODUCT = { type: 'RELATIONSHIP', settings: { targetType: 'PRODUCT' } }
const priced = (id: string, us: number, de?: number) => ({
  id,
  pricing: {
    markets: [{ marketId: 'us', price: us }, ...(de === undefined ? [] : [{ marketId: 'de', price: de }])],
  },
})

/** A newsletter of a shop with two markets, and a letter that shows these products. */
async function open(fields: object = {}) {
  const blocks = [{ id: 'title', type: 'TEXT' }, BODY, { id: 'first', ...PRODUCT }, { id: 'second', ...PRODUCT }]
  const letters = await openNewsletter(used.make, { blocks, ...fields })
  const { admin, path } = letters
  const markets = [market(), market({ id: 'de', name: 'Germany', currency: 'EUR' })]
  const settings = { markets, allowedOrigins: ['https://shop.example'], locales: ['en', 'de'], defaultLocale: 'en' }
  const set = await admin.put(path, { ...settings, storefront: { productUrl: 'https://shop.example/p/{slug}' } })
  assert.equal(set.status, 200, set.text)
  const product = (body: object) => used.make.product({ admin, products: `${path}/products` }, body)
  const letter = (first: { id: string }, second?: { id: string }) =>
    letters.entry([
      text('title', 'New boats'),
      text('body', '<p>Look:</p>'),
      { id: 'first', ...PRODUCT, value: first.id },
      ...(second ? [{ id: 'second', ...PRODUCT, value: second.id }] : []),
    ])
  const mailTo = (address: string) => {
    const mail = used.mailServer.mails.findLast(({ to }) => to?.[0]?.address === address)
    assert.ok(mail, address)
    return { html: mail.html ?? '', text: mail.text ?? '' }
  }
  return { ...letters, product, letter, mailTo }
}

test('a letter shows products as they are when it is sent, each reader the prices of their market', async () => {
  const { admin, product, letter, send, subscribed, db, mailTo, path } = await open()
  const boat = await product({
    name: 'Red <boat>',
    slug: 'red-boat',
    gallery: [{ url: 'https://cdn.example/boat.png', mimeType: 'image/png' }],
    variants: [priced('small', 1_999, 1_899), priced('large', 2_499, 2_299)],
  })
  const sail = await product({ name: 'Sail', slug: 'sail', variants: [priced('one', 500)] })
  for (const [email, market] of [
    ['us@products.example', 'us'],
    ['de@products.example', 'de'],
    ['any@products.example', undefined],
  ]) {
    await subscribed(admin, { email, ...(market && { market }) })
  }
  const sending = await send(await letter(boat, sail), { scheduledAt: toSeconds(now()) + 3_600 })
  await admin.put(`${path}/products/${sail.id}`, { name: 'Blue sail' })
  clock.advance(3_601)
  await used.sendWorker.run(db)
  assert.equal(await sending.state(), 'DONE sent 3')

  const us = mailTo('us@products.example')
  assert.match(us.html, /<a href="https:\/\/shop\.example\/p\/red-boat"[^>]*><strong>Red &lt;boat&gt;<\/strong><\/a>/)
  assert.match(us.html, /<img src="https:\/\/cdn\.example\/boat\.png" alt="Red &lt;boat&gt;" width="160"/)
  assert.match(us.html, /\$19\.99\s–\s\$24\.99/)
  assert.match(us.html, /Blue sail/, 'as it is when the letter goes out')
  assert.match(us.text, /Red <boat>[^]*https:\/\/shop\.example\/p\/red-boat[^]*\$19\.99/)
  assert.equal(
    us.text.split('https://shop.example/p/red-boat').length,
    2,
    'an address is read once, though the picture leads there, too',
  )

  const de = mailTo('de@products.example').html
  assert.match(de, /€18\.99\s–\s€22\.99/)
  assert.doesNotMatch(de, /\$19\.99/)
  assert.match(de, /\$5\.00/, 'what is not sold there has the price of where it is')
  assert.match(mailTo('any@products.example').html, /\$19\.99/)
})

test('a preview shows them, in the language of the letter; one that is not for sale is left out', async () => {
  const { admin, product, letter, path, collection } = await open()
  const boat = await product({
    name: 'Boat',
    slug: 'boat',
    translations: { de: { name: 'Boot', slug: 'boot' } },
    variants: [priced('one', 1_234, 1_100)],
  })
  const hidden = await product({
    name: 'Secret',
    slug: 'secret',
    statuses: [{ status: 'DRAFT' }],
    variants: [priced('one', 1)],
  })
  const made = await letter(boat, hidden)
  const english = (await admin.get(`${made.path}/preview`)).body
  assert.match(english.html, /Boat/)
  assert.match(english.html, /\$12\.34/)
  assert.doesNotMatch(english.html, /Secret/)
  const german = await admin.post(`${path}/entries`, {
    collectionId: collection.id,
    locale: 'de',
    blocks: [text('title', 'Neu'), { id: 'first', ...PRODUCT, value: boat.id }],
  })
  const { html } = (await admin.get(`${path}/entries/${german.body.id}/preview`)).body
  assert.match(html, /https:\/\/shop\.example\/p\/boot"[^>]*><strong>Boot</)
  await admin.put(path, { storefront: { productUrl: null } })
  const without = (await admin.get(`${made.path}/preview`)).body.html
  assert.match(without, /<strong>Boat<\/strong>/)
  assert.doesNotMatch(without, /shop\.example\/p/)
})

test('their links are counted where clicks are', async () => {
  const { admin, owner, product, letter, send, subscribed, db, mailTo } = await open({ countClicks: true })
  const boat = await product({ name: 'Boat', slug: 'boat', variants: [priced('one', 1_234)] })
  await subscribed(admin, { email: 'clicks@products.example' })
  const sending = await send(await letter(boat))
  await used.sendWorker.run(db)
  assert.match(
    mailTo('clicks@products.example').html,
    /href="[^"]*\/newsletters\/go\/[^"]*\/0\/shop\.example\/p\/boat"/,
  )
  const { body } = await owner.get(`${sending.path}/clicks`)
  assert.deepEqual(
    body.links.map(({ url }: { url: string }) => url),
    ['https://shop.example/p/boat'],
  )
})

test('the address of products must be on an origin of the business, and name the product', async () => {
  const { admin, path } = await open()
  for (const productUrl of [
    'https://other.example/{slug}',
    'https://shop.example/p',
    'https://shop.example/{id}',
    'x',
  ]) {
    const answer = await admin.put(path, { storefront: { productUrl } })
    assert.equal(refusal(answer), '422 VALIDATION_FAILED storefront.productUrl INVALID', productUrl)
  }
})
