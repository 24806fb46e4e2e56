// Hostile rich text made from a grammar, and a page in a browser that notices when any of it does something.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { seededRandom } from '../../twins/stripe/random.ts'

type Dice = ReturnType<typeof createDice>

function createDice(seed: number, number: number) {
  const random = seededRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <Item>(list: readonly Item[]) => list[below(list.length)] as Item
  const pickText = (list: readonly string[]) => pick(list).replaceAll('%n', String(number))
  return { number, below, pick, pickText, chance: (share: number) => random() < share }
}

// Each calls the page, opens a dialog or asks for the canary. %n is the number of the text, by which it is known.
const CODES = `\
top.__pwned(%n)|top['__pwned'](%n)|top.__pwned\`%n\`|eval('top.__pw'+'ned(%n)')|setTimeout('top.__pwned(%n)')|top.__pwned(%n)//|\
[%n].map(top.__pwned)|top.__pwned(%n);"<!--"|\\u0074op.__pwned(%n)|alert(%n)|prompt\`%n\`|(confirm)(%n)|fetch('/canary/%n')|\
import('/canary/%n')|new Image().src='/canary/%n'|navigator.sendBeacon('/canary/%n')|location='/canary/%n'|\
location='javascript:top.__pwned(%n)'`.split('|')

// What runs code or asks for an address: {code}, {url} and {canary} are values of attributes, {script} stands as it is.
const SINKS = `\
<img src=x onerror={code}>|<img alt="a" src={url} onload={code}>|<image src=x onerror={code}>|<img srcset={canary}>|\
<a href={url}>t</a>|<a href={url} target=_top>t</a>|<a onclick={code}>t</a>|<a href="#" ping={canary} onmouseover={code}>t</a>|\
<a href="https://a.example/" title={code} onfocus={code}>t</a>|<p onclick={code}>t</p>|<td onmouseenter={code}>t</td>|\
<b onpointerover={code}>t</b>|<span ondragstart={code} draggable=true>t</span>|<div oncopy={code}>t</div>|<x onclick={code}>t|\
<h1 oncontextmenu={code}>t</h1>|<li onwheel={code}>t|<div style="animation:a" onanimationstart={code}>t</div>|\
<input autofocus onfocus={code}>|<input type=image src=x formaction={url}>|<input type=image src=x onerror={code}>|\
<button onclick={code}>t</button>|<form action={url}><button>t</button></form>|<form><button formaction={url}>t</form>|\
<form onsubmit={code}><input type=submit></form>|<form action={canary}><input name=a></form>|<select onchange={code}><option>t|\
<textarea autofocus onfocus={code}>t</textarea>|<details open ontoggle={code}>t</details>|<marquee onstart={code}>t</marquee>|\
<video onerror={code}><source src=x></video>|<video src=x onerror={code}>|<audio src=x onerror={code}>|<video poster={canary}>|\
<svg onload={code}>|<svg/onload={code}>|<svg><g onclick={code}><text>t</text></g></svg>|<svg><script>{script}</script></svg>|\
<svg><a xlink:href={url}><text>t</text></a></svg>|<svg><a><animate attributeName=href values={url} /><text>t</text></a></svg>|\
<svg><set attributeName=onmouseover to={code} /><image href={canary} /></svg>|<svg><use href={canary} /></svg>|\
<svg><animate onbegin={code} attributeName=x dur=1s></svg>|<svg><foreignObject><img src=x onerror={code}></foreignObject></svg>|\
<math href={url}>t</math>|<math><maction actiontype="statusline" xlink:href={url}>t</maction></math>|<math onclick={code}><mi>t|\
<iframe src={url}></iframe>|<iframe onload={code}></iframe>|<iframe srcdoc={document}></iframe>|<iframe src={canary}></iframe>|\
<frameset onload={code}>|<object data={url}></object>|<object data={canary} onerror={code}></object>|<embed src={url}>|<embed src={canary}>|\
<script>{script}</script>|<script src={canary}></script>|<script type=module>{script}</script>|<script/x>{script}</script >|\
<script>{script}//<!--|<template shadowrootmode=open><script>{script}</script></template>|<noscript><img src=x onerror={code}></noscript>|\
<style onload={code}>a{}</style>|<style>@import {canary};</style>|<div style="background:url(/canary/%n)">t</div>|<body onload={code}>|\
<link rel=stylesheet href={canary}>|<link rel=prefetch href={canary}>|<link rel=x onerror={code} href={canary}>|<base href={url}>|\
<meta http-equiv=refresh content="0;url=/canary/%n">|<table background={canary}><tr><td background={canary}>t</table>|\
<a id=__pwned name=body href={url}>t</a>|<form id=location name=cookie><input id=attributes name=parentNode></form>|\
<area href={url}>|<map name=m><area href={url} shape=default></map><img usemap=#m src=x>|<keygen autofocus onfocus={code}>|\
<dialog open onclose={code}><form method=dialog><button>t</form></dialog>|<div popover onbeforetoggle={code} id=q></div><button popovertarget=q>t|\
<xss contenteditable onfocus={code} tabindex=1 autofocus>t</xss>|\
<portal src={canary}>|<bgsound src={canary}>|<picture><source srcset={canary}><img>`.split('|')

