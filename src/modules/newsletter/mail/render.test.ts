import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Block } from '#vocabulary/blocks.ts'
import { AppError } from '#vocabulary/errors.ts'
import { composeMail, openTemplate, type Reader } from './render.ts'
import { VARIABLES } from './variables.ts'

const GOODS = { names: 'Lamp', url: 'https://shop.example.com/p/lamp?a=1&b=2' }
const ADA: Reader = {
  name: 'Ada',
  email: 'ada@example.com',
  goods: GOODS,
  unsubscribeUrl: 'https://api.example.com/leave?a=1&b=2',
}
const plain = (value: unknown, id = 'text'): Block => ({ id, type: 'TEXT', value })
const rich = (value: unknown, id = 'rich'): Block => ({ id, type: 'TEXT', settings: { variant: 'HTML' }, value })
const media = (url: string, mimeType: string, label?: string): Block => ({
  id: 'media',
  type: 'MEDIA',
  ...(label && { label }),
  value: { id: 'med_1', url, mimeType },
})

const compose = (blocks: Block[], locale = 'en') =>
  composeMail({
    business: { name: 'Harbour & Sons', defaultLocale: 'en', siteUrl: 'https://shop.example.com/en' },
    newsletter: { name: 'Sea news' },
    entry: { locale, blocks },
  })
const mail = (blocks: Block[], reader: Partial<Reader> = {}, locale = 'en') =>
  openTemplate(compose(blocks, locale))({ ...ADA, ...reader })

/** Markup and text of a mail with this block alone, without the layout. */
function show(block: Block, reader: Partial<Reader> = {}) {
  const { html, text } = mail([plain('Subject', 'title'), block], reader)
  const body = /<td class="card body"[^>]*>\n([^]*?)\n<\/td><\/tr>\n<\/table>\n<table/.exec(html)?.[1] ?? ''
  return {
    html: body.replaceAll(/ style="[^"]*"/g, ''),
    text: text.slice('Harbour & Sons\n\n'.length, text.lastIndexOf('\n\nYou get this mail')),
  }
}

function refusal(blocks: Block[]) {
  try {
    compose(blocks)
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.status, 422)
    return error.details
  }
  assert.fail('nothing was refused')
}

