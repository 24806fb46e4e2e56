import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { cleanHtml } from '#vocabulary/html.ts'
import { launchBrowser } from '../support/browser.ts'

const SOURCE = path.join(import.meta.dirname, '../../packages/dashboard/src/content/rich-text/create.ts')
const DOCUMENTS = 2_000

let browser: Browser
let page: Page
before(async () => {
  const bundle = await rolldown({ input: SOURCE, platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'iife', name: 'rich' })
  browser = await launchBrowser()
  page = await browser.newPage()
  await page.setContent('<!doctype html><div id="place"></div>')
  await page.addScriptTag({ content: output[0].code })
  await page.evaluate(
    `editor = rich.createEditor({ element: document.getElementById('place'), html: '', hasVariables: true })`,
  )
})
after(async () => {
  await browser?.close()
})

/** What the editor writes of each of these, and what of it can be read and counted before and after. */
type Read = { written: string; again: string; before: string; after: string }
const readAll = (texts: readonly string[]): Promise<Read[]> =>
  page.evaluate(`(${String(readInPage)})(${JSON.stringify(texts)})`)

/** Runs in the page. */
function readInPage(all: string[]): Read[] {
  const scope = globalThis as unknown as {
    rich: { setHtml: (editor: unknown, html: string) => void; htmlOf: (editor: unknown) => string }
    editor: unknown
    DOMParser: new () => { parseFromString: (text: string, type: string) => { body: El } }
  }
  type El = {
    textContent: string
    nodeType: number
    nodeName: string
    childNodes: Iterable<El>
    querySelectorAll: (
      selector: string,
    ) => Iterable<{ tagName: string; outerHTML: string; closest: (s: string) => unknown }>
  }
  const KEPT = 'h1,h2,h3,h4,h5,h6,ul,ol,li,blockquote,pre,hr,br,img,div,table,caption,col,thead,tfoot,tr,th,td'
  const SAME: Record<string, string> = { B: 'STRONG', I: 'EM' }
  /** Every letter with the marks that it has, in whatever order they stand around it. */
  const lettersOf = (node: El, marks: readonly string[] = []): string[] =>
    [...node.childNodes].flatMap((child) => {
      if (child.nodeType === 3) {
        const worn = [...new Set(marks)].sort().join('')
        return Array.from(child.textContent)
          .filter((letter) => /\S/.test(letter))
          .map((letter) => letter + worn)
      }
      const isMark = /^(B|STRONG|I|EM|U|S|SUB|SUP|CODE|SPAN|A)$/.test(child.nodeName)
      return lettersOf(child, isMark ? [...marks, SAME[child.nodeName] ?? child.nodeName] : marks)
    })
  /** Its letters, its parts, and where its links lead. */
  const countable = (html: string) => {
    const { body } = new scope.DOMParser().parseFromString(html, 'text/html')
    const tags = [...body.querySelectorAll(KEPT)].map((one) => /^<[^>]*>/.exec(one.outerHTML)?.[0])
    const links = new Set([...body.querySelectorAll('a[href]')].map((one) => /^<[^>]*>/.exec(one.outerHTML)?.[0]))
    return JSON.stringify([lettersOf(body), tags, [...links].sort((one = '', other = '') => one.localeCompare(other))])
  }
  return all.map((html) => {
    scope.rich.setHtml(scope.editor, html)
    const written = scope.rich.htmlOf(scope.editor)
    scope.rich.setHtml(scope.editor, written)
    const again = scope.rich.htmlOf(scope.editor)
    return { written, again, before: countable(html), after: countable(written) }
  })
}

const paste = (html: string): Promise<string> =>
  page.evaluate(
    `(() => { rich.setHtml(editor, ''); editor.view.pasteHTML(${JSON.stringify(html)}); return rich.htmlOf(editor) })()`,
  )

let seed = 20_261_117
const below = (most: number) => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % most
}
const pick = <One>(of: readonly One[]): One => of[below(of.length)] as One
const some = (most: number, make: () => string) => Array.from({ length: below(most + 1) }, make).join('')
const many = (most: number, make: () => string) => make() + some(most - 1, make)

