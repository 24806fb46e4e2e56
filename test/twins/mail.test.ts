import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { createTransport } from 'nodemailer'
import type { Browser, Page } from 'playwright-core'
import { freePort } from '../../dev/ports.ts'
import { type Inbox, startInbox } from '../../twins/mail/server.ts'
import { launchBrowser } from '../support/browser.ts'

let inbox: Inbox
let browser: Browser
let url = ''
let smtpPort = 0
let seen: string[] = []

// Whoever sends hostile mails would like to hear that one was read.
const evil = createServer((request, response) => {
  seen.push(`request ${request.url}`)
  response.end()
})
let evilUrl = ''

before(async () => {
  evil.listen(0, '127.0.0.1')
  await once(evil, 'listening')
  evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`
  const port = await freePort(23_025)
  smtpPort = await freePort(21_025)
  inbox = await startInbox({ port, smtpPort })
  url = `http://127.0.0.1:${port}`
  browser = await launchBrowser()
})
after(async () => {
  await browser.close()
  await inbox.close()
  evil.close()
})

async function mail(changes: object): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
  await transport.sendMail({ from: 'Shop <shop@example.com>', to: 'ada@example.com', subject: 'Hello', ...changes })
  transport.close()
  const [newest] = (await (await fetch(`${url}/api/messages`)).json()) as { id: string }[]
  assert.ok(newest)
  return newest.id
}

const sms = (to: string, text: string) =>
  fetch(`${url}/2010-04-01/Accounts/AC1/Messages.json`, {
    method: 'POST',
    headers: { authorization: 'Basic QUMxOnNlY3JldA==' },
    body: new URLSearchParams({ To: to, From: '+15005550006', Body: text }),
  })

/** A page that knows when a script of a mail ran. */
async function watched(options: object = {}) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, ...options })
  const page = await context.newPage()
  seen = []
  await context.exposeFunction('pwned', (what: string) => void seen.push(`script ${what}`))
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { page, context }
}

const HOSTILE = [
  '<script>top.pwned("script"); pwned("own")</script><img src=x onerror="top.pwned(1);alert(1)">',
  '<svg onload="top.pwned(2)"><script>alert(2)</script></svg><body onload="alert(2)">',
  '<iframe srcdoc="<script>top.pwned(3);alert(3)</script>"></iframe><iframe src="javascript:top.pwned(3)"></iframe>',
  '<meta http-equiv="refresh" content="0;url=EVIL/refresh"><p>t</p>',
  '<base href="EVIL/"><link rel=stylesheet href=/style><img src="/pixel"><style>@import "EVIL/s"</style>',
  '<object data="EVIL/o"></object><embed src="EVIL/e"><video src="EVIL/v"></video>',
  '--><!--</iframe></article><script>pwned(7)</script>',
]
const CLICKED = [
  '<a id=t href="javascript:pwned(1);opener&&opener.pwned(1)">t</a>',
  '<a id=t target=_self href="javascript:top.pwned(2)">t</a>',
  '<a id=t target=_top href="/delete-all">t</a>',
  '<form action="/delete-all" method=post><button id=t>t</button></form>',
  '<form action="/delete-all" method=post target=_blank><button id=t>t</button></form>',
  '<b id=t onclick="alert(4)">t</b>',
]

test('some addresses are refused, of others nobody hears whether they have it', async () => {
  await assert.rejects(mail({ to: 'refused.ada@example.com' }), { responseCode: 550 })
  await assert.rejects(mail({ to: 'silent.ada@example.com' }), /closed/i)
  const listed = (await (await fetch(`${url}/api/messages`)).json()) as object[]
  assert.ok(JSON.stringify(listed).includes('silent.ada@example.com'))
  assert.ok(!JSON.stringify(listed).includes('refused.ada@example.com'))
})

test('a hostile mail runs nothing, loads nothing and changes nothing, in the frame and on its own', async () => {
  const { page, context } = await watched()
  for (const text of [...HOSTILE, ...CLICKED]) {
    const html = text.replaceAll('EVIL', evilUrl)
    const id = await mail({ html, subject: `<img src=x onerror=pwned("subject")> ${html.slice(0, 20)}` })
    await page.goto(`${url}/messages/${id}`)
    if (CLICKED.includes(text)) {
      await page.frameLocator('iframe').locator('#t').click()
      await page.waitForTimeout(100)
      assert.equal(new URL(page.url()).pathname, `/messages/${id}`)
    } else {
      await page.goto(`${url}/messages/${id}/html`)
      await page.waitForTimeout(50)
      assert.equal(new URL(page.url()).pathname, `/messages/${id}/html`)
    }
    for (const opened of context.pages()) if (opened !== page) await opened.close()
    assert.deepEqual(seen, [], html)
    assert.ok(inbox.store.find(id), `${html} emptied the inbox`)
  }
  const id = await mail({
    html: '</pre></article><script>pwned(0)</script>',
    headers: { 'x-a': '<script>pwned(1)</script>' },
  })
  for (const view of ['text', 'headers', 'source']) await page.goto(`${url}/messages/${id}?view=${view}`)
  assert.deepEqual(seen, [])
  await context.close()
})