test('pictures of files have their text and size, and the address that every mail program can read', () => {
  const rendition = (width: number, ending: string, type: string) => ({
    width,
    height: width / 2,
    mimeType: `image/${type}`,
    url: `https://media.example.com/${width}.${ending}`,
  })
  const file = {
    id: 'med_1',
    mediaId: 'med_1',
    url: 'https://media.example.com/1280.jpg',
    mimeType: 'image/jpeg',
    width: 3000,
    height: 1500,
    alt: { de: 'Eine „Tasse“', en: 'A "mug"' },
    renditions: [rendition(1280, 'avif', 'avif'), rendition(1280, 'webp', 'webp'), rendition(1280, 'jpg', 'jpeg')],
  }
  const small = { ...file, alt: {}, renditions: [{ ...rendition(300, 'jpg', 'jpeg'), url: file.url }] }
  const gallery: Block = { id: 'gallery', type: 'MEDIA', label: 'Mugs', value: [file, small] }
  assert.equal(
    show(gallery).html,
    '<p><img src="https://media.example.com/1280.jpg" alt="A &quot;mug&quot;" width="520" height="260"></p>\n' +
      '<p><img src="https://media.example.com/1280.jpg" alt="Mugs" width="300" height="150"></p>',
  )
  assert.match(mail([gallery]).html, /height="260" style="max-width:100%;height:auto;/)
  assert.match(mail([gallery], {}, 'de').html, /alt="Eine „Tasse“"/)
})

test('the subject is that of the block subject, else title, else the first text', () => {
  const blocks = [plain('First', 'a'), plain('Title', 'title'), plain('Subject', 'subject')]
  assert.equal(mail(blocks).subject, 'Subject')
  assert.equal(mail(blocks.slice(0, 2)).subject, 'Title')
  assert.equal(mail(blocks.slice(0, 1)).subject, 'First')
  assert.equal(mail([plain('', 'subject'), plain('Title', 'title')]).subject, 'Title')
  assert.equal(mail([media('https://a.example/b.png', 'image/png')]).subject, 'Sea news')
  assert.equal(
    mail([rich('<h1>Rich &amp; <a href="/x">linked</a></h1><p>text</p>', 'title')]).subject,
    'Rich & linked text',
  )
  assert.equal(mail([plain('😀'.repeat(300), 'subject')]).subject, `${'😀'.repeat(199)}…`)
})

test('what is the subject is not in the body', () => {
  const { html, text } = mail([plain('One', 'subject'), plain('Two', 'title'), plain('Three')])
  assert.doesNotMatch(text, /One|Two/)
  assert.match(html, /<title>One<\/title>/)
  assert.match(text, /Three/)
  assert.doesNotMatch(mail([plain('One line'), plain('More', 'more')]).text, /One line/)
})

test('a first text that is more than a headline is the subject and the beginning', () => {
  assert.match(mail([plain('Line\nand line'), plain('More', 'more')]).text, /Line\nand line\n\nMore/)
  assert.match(mail([rich('<p>All there is</p>'), plain('More', 'more')]).text, /All there is\n\nMore/)
  assert.match(mail([plain('All there is')]).text, /All there is/)
})

test('a text is taken in the language of the entry, else of the business, else in any', () => {
  const subject = (value: unknown, locale: string) => mail([plain(value, 'title')], {}, locale).subject
  assert.equal(subject({ en: 'Hello', de: 'Hallo', fr: 'Salut' }, 'de'), 'Hallo')
  assert.equal(subject({ fr: 'Salut', en: 'Hello' }, 'de'), 'Hello')
  assert.equal(subject({ fr: 'Salut' }, 'de'), 'Salut')
  assert.equal(subject({ de: '', en: 'Hello' }, 'de'), 'Hello')
  assert.match(mail([plain('Hallo')], {}, 'de-CH').html, /<html lang="de-CH">/)
})

test('a plain text becomes paragraphs and lines', () => {
  assert.deepEqual(show(plain('Dear <b>Ada</b> & "all",\nhello.\n\n  \nBye\r\n\r\nnow\r\n')), {
    html: '<p>Dear &lt;b&gt;Ada&lt;/b&gt; &amp; &quot;all&quot;,<br>\nhello.</p>\n<p>Bye</p>\n<p>now</p>',
    text: 'Dear <b>Ada</b> & "all",\nhello.\n\nBye\n\nnow',
  })
})

test('a rich text is cleaned, styled, and leads to the site of the business', () => {
  const { html, text } = show(
    rich(
      '<h2 onclick="x()">News</h2><script>x()</script><p>Tom &amp; <a href="/new?a=1&amp;b=2">the shelf</a>, ' +
        '<a href="https://else.example/">else</a>, <a href="mailto:a@example.com">mail</a></p><img src="/a.png" alt="A"><img>',
    ),
  )
  assert.equal(
    html,
    '<div><h2>News</h2><p>Tom &amp; <a href="https://shop.example.com/new?a=1&amp;b=2">the shelf</a>, ' +
      '<a href="https://else.example/">else</a>, <a href="mailto:a@example.com">mail</a></p>' +
      '<img src="https://shop.example.com/a.png" alt="A"></div>',
  )
  assert.equal(
    text,
    'News\n\nTom & the shelf https://shop.example.com/new?a=1&b=2, else https://else.example/, mail a@example.com',
  )
  assert.match(mail([rich('<p>x</p>'), plain('y')]).html, /<p style="margin:0 0 16px;">x<\/p>/)
})

test('a table of a merchant stays a table, and one that is none cannot end ours', () => {
  const { html, text } = show(
    rich('<table><tr><th>What</th><th>Price</th></tr><tr><td>Mug</td><td>12</td></tr></table>'),
  )
  assert.match(html, /<div><div><table><tr><th>What<\/th>.*<\/table><\/div><\/div>/)
  assert.equal(text, 'What Price\nMug 12')
  assert.equal(show(rich('</td></tr></table><tr><td>cell</td></tr>')).html, '<div>cell</div>')
})

test('pictures are shown, other files linked, the rest is a line with its label', () => {
  const { html } = mail([
    plain('Subject', 'title'),
    media('https://cdn.example.com/a.png?x=1&y=2', 'image/png', 'A "mug"'),
    media('https://cdn.example.com/files/list.pdf', 'application/pdf'),
    { id: 'price', type: 'NUMBER', label: 'Price', value: 1234.5 },
    { id: 'open', type: 'BOOLEAN', value: true },
    { id: 'day', type: 'DATE', label: 'Day', value: 1_777_593_600 },
    { id: 'time', type: 'DATE', label: 'Time', value: 1_777_629_600 },
    { id: 'colour', type: 'SELECT', label: 'Colour {{ x }}', value: 'Blue & {{ subscriber.name }}' },
    { id: 'sizes', type: 'MULTI_SELECT', label: 'Sizes', value: ['S', 'M'] },
    { id: 'ref', type: 'RELATIONSHIP', label: 'Ref', value: 'prd_1' },
    { id: 'place', type: 'GEO_LOCATION', label: 'Place', value: { latitude: 1, longitude: 2 } },
    { id: 'empty', type: 'NUMBER', label: 'Empty', value: null },
    { id: 'never', type: 'SELECT', label: 'Never' },
  ])
  const { text } = mail([{ id: 'n', type: 'NUMBER', label: 'Preis', value: 1234.5 }], {}, 'de')
  assert.match(
    html,
    /<img src="https:\/\/cdn.example.com\/a.png\?x=1&amp;y=2" alt="A &quot;mug&quot;" style="max-width:100%/,
  )
  assert.match(html, /<a href="https:\/\/cdn.example.com\/files\/list.pdf"[^>]*>list.pdf<\/a>/)
  for (const line of [
    '<strong>Price:</strong> 1,234.5<',
    '<strong>open:</strong> ✓<',
    '<strong>Day:</strong> May 1, 2026<',
    '<strong>Time:</strong> May 1, 2026 at 10:00 AM UTC<',
    '<strong>Colour {{ x }}:</strong> Blue &amp; {{ subscriber.name }}<',
    '<strong>Sizes:</strong> S, M<',
  ]) {
    assert.ok(html.includes(line), line)
  }
  assert.doesNotMatch(html, /Ref|Place|Empty|Never/)
  assert.match(text, /Preis: 1\.234,5/)
})

test('every variable has its value, and one that there is not is empty', () => {
  const text = VARIABLES.map(({ name }) => `{{ ${name} }}`).join('|')
  assert.equal(
    show(plain(text)).text,
    `Ada|ada@example.com|Harbour & Sons|Sea news|${GOODS.names}|${GOODS.url}|${ADA.unsubscribeUrl}`,
  )
  for (const nothing of [
    'nothing',
    'subscriber.nothing.more',
    'subscriber',
    'subscriber.constructor',
    'subscriber["__proto__"]',
  ]) {
    assert.equal(show(plain(`[{{ ${nothing} }}]`)).text, '[]', nothing)
  }
})

test('a reader without a name is told apart', () => {
  const block = plain('{{ subscriber.name | default: "friend" }}{% if subscriber.name %}!{% else %}?{% endif %}')
  assert.equal(show(block).text, 'Ada!')
  assert.equal(show(block, { name: '' }).text, 'friend?')
  assert.equal(show(block, { name: ' \n' }).text, 'friend?')
})

test('conditions may hold lines, paragraphs and elements, and leave no gaps', () => {
  const lines = plain(
    'One\n{% if subscriber.name %}\nTwo\n{% endif %}\nThree\n\n{% if subscriber.name %}\n\nFour\n\n{% endif %}\n\nFive',
  )
  assert.equal(show(lines).text, 'One\nTwo\nThree\n\nFour\n\nFive')
  assert.equal(show(lines, { name: '' }).text, 'One\nThree\n\nFive')
  assert.match(show(lines, { name: '' }).html, /^<p>One<br>\nThree<\/p>/)

  const elements = rich(
    '<p>One</p><p>{% if subscriber.name %}</p><p>Two</p><p>{% endif %}</p><ul>{% if subscriber.name %}<li>Three</li>{% endif %}</ul>',
  )
  assert.equal(show(elements).text, 'One\n\nTwo\n\n * Three')
  assert.equal(show(elements, { name: '' }).text, 'One')
})

test('an expression in rich text is read as it was written, with entities, curly quotes and hard spaces', () => {
  for (const [written, shown] of [
    ['{% if 2 &gt; 1 and 1 &lt; 2 %}yes{% endif %}', 'yes'],
    ['{{ nobody | default: &quot;A &amp; B &lt;i&gt;&quot; }}', 'A & B <i>'],
    ['{{ nobody | default: &#39;it&#39; }}', 'it'],
    ['{{ nobody | default:&nbsp;“friend’s” }}', "friend's"],
    ['{{ nobody | default: "“curly”" }}', '“curly”'],
    ['{% raw %}{{ subscriber.name }} &amp;{% endraw %}', '{{ subscriber.name }} &'],
    ['{% # a note %}{% comment %}<b>{{ subscriber.name }}</b>{% endcomment %}x', 'x'],
    ['{{ subscriber.name | escape }} {{ business.name | escape }}', 'Ada Harbour & Sons'],
  ] as const) {
    assert.equal(show(rich(`<p>${written}</p>`)).text, shown, written)
  }
  assert.equal(show(rich('<p>{{ business.name | escape }}</p>')).html, '<div><p>Harbour &amp; Sons</p></div>')
})

test('braces that open nothing stay, wherever they meet', () => {
  for (const text of [
    '{',
    '{ {',
    '{x}',
    '}} %}',
    'a {',
    '{{ "{" }}{{ "{% if" }}',
    '{% raw %}{{{{%{%{%}}{% endraw %}{',
  ]) {
    const shown = text.replaceAll(/\{% (end)?raw %\}/g, '').replace('{{ "{" }}{{ "{% if" }}', '{{% if')
    assert.equal(show(plain(text)).text, shown)
    assert.equal(show(rich(`<p>${text}</p>`)).text, shown)
  }
  assert.equal(show(rich('<p><b>{</b>{ subscriber.name }}<i>{</i>% if %}</p>')).text, '{{ subscriber.name }}{% if %}')
  assert.equal(show(rich('<p><b>{</b>{{ subscriber.name }}</p>')).text, '{Ada')
})

test('an address may hold values after its host', () => {
  const hrefOf = (address: string, reader = {}) =>
    /href="([^"]*)"/.exec(show(rich(`<a href="${address}" title="{{ subscriber.name }}">x</a>`), reader).html)?.[1]
  assert.equal(
    hrefOf('https://a.example/?m={{ subscriber.email | url_encode }}'),
    'https://a.example/?m=ada%40example.com',
  )
  assert.equal(
    hrefOf('/me/{{ subscriber.name }}', { name: '"><b>' }),
    'https://shop.example.com/me/&quot;&gt;&lt;b&gt;',
  )
  assert.equal(hrefOf('{{ unsubscribeUrl }}'), ADA.unsubscribeUrl.replace('&', '&amp;'))
  assert.equal(hrefOf('{{ goods.url }}'), GOODS.url.replace('&', '&amp;'))
  for (const address of [
    '{{ subscriber.name }}',
    '{{ unsubscribeUrl }}{{ subscriber.name }}',
    'java{{ nothing }}script:x()',
    'java{% comment %}{% endcomment %}script:x()',
    '{% raw %}javascript:x(){% endraw %}',
    '{{ "javascript:x()" }}',
    'https://{{ subscriber.name }}/',
    'https://a.example{{ subscriber.name }}',
  ]) {
    assert.match(refusal([rich(`<a href="${address}">x</a>`)])?.[0]?.message ?? '', /in an address/, address)
  }
})

