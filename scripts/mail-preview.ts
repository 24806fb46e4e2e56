// Previews the service's mails: writes each as an HTML and a text file, to be opened in a browser.
import { mkdirSync, writeFileSync } from 'node:fs'
import { MAIL_PREVIEWS } from '#apps/mail-previews.ts'
import { confirmationMail, deletionMail, keyRevokedMail, resetMail, securityMail } from '#modules/accounts/index.ts'
import type { Rendered } from '#platform/mail/render.ts'
import type { Business } from '#vocabulary/business.ts'

const DIRECTORY = '.kontor/mails'
const token = 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImtvbnRvci1jb25maXJtK2p3dCJ9.eyJleGFtcGxlIjp0cnVlfQ.c2lnbmF0dXJl'
const email = 'ada@example.com'
const shop = 'https://shop.example.com'
const business = {
  name: 'Harbour & Sons <Goods>',
  defaultLocale: 'de-DE',
  orderUrl: `${shop}/orders/{orderId}`,
  allowedOrigins: [shop],
  logo: null,
  markets: [
    {
      id: 'de',
      name: 'Germany',
      currency: 'EUR',
      taxBps: 1_900,
      taxShipping: true,
      pricesIncludeTax: true,
      taxRates: [],
      shippingMethods: [{ id: 'post', name: 'Post', price: 490 }],
      paymentMethods: [],
    },
  ],
} as unknown as Business

const mails: Record<string, Rendered> = {
  confirm: await confirmationMail(email, `${shop}/confirm?token=${token}`),
  'reset-password': await resetMail(email, `${shop}/reset-password?token=${token}`),
  'key-revoked': await keyRevokedMail({ email, name: 'Import <script>', last4: 'x7q2' }),
  'business-deletion': await deletionMail('Harbour <b>Goods</b>', '2026-12-18'),
  'security-notice': await securityMail(email, 'recovery-code-used'),
}
for (const [name, render] of Object.entries(MAIL_PREVIEWS)) mails[name] = await render(business)

mkdirSync(DIRECTORY, { recursive: true })
for (const [name, { subject, html, text }] of Object.entries(mails)) {
  writeFileSync(`${DIRECTORY}/${name}.html`, html)
  writeFileSync(`${DIRECTORY}/${name}.txt`, `Subject: ${subject}\n\n${text}\n`)
  console.log(`${DIRECTORY}/${name}.html  ${subject}`)
}