test('a link in a mail opens beside the inbox, outside the cage', async () => {
  const { page, context } = await watched()
  const id = await mail({ html: `<a id=t href="${url}/healthz">t</a>` })
  await page.goto(`${url}/messages/${id}`)
  const opening = context.waitForEvent('page')
  await page.frameLocator('iframe').locator('#t').click()
  const opened = await opening
  await opened.waitForLoadState()
  assert.equal(opened.url(), `${url}/healthz`)
  assert.equal(await opened.evaluate('window.opener'), null)
  await context.close()
})

test('a message appears by itself, is found, read once, and gone with all others', async () => {
  const { page, context } = await watched()
  await fetch(`${url}/api/messages`, { method: 'DELETE' })
  await page.goto(url)
  await page.getByText('No messages yet').waitFor()
  await mail({ subject: 'The lighthouse', text: 'See https://example.com/a?b=1&c=2.' })
  await sms('+4915112345678', 'Your code is 493017. It is good for 10 minutes.')
  await page.getByText('2 messages · 2 unread').waitFor()

  await page.fill('input[type=search]', 'LIGHT example.com')
  await page.press('input[type=search]', 'Enter')
  assert.equal(await page.locator('#list li').count(), 1)
  await page.locator('#list li a').click()
  assert.equal(await page.locator('pre a').getAttribute('href'), 'https://example.com/a?b=1&c=2')
  await page.goto(url)
  await page.getByText('2 messages · 1 unread').waitFor()
  await page.locator('#list li a').first().click()
  assert.equal(await page.innerText('output'), '493017')

  page.removeAllListeners('dialog')
  page.on('dialog', (dialog) => void dialog.accept())
  await page.getByRole('button', { name: 'Delete all' }).click()
  await page.getByText('No messages yet').waitFor()
  await context.close()
})

test('scripts read messages as JSON, and nobody under another name or from another site does', async () => {
  const id = await mail({ to: 'bo@example.com', text: 'plain', attachments: [{ filename: 'a.txt', content: 'x' }] })
  const whole = (await (await fetch(`${url}/api/messages/${id}`)).json()) as Record<string, unknown>
  assert.deepEqual(whole.to, ['bo@example.com'])
  assert.equal(String(whole.text).trim(), 'plain')
  assert.deepEqual(whole.attachments, [{ filename: 'a.txt', mimeType: 'text/plain', bytes: 1 }])
  const part = await fetch(`${url}/messages/${id}/parts/0`)
  assert.match(part.headers.get('content-disposition') ?? '', /^attachment/)

  for (const origin of ['https://evil.example', evilUrl, 'null']) {
    const elsewhere = await fetch(`${url}/delete-all`, { method: 'POST', headers: { origin } })
    assert.equal(elsewhere.status, 403)
  }
  const [named] = await once(get(`${url}/api/messages`, { headers: { host: 'evil.example' } }), 'response')
  assert.equal(named.statusCode, 421)
  named.resume()
  assert.equal((await fetch(`${url}/api/messages/none`)).status, 404)
})

test('a mail that is made to take long is read at once', async () => {
  const start = performance.now()
  for (const html of ['<style '.repeat(50_000), '<'.repeat(500_000), '<img src="cid:a">'.repeat(50_000)]) {
    const id = await mail({ html, attachments: [{ filename: 'a.png', content: 'x'.repeat(300_000), cid: 'a' }] })
    assert.equal((await fetch(`${url}/messages/${id}`)).status, 200)
    assert.equal((await fetch(`${url}/messages/${id}/html`)).status, 200)
  }
  assert.ok(performance.now() - start < 20_000)
})

for (const [size, viewport] of Object.entries({
  desktop: { width: 1_280, height: 800 },
  phone: { width: 390, height: 844 },
})) {
  test(`nothing is wider than the screen of a ${size}`, async () => {
    const long = 'https://shop.example.com/'.padEnd(300, 'x')
    await mail({ subject: `Long ${'word'.repeat(60)}`, to: `${'a'.repeat(60)}@example.com`, text: long })
    const { page, context } = await watched({ viewport })
    await page.goto(url)
    await fits(page, `inbox-list-${size}`)
    await page.locator('#list li a').first().click()
    await fits(page, `inbox-mail-${size}`)
    await context.close()
  })
}

async function fits(page: Page, name: string): Promise<void> {
  await page.waitForLoadState() // without its style everything is too wide
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`) })
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.equal(overflow, 0, name)
}