test('what is no template is refused, with the block and the reason', () => {
  for (const [text, reason] of [
    ['{{ subscriber.name', /not closed/],
    ['{{ subscriber.name | default: "x }}', /not closed/],
    ['{% if subscriber.name %}', /\{% if %\} is not closed/],
    ['{% endif %}', /\{% endif %\} cannot be used here/],
    ['{% if a %}{% endunless %}', /endunless/],
    ['{{ }}', /invalid value/],
    ['{{ subscriber.name | shout }}', /undefined filter: shout/],
    ['{{ subscriber.name | raw }}', /undefined filter: raw/],
    ['{{ subscriber.name | newline_to_br }}', /undefined filter/],
    ['{{ (1..3) | where_exp: "x", subscriber.name }}', /undefined filter/],
    ['{% include "/etc/passwd" %}', /include/],
    ['{% render "layout" %}', /render/],
    ['{% layout "layout" %}', /layout/],
    ['{% liquid echo 1 %}', /liquid/],
    ['{% assign unsubscribeUrl = "https://else.example" %}', /assign/],
    ['{% capture unsubscribeUrl %}x{% endcapture %}', /capture/],
    ['{% cycle "<b>", "</b>" %}', /cycle/],
    ['{% known {"unsubscribeUrl":"x"} %}', /known/],
    ['{% if a %}'.repeat(21) + '{% endif %}'.repeat(21), /nested too deeply/],
    ['{{ a }}'.repeat(1_001), /too many expressions/],
    [`{{ "${'x'.repeat(1_000)}" }}`, /too long/],
  ] as const) {
    for (const block of [plain(text), rich(`<p>${text}</p>`)]) {
      const [detail, ...more] = refusal([plain('Fine', 'title'), block]) ?? []
      assert.equal(more.length, 0)
      assert.equal(detail?.field, 'blocks.1.value')
      assert.equal(detail?.error, 'TEMPLATE_INVALID')
      assert.match(detail?.message ?? '', reason, text)
    }
  }
  assert.deepEqual(
    refusal([plain('{{', 'title'), plain('fine'), plain('{%', 'c')])?.map(({ field }) => field),
    ['blocks.0.value', 'blocks.2.value'],
  )
})