const WORDS = [
  'boat',
  'Ölzeug',
  'a &amp; b',
  '1 &lt; 2',
  '“quoted”',
  '日本',
  '🛶',
  'x',
  'sail\u00a0on',
  '"',
  "it's",
  '5 &gt; 4',
  '{{ subscriber.name }}',
  '{{ subscriber.name | default: "friend" }}',
  '{% if subscriber.name %}',
  '{{',
]
const ADDRESSES = ['https://example.com/a?b=1&amp;c=2', '/shop', '#top', 'mailto:ada@example.com', 'tel:+4912']
const word = () => `${pick(WORDS)} `
const MARKS = ['b', 'strong', 'i', 'em', 'u', 's', 'sub', 'sup', 'code', 'span']

function inline(depth: number): string {
  const kind = below(depth > 3 ? 2 : 12)
  if (kind < 6) return many(3, word)
  if (kind < 9) {
    const tag = pick(MARKS)
    return `<${tag}>${many(2, () => inline(depth + 1))}</${tag}>`
  }
  if (kind === 9) {
    const title = pick(['', ' title="More &quot;about&quot; it"'])
    const target = pick(['', ' target="_blank" rel="noopener"'])
    return `<a href="${pick(ADDRESSES)}"${title}${target}>${word()}${pick(['', '<em>on</em>'])}</a>`
  }
  if (kind === 10) return '<br />'
  const size = pick(['', ' width="320"', ' width="320" height="200"'])
  return `<img src="https://example.com/${pick(['a', 'b'])}.jpg"${pick(['', ' alt=""', ' alt="A &amp; B"'])}${size} />`
}
const words = (depth: number) => many(4, () => inline(depth))

const item = (depth: number) =>
  `<li>${pick([() => words(depth), () => `<p>${words(depth)}</p>`, () => words(depth) + list(depth + 1), () => ''])()}</li>`
const list = (depth: number): string => {
  const tag = pick(['ul', 'ol'])
  return depth > 3 ? '' : `<${tag}>${many(3, () => item(depth))}</${tag}>`
}
const cell = (depth: number, tag: string) => {
  const span = pick(['', '', ' colspan="2"', ' rowspan="2"', ...(tag === 'th' ? [' scope="col"'] : [])])
  return `<${tag}${span}>${pick([() => words(depth), () => blocks(depth + 2), () => ''])()}</${tag}>`
}
const row = (depth: number) => `<tr>${many(3, () => cell(depth, pick(['td', 'th'])))}</tr>`
const table = (depth: number) => {
  const section = (tag: string) => `<${tag}>${many(2, () => row(depth))}</${tag}>`
  const head = pick(['', section('thead')])
  const foot = pick(['', section('tfoot')])
  const caption = pick(['', `<caption>${words(depth)}</caption>`])
  const columns = pick(['', '<colgroup><col /><col /></colgroup>'])
  return `<table>${caption}${columns}${head}${section('tbody')}${foot}</table>`
}
function block(depth: number): string {
  const kinds = [
    () => `<p>${words(depth)}</p>`,
    () => `<p>${words(depth)}</p>`,
    () => `<h${1 + below(6)}>${words(depth)}</h`,
    () => list(depth),
    () => '<hr />',
    () => `<pre>${pick(['', '<code>'])}if (a &lt; b) {\n  sail()\n}`,
    ...(depth > 2
      ? []
      : [
          () => `<blockquote>${pick([() => words(depth), () => blocks(depth + 1)])()}</blockquote>`,
          () => `<div>${pick([() => words(depth), () => blocks(depth + 1)])()}</div>`,
          () => table(depth),
        ]),
  ]
  const made = pick(kinds)()
  if (made.startsWith('<pre>')) return `${made}${made.includes('<code>') ? '</code>' : ''}</pre>`
  return made.endsWith('</h') ? `${made}${made[2]}>` : made
}
const blocks = (depth: number): string => many(depth > 0 ? 2 : 5, () => block(depth))

