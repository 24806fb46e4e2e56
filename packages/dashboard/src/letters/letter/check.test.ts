import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Letter, Newsletter } from '../types.ts'
import { checkLetter, checkMail, checkRefusal, isError, MOST_BYTES } from './check.ts'

const FOOT = '<p><a href="http://api.example.com/newsletters/unsubscribe" style="color:#000">Unsubscribe</a></p>'
const around = { newsletter: undefined, subject: 'Spring', hasProductPages: true }
const check = (html: string, subject = 'Spring') => checkMail({ subject, html: html + FOOT, text: '' })
const kinds = (html: string) => check(html).map(({ kind }) => kind)
const letter = (...blocks: object[]) => ({ blocks, locale: 'en' }) as unknown as Letter

test('a letter that is in order has nothing to be told of', () => {
  const html = `<p>Dear Ada, <a href="https://shop.example.com/?a=1&amp;b=2">look</a>, <a href="mailto:a@example.com">write</a></p>
    <img src="https://cdn.example.com/a.png" alt="A mug">`
  assert.deepEqual(check(html), [])
})

test('links that lead nowhere are named with their words, those without encryption apart', () => {
  assert.deepEqual(check('<a href="htp:/shop"><b>the</b> shelf</a>'), [
    { kind: 'link', href: 'htp:/shop', text: 'the shelf' },
  ])
  for (const href of ['', '#', 'shop.example.com', 'https://', 'https://shop', 'javascript:alert(1)'])
    assert.deepEqual(kinds(`<a class="x" href="${href}">x</a>`), ['link'], href)
  assert.deepEqual(check('<a href="http://shop.example.com/a?b=1&amp;c=2">x</a>'), [
    { kind: 'http', href: 'http://shop.example.com/a?b=1&c=2', text: 'x' },
  ])
})

test('of the foot, which the service writes, nothing is said', () => {
  assert.deepEqual(kinds('<a href="http://localhost:3000/newsletters/clicks">Stop that for me</a>'), [])
})

test('a name that may be empty needs something in its place', () => {
  const said = (value: unknown) => checkLetter(letter({ id: 'body', type: 'TEXT', value }), around).length
  assert.equal(said('<p>Dear {{ subscriber.name }},</p>'), 1)
  assert.equal(said({ en: 'Dear {{subscriber.name | upcase}},', de: '' }), 1)
  assert.equal(said('<p>Dear {{ subscriber.name | default: "friend" }},</p>'), 0)
  assert.equal(said('{% if subscriber.name %}Dear {{ subscriber.name }},{% endif %}'), 0)
  assert.equal(said('<p>{{ newsletter.name }}</p>'), 0)
})

test('a product that is shown needs a page to lead to', () => {
  const product = { id: 'lamp', type: 'RELATIONSHIP', settings: { targetType: 'PRODUCT' }, value: 'prd_1' }
  const said = (block: object, hasProductPages: boolean) =>
    checkLetter(letter(block), { ...around, hasProductPages }).map(({ kind }) => kind)
  assert.deepEqual(said(product, false), ['no-product-page'])
  assert.deepEqual(said(product, true), [])
  assert.deepEqual(said({ ...product, value: null }, false), [])
})

test('a picture has words for who does not see it', () => {
  const [first, second, ...others] = check('<img src="a.png"><img alt=" " src="b.png"><img src="c.png" alt="A > B">')
  assert.deepEqual([first, second, others], [{ kind: 'alt', src: 'a.png' }, { kind: 'alt', src: 'b.png' }, []])
})

test('it must not be cut, must have a subject, and a way to leave', () => {
  assert.deepEqual(kinds('ü'.repeat(MOST_BYTES / 2 - FOOT.length)), [])
  assert.deepEqual(kinds('ü'.repeat(MOST_BYTES / 2)), ['size'])
  assert.deepEqual(
    checkMail({ subject: ' ', html: '<p>x</p>', text: '' }).map(({ kind }) => kind),
    ['subject', 'unsubscribe'],
  )
})

test('blocks are named as the writer knows them', () => {
  const blocks = [
    { id: 'title', type: 'TEXT', label: 'Title', required: true },
    { id: 'body', type: 'TEXT', required: true },
  ]
  const newsletter = { blocks } as unknown as Newsletter
  const half = letter({ ...blocks[0], value: { en: '', de: '' } }, { ...blocks[1], value: 'Text' })
  assert.deepEqual(checkLetter(half, { ...around, newsletter }), [{ kind: 'required', block: 'Title' }])
  assert.deepEqual(
    checkLetter(letter(), { ...around, newsletter, subject: '' }).map(({ kind }) => kind),
    ['required', 'required', 'no-subject'],
  )
  const details = [
    {
      field: 'blocks.1.value',
      error: 'TEMPLATE_INVALID',
      message: 'blocks.1.value is no valid template: output "{{ x" not closed.',
    },
    { field: 'other', error: 'REQUIRED', message: 'other is required.' },
  ]
  const [found, ...others] = checkRefusal(details, half)
  assert.deepEqual(found, {
    kind: 'template',
    block: 'body',
    message: 'It is no valid template: output "{{ x" not closed.',
  })
  assert.deepEqual(others, [])
  assert.ok(found && isError(found))
})