test('a condition cannot tear elements or attributes apart', () => {
  for (const html of [
    '<div>{% if subscriber.name %}</div>{% endif %}',
    '{% if subscriber.name %}<table><tr><td>{% endif %}x</td></tr></table>',
    '<p>{% if a %}</p>{% else %}<p>{% endif %}</p>',
    '<a title="{% if a %}">x</a>{% endif %}',
    '{% if a %}<a title="{% endif %}">x</a>',
    '<a title="{{ a">x }}</a>',
    '{{ "<b>x</b>" }}',
    '{% raw %}<b>x</b>{% endraw %}',
  ]) {
    assert.equal(refusal([rich(html)])?.[0]?.error, 'TEMPLATE_INVALID', html)
  }
})

/** CPU time, so that other work on the machine does not count. */
function secondsOf(work: () => void): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000_000
}

test('a hostile template is refused, or done, in no time', () => {
  const loops = '{% for i in (1..100000) %}'.repeat(6) + '{% endfor %}'.repeat(6)
  const growth = `{{ "${'x'.repeat(400)}"${' | replace: "x", "xxxxxxxxxxxxxxxxxxxxxxxx"'.repeat(10)} }}`
  for (const text of [
    loops,
    growth,
    '{{ (1..100000000) }}',
    '{{ (1..900000) | join: "xxxxxxxx" }}',
    '{%'.repeat(100_000),
  ]) {
    const seconds = secondsOf(() => assert.equal(refusal([plain(text)])?.[0]?.error, 'TEMPLATE_INVALID'))
    assert.ok(seconds < 1, `${text.slice(0, 60)} took ${seconds} s`)
  }
  for (const text of [
    ' '.repeat(100_000),
    '\n'.repeat(100_000),
    'a\n'.repeat(50_000),
    '<'.repeat(100_000),
    '&'.repeat(100_000),
  ]) {
    for (const block of [plain(`x${text}x`), rich(`<pre>x${text}x</pre>`)]) {
      const seconds = secondsOf(() => mail([plain('S', 'title'), block]))
      assert.ok(seconds < 3, `${JSON.stringify(text.slice(0, 8))} took ${seconds} s`)
    }
  }
})