// Around it: what browsers and parsers read differently. {} is the hole, and may lie in a text, an attribute or a comment.
const NESTS = `\
{}|{}|{}|{}|{}|{}|<p>{}</p>|<div><b>{}</b></div>|<td>{}</td>|<table><tr><td>{}</table>|<table>{}</table>|<pre>\n{}</pre>|<ul><li>{}<li>{}</ul>|\
<a href="https://a.example/" title='{}'>t</a>|<img src="https://a.example/" alt='{}'>|<a title="{}">t|<p title="</p>{}">|<a href='https://a.example/{}'>|\
<svg></p><style><a title="</style>{}">|<svg><style>{}</style></svg>|<svg><title>{}</title></svg>|<svg><desc>{}|<svg><p>{}</svg>|<svg></br>{}|\
<math><mtext><table><mglyph><style><!--</style>{}|<math><mtext>{}</mtext></math>|<math><annotation-xml encoding="text/html">{}|\
<form><math><mtext></form><form><mglyph><style></math>{}|<math><mi><style><!--</style><a title="-->{}">|<math></p>{}|<math><mtext><mglyph>{}|\
<svg><foreignObject><math><mtext>{}|<svg><annotation-xml><foreignObject><style><!--</style><p title="-->{}">|<math><ms><table><malignmark>{}|\
<noscript><p title="</noscript>{}">|<noscript>{}</noscript>|<noscript><style></noscript>{}|<p><noscript></p><!--</noscript>{}-->|<noframes><p title="</noframes>{}">|\
<template>{}</template>|<template><style></template>{}|<select><template>{}</template></select>|<select>{}</select>|<select><option>{}|<select><iframe>{}|\
<textarea>{}</textarea>|<textarea></textarea/>{}|<textarea><p title="</textarea>{}">|<title>{}</title>|<title><p title="</title>{}">|<svg><textarea>{}|\
<xmp>{}</xmp>|<xmp><p title="</xmp>{}">|<iframe>{}</iframe>|<iframe><p title="</iframe>{}">|<noembed><p title="</noembed>{}">|<plaintext>{}|<listing>{}|\
<style>{}</style>|<style><p title="</style>{}">|<script>{}</script>|<script><!--<script></script>{}|<option>{}</option>|<frameset>{}|<head>{}</head>|<html><body>{}|\
<!--{}-->|<!-->{}-->|<!--->{}-->|<!-- --!>{}-->|<!--<!-->{}-->|<!-- - ->{}|<!-{}->|<!x>{}|<?x>{}?>|<?xml version="1.0"?>{}|</x>{}|</ x>{}|<%{}%>|<!DOCTYPE x [{}]>|\
<![CDATA[{}]]>|<![CDATA[>{}]]>|<svg><![CDATA[><!--{}]]>|<svg><![CDATA[</svg>{}]]>|<math><![CDATA[{}]]></math>|<p><![CDATA[--></p>{}]]>|<svg><![CDATA[<!--]]>{}-->|\
&lt;p&gt;{}|&amp;lt;{}|+ADw-p+AD4-{}|\ufeff{}|\0{}|<p>&{}|<\u0130mg>{}|\u202e{}|\ud800{}|\
{{constructor.constructor('top.__pwned(%n)')()}}{}|\${top.__pwned(%n)}{}`.split('|')

