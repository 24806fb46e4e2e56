// Previews the service's mails: writes each as an HTML and a text file, to be opened in a browser.
import { mkdirSync, writeFileSync } from 'node:fs'
import {
  claimMail,
  confirmationMail,
  invitationMail,
  keyRevokedMail,
  resetMail,
  securityMail,
} from '#modules/accounts/index.ts'
import { lowStockMail } from '#modules/catalog/index.ts'
import { newOrderMail, confirmationMail as orderMail } from '#modules/checkout/index.ts'
import { type OrderRow, shipmentMail } from '#modules/orders/index.ts'

const DIRECTORY = '.kontor/mails'
const token = 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImtvbnRvci1jb25maXJtK2p3dCJ9.eyJleGFtcGxlIjp0cnVlfQ.c2lnbmF0dXJl'
const email = 'ada@example.com'
const order = {
  number: 'K7Q2-M9X3',
  contactEmail: email,
  currency: 'EUR',
  lines: [
    { name: 'Mug <stoneware> & saucer, Blue', quantity: 2, totalPrice: 4_800 },
    {
      name: 'A lantern of enamelled steel for the garden, with a handle of beech wood',
      quantity: 1,
      totalPrice: 123_900,
    },
  ],
  subtotal: 128_700,
  discount: 1_000,
  shipping: 490,
  tax: 20_469,
  taxIncluded: 20_469,
  total: 128_190,
} as OrderRow
const mails = {
  confirm: await confirmationMail(email, `https://shop.example.com/confirm?token=${token}`),
  'reset-password': await resetMail(email, `https://shop.example.com/reset-password?token=${token}`),
  claim: await claimMail({
    email,
    business: 'Harbour & Sons <Goods>',
    url: `https://shop.example.com/claim?token=${token}`,
  }),
  invitation: await invitationMail({
    email,
    business: 'Harbour & Sons <Goods>',
    role: 'Editors',
    url: `https://shop.example.com/invitation?token=${token}`,
  }),
  'key-revoked': await keyRevokedMail({ email, name: 'Import <script>', last4: 'x7q2' }),
  'security-notice': await securityMail(email, 'recovery-code-used'),
  'low-stock': await lowStockMail([
    { product: 'Mug <stoneware> & saucer', variant: 'Blue', sku: 'MUG-BLUE', quantity: 2 },
    { product: 'Enamel lantern', variant: '', sku: '', quantity: 0 },
  ]),
  shipment: await shipmentMail(
    { number: 'K7Q2-M9X3', lines: [{ id: 'line_1', name: 'Mug <stoneware> & saucer' }] },
    {
      lines: { line_1: 2 },
      carrier: 'DHL',
      trackingNumber: '00340434161094042557',
      trackingUrl: 'https://www.dhl.com/track?number=00340434161094042557',
    },
    'Harbour & Sons <Goods>',
    'https://shop.example.com/orders/ord_01jcq3v7k8f5t9x2m4n6p8r0sw',
  ),
  'order-confirmation': await orderMail(order, 'Harbour & Sons <Goods>', 'de-DE', 'https://shop.example.com/orders/1'),
  'new-order': await newOrderMail(order, 'Harbour & Sons <Goods>', 'en-US'),
}

mkdirSync(DIRECTORY, { recursive: true })
for (const [name, { subject, html, text }] of Object.entries(mails)) {
  writeFileSync(`${DIRECTORY}/${name}.html`, html)
  writeFileSync(`${DIRECTORY}/${name}.txt`, `Subject: ${subject}\n\n${text}\n`)
  console.log(`${DIRECTORY}/${name}.html  ${subject}`)
}