test('the link to unsubscribe is always there', () => {
  for (const blocks of [
    [],
    [plain('<!--')],
    [rich('<!-- x'), rich('<table><tr><td>', 'b')],
    [plain('{% comment %}{% endcomment %}')],
  ]) {
    const { html, text } = mail(blocks)
    assert.match(html, /<a href="https:\/\/api.example.com\/leave\?a=1&amp;b=2"[^>]*>Unsubscribe<\/a>/)
    assert.match(
      text,
      /ada@example.com is subscribed to Sea news by Harbour & Sons\.\n\nUnsubscribe https:\/\/api.example.com\/leave\?a=1&b=2$/,
    )
  }
})

const PIECES =
  `{{|}}|{%|%}|{{ unsubscribeUrl }}|{% raw %}|{% endraw %}|{% if x %}|{%- include "x" -%}|{{ business.name \\| raw }}|<script>x()</script>|
"><img src=x onerror=x()>|' onload='|</title>|</style>|<!--|-->|<![endif]-->|&lt;|&amp;|&#60;|\r\nBcc: all@example.com|\n|\r|\0|\u0085|\u2028|\u2029|\ufdd0|
\ufdd00\ufdd2|\ufdd10\ufdd2|\u202e|😀|$&|$1|\\|%0d%0a|=?utf-8?q?x?=|javascript:x()|name`.split(/(?<!\\)\|\n?/)
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 6 })
  .map((parts) => `x${parts.join('')}x`)
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
const oneLine = (text: string) =>
  text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()