// Out of the places where a front may have put the text before.
const BREAKERS = `\
">|'>|\`>|">'>|-->|--!>|]]>|/>|" |' |\\">|%22>|&quot;>|\u2028|{{|*/|</textarea>|</title>|</script>|</style>|</noscript>|</template>|\
</select>|</option>|</svg>|</math>|</table>|</p>|</a>|</iframe>|</xmp>`.split('|')

const SCHEMES = `\
javascript|javascript|javascript|javascript|JaVaScRiPt|JAVASCRIPT|java\tscript|java\nscript|j\ra\nv\ta\tscript|javascript\n|\
 javascript|\u0001javascript|\u001f \tjavascript|\ufeffjavascript|\u00a0javascript|java\0script|\uff4aavascript|java\u017fcript|\
j\u0430vascript|javascript\u200b|feed:javascript|view-source:javascript|jar:javascript|vbscript|livescript|https:javascript|/|\
java<!---->script|<!-- -->javascript|java%73cript|java&#115;cript|java\\script|x-javascript`.split('|')

function makeUrl({ pick, pickText, chance }: Dice): string {
  const code = pickText(CODES)
  if (chance(0.12)) return `data:text/html${pick(['', ';base64', ';charset=utf-7'])},<script>${code}</script>`
  const escaped = Array.from(code, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
  return (
    pick(SCHEMES) +
    pick([':', ':', ':', ':', '%3a', ':\n', '\t:']) +
    pick(['', '', '//%0a', '/**/']) +
    pick([code, code, escaped])
  )
}

const NAMED: Record<string, string> = { '\t': '&Tab;', '\n': '&NewLine;', ':': '&colon;', '(': '&lpar;', ')': '&rpar;' }

/** One character as an entity, in one of the ways that browsers read. */
function toEntity(char: string, { pick, below }: Dice): string {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  const zeros = '0'.repeat(below(8))
  const ways = [
    `&#${code};`,
    `&#${zeros}${code};`,
    `&#x${hex};`,
    `&#X${zeros}${hex.toUpperCase()};`,
    `&#${zeros}${code}`,
    `&#x${hex}`,
  ]
  return pick([...ways, NAMED[char] ?? `&#${code};`])
}

/** The value of an attribute: in quotes or without, some or all of it as entities. */
function quote(value: string, dice: Dice): string {
  const mark = dice.pick(['"', '"', "'", "'", '', '', '`'])
  const share = dice.pick([0, 0, 0, 0.2, 1])
  const mustBeEntity = mark === '' || mark === '`' ? /[\s"'=<>`]/ : new RegExp(mark)
  const toPart = (char: string) => (mustBeEntity.test(char) || dice.chance(share) ? toEntity(char, dice) : char)
  return mark + Array.from(value, toPart).join('') + mark
}

function makeSink(dice: Dice): string {
  const fillings: Record<string, () => string> = {
    code: () => quote(dice.pickText(CODES), dice),
    script: () => dice.pickText(CODES),
    url: () => quote(makeUrl(dice), dice),
    canary: () => quote(`/canary/${dice.number}`, dice),
    document: () => quote(`<script>${dice.pickText(CODES)}</script>`, dice),
  }
  return dice.pickText(SINKS).replaceAll(/\{(\w+)\}/g, (_, name) => fillings[name]?.() ?? '')
}

const somewhere = (text: string, { below }: Dice, change: (before: string, after: string) => string) => {
  const at = below(text.length + 1)
  return change(text.slice(0, at), text.slice(at))
}

// Cut short, doubled, in a strange namespace, between strange spaces, with other quotes, twice the same attribute, deep
// inside, shown as text: what a parser has to guess at.
const MUTATIONS: ((text: string, dice: Dice) => string)[] = [
  (text, dice) => somewhere(text, dice, (before) => before),
  (text, { below }) => text.slice(0, -1 - below(3)),
  (text) => text.replace('<', '<<'),
  (text) => text.replaceAll('<', '<<x>').replaceAll('</<', '</'),
  (text) => text.replace(/<(\w)(\w*)/, '<$1<$1$2>$2'),
  (text, { pick }) =>
    text.replaceAll(/<(?=\w)/g, pick(['<svg:', '<x:', '<html:', '</', '< ', '<\0', '<\u0130', '\uff1c'])),
  (text, { pick }) => text.replaceAll(' ', pick(['/', '\t', '\n', '\f', '\r', '\u000b', '/ /', '\u00a0', ' x=y '])),
  (text, { pick }) => text.replaceAll('=', pick([' = ', '\n=\n', '\f=', '==', '=\u00a0'])),
  (text, { chance }) => text.replaceAll(/[a-z](?=[^(]*$)/g, (char) => (chance(0.5) ? char.toUpperCase() : char)),
  (text, { pick }) => text.replace(/(?<==)["']/, pick(['', '`', '""', '\'"', ' '])),
  (text, { pick }) => text.replace(/["'](?=[\s>])/, pick(['', '`', '""', '"\'', '"x'])),
  (text, { pick }) =>
    text.replace(
      / (on\w+|href|src)/,
      pick([' $1="https://a.example/" $1', ' $1=x x="$1', ' \0$1', ' x:$1', '"$1', ' a$1= $1']),
    ),
  (text, { pick }) => text.replaceAll('>', pick(['/>', ' >', '\n>', '', '>>', ' x>', ' "">', ' <'])),
  (text, { pick }) => text.replace('</', pick(['<\\/', '< /', '</ ', '<//', '</\0', '<', '</x></'])),
  (text, dice) =>
    somewhere(
      text,
      dice,
      (before, after) => before + dice.pick(['\0', '"', "'", '<', '>', '&', '<!--', '`', '\u001b(B']) + after,
    ),
  (text) => text + text,
  (text, { pick }) =>
    `${pick(['<div>', '<b>', '<p><x>', '<svg><desc>', '<i><table>']).repeat(pick([3, 3, 3, 3, 130]))}${text}`,
  (text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (text) => text.replaceAll('&', '&amp;'),
]

function makeText(dice: Dice): string {
  const { pick, pickText, chance } = dice
  let text = pickText(NESTS).replaceAll('{}', () => makeSink(dice))
  if (chance(0.25)) text = pickText(NESTS).replace('{}', () => text)
  if (chance(0.2)) text = pick(BREAKERS) + text
  for (const share of [0.45, 0.2]) if (chance(share)) text = pick(MUTATIONS)(text, dice)
  return text
}

/** Of one length, so that the same seed makes the same text but for its number. */
const FIRST_NUMBER = 10_000

/** Texts of which no two differ only in their number. */
export function hostileTexts(count: number, seed: number): string[] {
  const { below } = createDice(seed, 0)
  const seeds = new Map<string, number>()
  while (seeds.size < count) {
    const one = below(2 ** 31)
    seeds.set(makeText(createDice(one, FIRST_NUMBER)), one)
  }
  return [...seeds.values()].map((one, index) => makeText(createDice(one, FIRST_NUMBER + index)))
}

const WAYS = ['script', 'dialog', 'request', 'navigation', 'window', 'error', 'markup', 'unfinished'] as const
/** What was seen of the text with this index. `markup`: the browser has read something that is not on the list. */
export type Sighting = { index: number; way: (typeof WAYS)[number]; what: string }
/** The ways that leave no doubt that a text has done something. */
export const RUNNING: ReadonlySet<string> = new Set(WAYS.slice(0, 5))

// Written by the server where fronts put rich text, and also where only clean text does no harm. Not as it stands in an
// attribute: there a front has to escape it like any other text, for the first quotation mark would end the attribute.
const everywhere = (text: string) => `<title>${text}</title><meta name="description" content="${escapeAttribute(text)}">
<script type="application/ld+json">{"description":${JSON.stringify(text)}}</script><!-- ${text} -->
<div data-place>${text}</div><p data-place>${text}</p><h1 data-place>${text}</h1><label data-place>${text}</label>
<table><tr><td data-place>${text}</td></tr></table><table>${text}</table><ul><li data-place>${text}</li></ul>
<a href="/product">${text}</a><button>${text}</button><details open><summary>${text}</summary>${text}</details>
<select><option>${text}</option></select><template>${text}</template><noscript>${text}</noscript>
<textarea>${text}</textarea><svg><foreignObject><div data-place>${text}</div></foreignObject>${text}</svg>
<math><mtext>${text}</mtext>${text}</math><div data-html="${escapeAttribute(text)}"></div>`

const writePage = (number: number, texts: readonly string[], isCaged: boolean) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<script>top.watch(window, ${number}, ${JSON.stringify(texts).replaceAll('<', '\\u003c')}, ${isCaged})</script></head>
<body>${texts.map((text) => (isCaged ? `<div>${text}</div>` : everywhere(text))).join('\n')}</body></html>`

const escapeAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

// Runs in the browser. Texts are shown in frames, and each of these begins by calling `watch` here.
const HOST = String.raw`<!doctype html><meta charset="utf-8"><title>Host</title><script>
const TAGS = new Set(('p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code b strong i em u s sub sup a img span div ' +
  'table caption colgroup col thead tbody tfoot tr th td').split(' '))
const ATTRIBUTES = { a: ['href', 'title', 'target', 'rel'], img: ['src', 'alt', 'width', 'height'],
  th: ['colspan', 'rowspan', 'scope'], td: ['colspan', 'rowspan'] }
const ADDRESSES = { href: /^(https?|mailto|tel):/, src: /^https?:/ }
const EVENTS = ('pointerover pointerenter mouseover mouseenter mousemove pointerdown mousedown focus focusin pointerup mouseup ' +
  'dblclick contextmenu keydown keypress keyup beforeinput input change select dragstart drag dragenter dragover drop dragend ' +
  'copy cut paste wheel scroll touchstart touchend submit reset toggle animationstart transitionend blur mouseleave').split(' ')
const sightings = []
const endings = new Map()
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const tell = (number, way, what = '') => sightings.push({ number: Number(number), way, what: String(what).slice(0, 200) })
window.__pwned = (number) => tell(number, 'script')

function watch(frame, number, texts, isCaged) {
  for (const name of ['alert', 'confirm', 'prompt', 'print']) frame[name] = () => tell(number, 'dialog')
  frame.addEventListener('error', ({ message }) => message && tell(number, 'error', message))
  frame.addEventListener('unhandledrejection', ({ reason }) => tell(number, 'error', reason))
  // A link may lead to the web; that is what it is for. Any other kind of address is followed.
  frame.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]')
    if (link && ADDRESSES.href.test(URL.parse(link.getAttribute('href'), link.baseURI)?.href)) event.preventDefault()
  }, true)
  frame.addEventListener('load', async () => {
    try {
      for (const text of texts) {
        if (isCaged) frame.document.body.appendChild(frame.document.createElement('div')).innerHTML = text
        else place(frame.document, text)
      }
      // Pictures that are not there say so within milliseconds.
      for (let wait = 0; wait < 30 && [...frame.document.images].some(({ complete }) => !complete); wait++) await sleep(10)
      if (!isCaged) for (const strange of findStrange(frame.document)) tell(number, 'markup', strange)
      poke(frame)
      await sleep(30)
    } catch (error) {
      tell(number, 'unfinished', error) // silence would mean nothing
    } finally {
      endings.get(number)?.()
    }
  })
}

/** As scripts of fronts do it: once, read back and written again, through a template, a parser, an attribute. */
function place(document, text) {
  const make = (name, html) => {
    const element = document.createElement(name)
    element.dataset.place = ''
    document.body.append(element)
    element.innerHTML = html
    return element
  }
  const once = make('div', text)
  const twice = make('div', once.innerHTML)
  make('div', twice.innerHTML)
  make('p', once.innerHTML)
  make('td', text)
  make('div', new XMLSerializer().serializeToString(once))
  make('div', '<table><tr><td>' + text + '</td></tr></table>').append(document.createRange().createContextualFragment(text))
  const template = document.createElement('template')
  template.innerHTML = text
  make('div', '').append(template.content.cloneNode(true))
  make('div', '').append(document.importNode(new DOMParser().parseFromString(text, 'text/html').body, true))
  for (const tip of document.querySelectorAll('[data-html]')) if (tip.dataset.html === text) make('div', tip.dataset.html)
  const foreign = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  document.body.append(foreign)
  foreign.innerHTML = '<foreignObject>' + text + '</foreignObject>' + text
}

function* findStrange(document) {
  for (const element of document.querySelectorAll('[data-place] *')) {
    const name = element.localName
    if (element.dataset.place !== undefined || (name === 'body' && element.attributes.length === 0)) continue
    if (!TAGS.has(name) || element.namespaceURI !== 'http://www.w3.org/1999/xhtml') yield element.outerHTML
    for (const attribute of element.attributes) {
      const isListed = ATTRIBUTES[name]?.includes(attribute.name)
      const address = ADDRESSES[attribute.name]
      if (!isListed || (address && !address.test(element[attribute.name]))) yield element.outerHTML
    }
  }
}

/** What a visitor may do to anything on the page. Handlers stand on the elements themselves: nothing has to bubble. */
function poke(frame) {
  const events = EVENTS.map((type) => new frame.MouseEvent(type, { cancelable: true }))
  const click = new frame.MouseEvent('click', { bubbles: true, cancelable: true })
  for (const element of [...frame.document.body.querySelectorAll('*')]) {
    for (const event of events) element.dispatchEvent(event)
    if (element.tabIndex >= 0 && element.closest('[data-place]')) element.focus()
    if (element.click) element.click()
    else element.dispatchEvent(click)
    if (element.localName === 'form') frame.HTMLFormElement.prototype.requestSubmit.call(element)
  }
}

async function show(number, isCaged) {
  const frame = document.createElement('iframe')
  if (isCaged) frame.sandbox = 'allow-scripts allow-same-origin allow-forms allow-modals'
  let loads = 0
  frame.onload = () => loads++
  const ended = new Promise((resolve) => endings.set(number, () => resolve(true)))
  frame.src = '/text/' + number
  document.body.append(frame)
  // One that is led away before it has loaded never ends.
  if (!(await Promise.race([ended, sleep(isCaged ? 1_000 : 20_000)]))) tell(number, 'unfinished')
  await sleep(isCaged ? 0 : 100) // a navigation that has begun is seen when it has got somewhere
  let address = ''
  try { address = frame.contentWindow.location.pathname } catch {}
  if (loads > 1 || address !== '/text/' + number) tell(number, 'navigation', address)
  frame.remove()
}

async function showAll(numbers, isCaged) {
  const lane = async () => { while (numbers.length > 0) await show(numbers.shift(), isCaged) }
  await Promise.all(Array.from({ length: 16 }, lane))
  await sleep(200)
  return sightings
}
</script><body></body>`

/** So many clean texts share a frame, which is named after the first of them. One that runs tells its own number. */
const PER_FRAME = 10

/**
 * Shows every text in a browser, pokes at it, and answers what was seen of each. Those that are not clean (`isCaged`)
 * get a frame each, only the plainest places, and cannot lead the whole page away: somebody has to be left to tell.
 */
export async function showTexts(
  browser: Browser,
  texts: readonly string[],
  { isCaged = false } = {},
): Promise<Sighting[]> {
  const perFrame = isCaged ? 1 : PER_FRAME
  const seen: { number: number; way: Sighting['way']; what: string }[] = []
  const server = createServer((request, response) => {
    const [, kind = '', id = ''] = request.url?.split('/') ?? []
    const number = Number.parseInt(id, 10)
    const shown = texts.slice(number - FIRST_NUMBER, number - FIRST_NUMBER + perFrame)
    if (kind === 'canary') seen.push({ number, way: 'request', what: String(request.headers['sec-fetch-dest']) })
    const body =
      kind === '' ? HOST : kind === 'text' && shown.length > 0 ? writePage(number, shown, isCaged) : undefined
    response.writeHead(body ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    context.on('page', (other) => seen.push({ number: Number.NaN, way: 'window', what: other.url() }))
    page.on('dialog', (dialog) => {
      seen.push({ number: Number(dialog.message()), way: 'dialog', what: dialog.type() })
      dialog.dismiss().catch(() => {})
    })
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const numbers = texts.map((_, index) => FIRST_NUMBER + index).filter((_, index) => index % perFrame === 0)
    seen.push(...(await page.evaluate<typeof seen>(`showAll(${JSON.stringify(numbers)}, ${isCaged})`)))
  } finally {
    await context.close()
    server.closeAllConnections()
    server.close()
  }
  return seen.map(({ number, way, what }) => ({ index: number - FIRST_NUMBER, way, what }))
}
