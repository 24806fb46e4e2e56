import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { composeMail, openTemplate } from '#modules/newsletter/mail/render.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { hostileTexts } from '../scenarios/xss.ts'
import { launchBrowser } from '../support/browser.ts'

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1_200, height: 900 } }
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="900"><rect width="1600" height="900" fill="#5b8aa6"/>
<circle cx="1250" cy="260" r="110" fill="#f3d9a4"/><path d="M0 620 Q400 540 800 620 T1600 620 V900 H0Z" fill="#2f5d78"/></svg>`
const ADA = {
  name: 'Ada',
  email: 'ada@example.com',
  unsubscribeUrl: 'https://api.example.com/unsubscribe?token=abc&x=1',
}

const RICH = `<h2>What is new</h2><p>Stoneware <strong>from the coast</strong>, on <a href="/new">the new shelf</a>.</p>
<ul><li>Mugs</li><li>Bowls</li></ul><blockquote><p>The best mug I ever had.</p></blockquote>
<table><thead><tr><th>What</th><th>Price</th></tr></thead><tbody><tr><td>Mug</td><td>12.00 €</td></tr>
<tr><td>Bowl with a rather long name</td><td>18.00 €</td></tr></tbody></table><p>Use <code>SPRING26</code>.</p>
<pre>open  10 to 6\nclosed on Mondays, on the first Tuesday of the month, and whenever the sun is out</pre><hr />
<p><img src="/wide.png" alt="The boats" width="1400" height="300" /></p><h3>See you</h3><p>${'endless'.repeat(20)}</p>`

const blocks: Block[] = [
  { id: 'title', type: 'TEXT', value: 'Spring is here' },
  {
    id: 'intro',
    type: 'TEXT',
    value: 'Dear {{ subscriber.name | default: "friend" }},\n\nthe sea is calm, the boats are out, and so are we.',
  },
  {
    id: 'photo',
    type: 'MEDIA',
    label: 'The harbour at dawn',
    value: { id: 'med_1', url: 'https://cdn.example.com/harbour.svg', mimeType: 'image/jpeg' },
  },
  { id: 'body', type: 'TEXT', settings: { variant: 'HTML' }, value: RICH },
  { id: 'opening', type: 'DATE', label: 'Opening', value: 1_777_593_600 },
  { id: 'colours', type: 'MULTI_SELECT', label: 'Colours', value: ['Blue', 'Sand'] },
  { id: 'end', type: 'TEXT', value: 'Yours,\n{{ business.name }}' },
]

const makeMail = (blocks: Block[], reader = ADA) =>
  openTemplate(
    composeMail({
      business: { name: 'Harbour & Sons', defaultLocale: 'en', siteUrl: 'https://shop.example.com' },
      newsletter: { name: 'News from the harbour' },
      entry: { locale: 'en', blocks },
    }),
  )(reader)

let browser: Browser
before(async () => {
  browser = await launchBrowser()
})
after(() => browser?.close())

async function show(html: string, size: keyof typeof SIZES, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZES[size], colorScheme })
  await page.route('https://mail.example.com/', (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await page.route(/harbour|wide/, (route) => route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }))
  await page.goto('https://mail.example.com/')
  return page
}

/** How well the words of each element stand out from what is behind them: WCAG asks for 4.5. */
const FAINTEST = `(() => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor
    return color === 'rgba(0, 0, 0, 0)' && element.parentElement ? behind(element.parentElement) : color
  }
  const texts = [...document.body.querySelectorAll('*')].filter((element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  return Math.min(...texts.map((element) => {
    const [dark, bright] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => a - b)
    return (bright + 0.05) / (dark + 0.05)
  }))
})()`

for (const size of ['phone', 'desktop'] as const) {
  for (const scheme of ['light', 'dark'] as const) {
    test(`a newsletter can be read on a ${size}, ${scheme}`, async () => {
      const page = await show(makeMail(blocks).html, size, scheme)
      const folder = process.env.SCREENSHOTS
      if (folder) await page.screenshot({ path: path.join(folder, `newsletter-${size}-${scheme}.png`), fullPage: true })
      const measure = <Answer>(script: string) => page.evaluate<Answer>(script)

      assert.equal(await page.title(), 'Spring is here')
      assert.match(await page.innerText('body'), /Dear Ada,[^]*Yours,\s+Harbour & Sons[^]*Unsubscribe/)
      assert.equal(await page.getByText('Unsubscribe').getAttribute('href'), ADA.unsubscribeUrl)
      assert.equal(await measure('document.documentElement.scrollWidth - innerWidth <= 0'), true, 'it scrolls sideways')
      const { width = 0 } = (await page.locator('.card').boundingBox()) ?? {}
      assert.ok(width <= 600 && width >= Math.min(SIZES[size].width - 32, 600), `the card is ${width} wide`)
      assert.equal(
        await measure(`[...document.images].every(({ clientWidth, complete }) => complete && clientWidth <= ${width})`),
        true,
      )
      const contrast = await measure<number>(FAINTEST)
      assert.ok(contrast >= 4.5, `the faintest words have a contrast of ${contrast}`)
      assert.ok((await measure<number>('parseFloat(getComputedStyle(document.querySelector(".body")).fontSize)')) >= 16)
      await page.close()
    })
  }
}

const FINDINGS = `({
  ran: window.ran ?? [],
  footer: document.querySelectorAll('table .dark-muted a[href^="https://api.example.com/unsubscribe"]').length,
  isSeen: document.querySelector('.dark-muted a')?.getBoundingClientRect().height > 0,
  inCard: document.querySelector('.card')?.contains(document.querySelector('.dark-muted')),
  strange: [...document.querySelectorAll('script,iframe,object,embed,form,input,svg,math,link,base')].length +
    [...document.querySelectorAll('*')].filter((one) => [...one.attributes].some(({ name }) => name.startsWith('on'))).length,
})`
const HARMLESS = { ran: [], footer: 1, isSeen: true, inCard: false, strange: 0 }

test('nothing that a merchant or a reader writes runs, or takes the footer away', async () => {
  const hasExpression = (text: string) => /\{[{%]/.test(text)
  const texts = hostileTexts(80, 20_262).filter((text) => !hasExpression(text))
  const page = await browser.newPage()
  await page.addInitScript('window.ran = []; window.__pwned = (n) => ran.push(n); alert = prompt = confirm = __pwned')
  let html = ''
  await page.route('**/*', (route) =>
    route.request().isNavigationRequest() ? route.fulfill({ contentType: 'text/html', body: html }) : route.abort(),
  )
  const look = async (text: string, mail: string) => {
    html = mail
    await page.goto('https://mail.example.com/')
    assert.deepEqual(await page.evaluate(FINDINGS), HARMLESS, text)
  }
  for (const text of texts) {
    const label = text.slice(0, 200)
    const hostile: Block[] = [
      { id: 'title', type: 'TEXT', value: text },
      { id: 'plain', type: 'TEXT', value: text },
      { id: 'rich', type: 'TEXT', settings: { variant: 'HTML' }, value: text },
      {
        id: 'media',
        type: 'MEDIA',
        label,
        value: { id: 'med_1', url: `https://a.example/${text}`, mimeType: 'image/png' },
      },
      { id: 'file', type: 'MEDIA', label, value: { id: 'med_1', url: text, mimeType: 'text/html' } },
      { id: 'choice', type: 'SELECT', label, value: text },
      {
        id: 'hello',
        type: 'TEXT',
        settings: { variant: 'HTML' },
        value: '<a href="/{{ subscriber.name }}">{{ subscriber.name }}</a>',
      },
    ]
    await look(text, makeMail(hostile, { ...ADA, name: text, email: text }).html)
  }
  await page.close()
})