test(`${DOCUMENTS} documents: what the editor writes is what the service stores, and nothing of them is lost`, async () => {
  const stored = Array.from({ length: DOCUMENTS }, () => cleanHtml(blocks(0)))
  const read = await readAll(stored)
  for (const [at, { written, again, before, after }] of read.entries()) {
    assert.equal(cleanHtml(written), written, `${stored[at]} is written otherwise than it is stored`)
    assert.equal(again, written, `${stored[at]} is written otherwise the second time`)
    assert.equal(after, before, `${stored[at]} lost something`)
  }
  const whole = read.map(({ written }) => written).join('')
  const tags = `p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code b strong i em u s sub sup a img span div
    table caption colgroup col thead tbody tfoot tr th td`
  for (const tag of tags.split(/\s+/)) assert.match(whole, new RegExp(`<${tag}[ >]`), `no document has a ${tag}`)
})

test('documents that are written as the editor would write them stay the same to the letter', async () => {
  const texts = [
    '<p>Plain</p>',
    '<h2>Title</h2><p>One <strong>bold</strong> and <em>slanted</em><br />line</p>',
    '<ul><li>One</li><li>Two<ol><li>Inner</li></ol></li></ul>',
    '<ul><li><p>One</p><p>Two</p></li></ul>',
    '<p><a href="https://example.com/?a=1&amp;b=2" title="A &quot;b&quot;" target="_blank" rel="noopener">there</a></p>',
    '<table><thead><tr><th scope="col">A</th></tr></thead><tbody><tr><td colspan="2">b</td></tr></tbody></table>',
    '<pre><code>a &lt; b\n  c</code></pre>',
    '<blockquote>Words</blockquote><div>More</div><hr />',
    '<p><img src="https://example.com/a.jpg" alt="" width="10" height="20" /></p>',
  ]
  const read = await readAll(texts)
  assert.deepEqual(
    read.map(({ written }) => written),
    texts,
  )
  assert.deepEqual(texts.map(cleanHtml), texts)
})

test('words without any markup, an empty text and hostile ones are read as the service means them', async () => {
  const read = await readAll(['a &lt; b &amp; c', '', '<p></p>', '<p><a>no address</a></p>'])
  assert.deepEqual(
    read.map(({ written }) => written),
    ['<p>a &lt; b &amp; c</p>', '', '', '<p><a>no address</a></p>'],
  )
  const hostile = await paste(
    '<p onclick="x()">a<script>x()</script><a href="javascript:x()">b</a><img src="data:image/png;base64,AA"><iframe></iframe></p>',
  )
  assert.equal(cleanHtml(hostile), hostile)
  assert.doesNotMatch(hostile, /script|data:|iframe|onclick/)
})

test('a variable is a chip to the eye and to the caret, and its letters in the text', async () => {
  const html = '<p>Dear {{ subscriber.name | default: "friend" }}, and <em>{{business.name}}</em>, {{ not closed</p>'
  const shown = await page.evaluate(
    `(() => {
      rich.setHtml(editor, ${JSON.stringify(html)})
      const chips = [...document.querySelectorAll('.variable')].map((chip) => chip.dataset.variable)
      return { chips, html: rich.htmlOf(editor) }
    })()`,
  )
  assert.deepEqual(shown, { chips: ['subscriber.name | default: "friend"', 'business.name'], html })

  const press = async (...keys: string[]) => {
    await page.evaluate('editor.commands.focus()')
    for (const key of keys) {
      await page.waitForTimeout(50) // as fast as people are: the browser tells where the caret is a little later
      await page.keyboard.press(key)
    }
    return page.evaluate('rich.htmlOf(editor)')
  }
  const open = (text: string, at: 'start' | 'end') =>
    page.evaluate(`(() => { rich.setHtml(editor, ${JSON.stringify(text)}); editor.commands.focus('${at}') })()`)
  await open('<p>Hi {{ subscriber.name }}</p>', 'end')
  assert.equal(await press('Backspace'), '<p>Hi </p>', 'one press takes all of it')
  await open('<p>{{ subscriber.name }}!</p>', 'start')
  assert.equal(await press('Delete'), '<p>!</p>')
  await open('<p>a{{ subscriber.name }}b</p>', 'end')
  assert.equal(await press('ArrowLeft', 'ArrowLeft', 'x'), '<p>ax{{ subscriber.name }}b</p>', 'the caret goes over it')
  await open('<p>a{{ subscriber.name }}b</p>', 'start')
  assert.equal(await press('ArrowRight', 'ArrowRight', 'x'), '<p>a{{ subscriber.name }}xb</p>')
  await open('<p>a{{ subscriber.name }}b</p>', 'start')
  await page.click('.variable')
  assert.equal(await press('x'), '<p>axb</p>', 'a click picks all of it')
})

