import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAILS } from '#modules/backoffice/mails/schemas.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

async function open() {
  const shop = await used.make.shop()
  const { admin, path } = shop
  const preview = async (mail: string) => (await admin.get(`${path}/mails/${mail}/preview`)).body
  return { ...shop, preview }
}

test('every mail of a business is shown as it would go out: with its name, and nothing is sent', async () => {
  const { admin, path, preview } = await open()
  const contactEmail = 'hello@harbour.example'
  await admin.put(path, { name: 'Harbour & Sons', contactEmail })
  for (const mail of MAILS) {
    const { subject, html, text, to } = await preview(mail)
    assert.ok(subject && text && html.startsWith('<!doctype html>'), mail)
    assert.ok(['CUSTOMER', 'BUSINESS', 'INVITED'].includes(to), mail)
    if (mail !== 'low-stock' && mail !== 'new-order') assert.match(html, /Harbour (&amp;|and|&#38;) Sons/, mail)
  }
  const { fromName, replyTo, to } = await preview('order-confirmation')
  assert.deepEqual([fromName, replyTo, to], ['Harbour & Sons', contactEmail, 'CUSTOMER'])
  assert.deepEqual([(await preview('low-stock')).fromName, (await preview('low-stock')).to], [null, 'BUSINESS'])
})

test('sums are those of the first market, in the locale of the business; the logo and the link to the order are its own', async () => {
  const { admin, path, preview } = await open()
  const market = (await admin.get(path)).body.markets[1]
  const shippingMethods = [{ id: 'post', name: 'Post', price: 490 }]
  const set = await admin.put(path, {
    locales: ['de-DE'],
    defaultLocale: 'de-DE',
    allowedOrigins: ['https://shop.example.com'],
    orderUrl: 'https://shop.example.com/o/{orderId}',
    logo: { url: 'https://shop.example.com/logo.png', mimeType: 'image/png' },
    markets: [{ ...market, taxBps: 1_900, taxShipping: true, pricesIncludeTax: true, shippingMethods }],
  })
  assert.equal(set.status, 200, set.text)
  const { html, text } = await preview('order-confirmation')
  assert.match(text, /52,90/) // two mugs at 24.00 and shipping, tax inside
  assert.match(text, /8,45/)
  assert.match(html, /https:\/\/shop\.example\.com\/logo\.png/)
  assert.match(html, /https:\/\/shop\.example\.com\/o\/ord_/)
})

test('a business without markets has previews, too; an unknown mail and a caller who is no ADMIN do not', async () => {
  const { id, admin, path } = await used.make.business()
  assert.equal((await admin.get(`${path}/mails/order-confirmation/preview`)).status, 200)
  assert.equal((await admin.get(`${path}/mails/nonsense/preview`)).status, 422)
  const settler = await used.make.member(id, 'SETTINGS_WRITE')
  assert.equal(refusal(await settler.get(`${path}/mails/shipment/preview`)), '403 FORBIDDEN')
})