/** No mail program makes a link of it. */
const apart = (name: string) =>
  name
    .replaceAll(/([.。．｡])(\p{L})/gu, '$1 $2')
    .replaceAll(/([.。．｡])(\p{L})/gu, '$1 $2')
    .replaceAll(':/', ': /')

test('whatever a reader is called comes out as text, and only where it belongs', () => {
  const greeting = '{{ subscriber.name }} {% if subscriber.name %}<{{ subscriber.email }}>{% endif %}'
  const open = openTemplate(
    compose([
      plain(greeting, 'subject'),
      plain(greeting),
      rich(
        '<p><b>{{ subscriber.name }}</b> <a title="{{ subscriber.name }}" href="/?e={{ subscriber.email }}">{{ subscriber.email }}</a></p>',
      ),
    ]),
  )
  const expected = open({ ...ADA, name: 'NAME', email: 'EMAIL' })
  const put = (text: string, name: string, email: string) =>
    text.replaceAll('NAME', () => name).replaceAll('EMAIL', () => email)
  fc.assert(
    fc.property(hostile, hostile, (name, email) => {
      const [line, address] = [apart(oneLine(name)), oneLine(email)]
      const { subject, html, text } = open({ ...ADA, name, email })
      assert.equal(html, put(expected.html, escaped(line), escaped(address)))
      assert.equal(text, put(expected.text, line, address))
      const whole = put(expected.subject, line, address)
      assert.ok(subject === whole || (subject.endsWith('…') && whole.startsWith(subject.slice(0, -1))))
      assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]/u)
    }),
    { numRuns: 500 },
  )
})

test('whatever a merchant writes in labels, names, choices and addresses comes out as text', () => {
  fc.assert(
    fc.property(hostile, (value) => {
      const template = composeMail({
        business: { name: value, defaultLocale: 'en', siteUrl: value },
        newsletter: { name: value },
        entry: {
          locale: 'en',
          blocks: [
            plain('{{ business.name }}', 'title'),
            { id: 'choice', type: 'SELECT', label: value, value },
            media(`https://a.example/${value}`, 'image/png', value),
            media(value, 'application/pdf', value),
          ],
        },
      })
      const { subject, html } = openTemplate(template)(ADA)
      const kept = value.toWellFormed().replaceAll(/[\ufdd0-\ufdd2]/g, '')
      assert.ok(html.includes(`${escaped(kept)}:</strong> ${escaped(kept)}</p>`))
      assert.ok(html.includes(`alt="${escaped(kept)}"`))
      assert.equal(html.match(/<script|<img|<b>|<a /g)?.join(' '), '<img <a ')
      assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]/u)
    }),
    { numRuns: 150 },
  )
})

test('any text that is no template comes out as it was written, escaped once', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        hostile,
        fc.string({ unit: 'grapheme' }).map((text) => `x${text}x`),
      ),
      (written) => {
        const value = oneLine(written)
          .replaceAll(/[\ufdd0-\ufdd2]/g, '')
          .replaceAll(/\{% *-? *endraw/g, '')
        const block = plain(`{% raw %}${value}{% endraw %}`)
        assert.equal(show(block).html, `<p>${escaped(value)}</p>`)
        const again = rich(`<p>{% raw %}${escaped(value)}{% endraw %}</p>`)
        assert.equal(show(again).html, `<div><p>${escaped(value)}</p></div>`)
      },
    ),
    { numRuns: 150 },
  )
})