const WORD = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta name=Generator content="Microsoft Word 15">
<style><!-- p.MsoNormal {margin:0cm} --></style></head><body lang=EN-GB><!--StartFragment-->
<h2><span style='mso-ascii-theme-font:major-latin'>A heading<o:p></o:p></span></h2>
<p class=MsoNormal>Some <b style='mso-bidi-font-weight:normal'>bold</b> and <i>slanted</i> words.<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>First</p>
<p class=MsoListParagraphCxSpMiddle style='text-indent:-18.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span
style='font-family:"Courier New"'><span style='mso-list:Ignore'>o<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;</span></span></span><![endif]>Inner</p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>Second</p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.<span>&nbsp;</span></span>Counted</p>
<table class=MsoTableGrid border=1><tr><td width=100 valign=top style='border:solid'><p class=MsoNormal>Cell<o:p></o:p></p></td></tr></table>
<!--EndFragment--></body></html>`

const GOOGLE = `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1a2b"><h2 dir="ltr" style="line-height:1.38"><span
style="font-size:16pt;font-weight:400;font-style:normal">A heading</span></h2><p dir="ltr" style="line-height:1.38;margin-top:0pt"><span
style="font-weight:400">Some </span><span style="font-weight:700;font-style:normal">bold</span><span style="font-weight:400"> and </span><span
style="font-weight:400;font-style:italic">slanted</span><span style="font-weight:400"> words, </span><a href="https://example.com/"
style="text-decoration:none"><span style="color:#1155cc;text-decoration:underline">a link</span></a><span style="font-size:0.6em;vertical-align:super">2</span></p><ul
style="margin-top:0"><li dir="ltr" style="list-style-type:disc" aria-level="1"><p dir="ltr" role="presentation"><span>First</span></p></li></ul></b><br class="Apple-interchange-newline">`

const GMAIL = `<div dir="ltr"><div>Hello <font color="#ff0000">Ada</font>,</div><div><br></div><div>some <b>bold</b> and <i>slanted</i> words, <a
href="https://example.com/" target="_blank">a link</a>.</div><div><ul><li>First</li><li>Second</li></ul></div><blockquote class="gmail_quote"
style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204)"><div>Quoted</div></blockquote><div class="gmail_signature"><span
style="font-weight:bold">Bo</span><br>Kiel</div></div>`

test('what is pasted from Word, Google Docs and Gmail becomes headings, lists, links and tables, exactly as it is stored', async () => {
  const [word, google, gmail] = [await paste(WORD), await paste(GOOGLE), await paste(GMAIL)]
  for (const html of [word, google, gmail]) {
    assert.equal(cleanHtml(html), html)
    assert.doesNotMatch(html, /style=|class=|<span|<font|mso-|<div/)
  }
  assert.equal(
    word,
    '<h2>A heading</h2><p>Some <b>bold</b> and <i>slanted</i> words.</p>' +
      '<ul><li>First<ul><li>Inner</li></ul></li><li>Second</li></ul><ol><li>Counted</li></ol>' +
      '<table><tbody><tr><td><p>Cell</p></td></tr></tbody></table>',
  )
  assert.equal(
    google,
    '<h2>A heading</h2><p>Some <strong>bold</strong> and <em>slanted</em> words, ' +
      '<a href="https://example.com/">a link</a><sup>2</sup></p><ul><li><p>First</p></li></ul>',
  )
  assert.equal(
    gmail,
    '<p>Hello Ada,</p><p>some <b>bold</b> and <i>slanted</i> words, ' +
      '<a href="https://example.com/" target="_blank" rel="noopener">a link</a>.</p>' +
      '<ul><li>First</li><li>Second</li></ul><blockquote><p>Quoted</p></blockquote><p><strong>Bo</strong><br />Kiel</p>',
  )
})
