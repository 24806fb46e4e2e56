import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Liquid } from 'liquidjs'
import type { Rendered } from '#platform/mail/render.ts'
import { collectDetails } from '#vocabulary/block-values.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { readableEnd } from '../clicks/counted-link.ts'
import { mailTooLarge, templateInvalid } from '../errors.ts'
import { textOf, toSubject, toText, writeOther, writeText } from './mail-body.ts'
import { writeProduct } from './product-card.ts'
import { createAttributeReaders } from './rich-text.ts'
import { productIdOf, type ShownProduct } from './shown-products.ts'
import { bindValues, createMarks, escapeHtml, escapeMarked, markup, plain, reportTemplateError } from './template.ts'

/** A newsletter's mail without what differs between readers. Made once per send, stored as text. */
export type MailTemplate = {
  subject: string
  html: string
  text: string
  /** Where its links lead, if clicks are counted: the mail names them by their place. */
  links?: string[]
  /** Whether it is counted who opens it. */
  countsOpens?: boolean
}
export type MailSource = {
  business: { name: string; defaultLocale: string; siteUrl: string; markets?: readonly string[] | undefined }
  newsletter: { name: string; countClicks?: boolean; countOpens?: boolean }
  entry: { locale: string; blocks: Block[] }
  /** Those that blocks point at, by id. */
  products?: Record<string, ShownProduct> | undefined
}
export type Reader = {
  name: string
  email: string
  /** Whose prices the reader sees. */
  market?: string | null
  unsubscribeUrl: string
  /** What the letter is about, if it goes out by itself. */
  goods?: { names: string; url: string | null } | undefined
  /** What counted links begin with; without it links lead straight to their pages. */
  clicksUrl?: string | undefined
  /** The picture that tells that the letter is open. */
  openUrl?: string | undefined
  /** Where the reader says whether clicks are counted. */
  clicksChoiceUrl?: string | undefined
}

const ASIDE = ['subject', 'title']
const MAX_SUBJECT_LENGTH = 200
const SAMPLE: Reader = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  goods: { names: 'Fog lamp', url: 'https://example.com/fog-lamp' },
  unsubscribeUrl: 'https://example.com/leave',
}

const layout = new Liquid({ outputEscape: (value: unknown) => escapeHtml(String(value)), strictVariables: true })
const layoutParts = layout.parse(readFileSync(path.join(import.meta.dirname, 'layout.liquid'), 'utf8'))

/** Mail programs cut mails of half this length, and composing takes CPU time. */
const MAX_LENGTH = 250_000

export function lengthOf(blocks: readonly Block[]): number {
  const texts = blocks.flatMap(({ value }) => (typeof value === 'object' && value ? Object.values(value) : [value]))
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
}

/** Throws 422 with a detail for each text that is not a valid template. */
export function composeMail(source: MailSource): MailTemplate {
  const {
    business,
    newsletter,
    entry: { locale, blocks },
    products = {},
  } = source
  if (lengthOf(blocks) > MAX_LENGTH) throw mailTooLarge({ limit: MAX_LENGTH })
  const { report, throwIfAny } = collectDetails()
  const complainAt = (field: string) => (reason: string) => report(templateInvalid.asDetail({ field, reason }))
  const locales = { locale, defaultLocale: business.defaultLocale }
  const marks = createMarks()
  const links: string[] | undefined = newsletter.countClicks ? [] : undefined
  const countsOpens = newsletter.countOpens ?? false
  const prices: Price[] = []
  const known = () =>
    bindValues({
      business: { name: business.name },
      newsletter: { name: newsletter.name },
      ...(links && { links }),
      ...(prices.length > 0 && { prices }),
    })
  const readers = createAttributeReaders(
    business.siteUrl,
    (value) => marks.readText((read) => read(value)),
    links && ((url) => keepLink(links, url, marks.keep)),
  )

  const write = (block: Block): string => {
    const text = textOf(block, locales)
    const product = products[productIdOf(block) ?? '']
    if (product) return writeProduct(product, keepPrice(prices, product, business.markets ?? [], marks.keep), readers)
    if (!text) return writeOther(block, locale)
    const tryIt = () => {
      const html = marks.readText((read) => writeText(block, text, read, readers))
      markup.parseAndRenderSync(known() + marks.fill(html), toScope(SAMPLE))
      return html
    }
    return reportTemplateError(tryIt, complainAt(`blocks.${blocks.indexOf(block)}.value`)) ?? ''
  }

  const headline = findHeadline(blocks, (block) => textOf(block, locales))
  const subject = toSubject(headline ? write(headline) : escapeHtml(newsletter.name))
  const parts = blocks.flatMap((block) => (ASIDE.includes(block.id) ? [] : { block, html: write(block) }))
  const shown = parts.filter(({ html }) => html)
  const isOnlyHeadline = shown.length > 1 && headline && isLine(headline, textOf(headline, locales))
  const body = shown.filter(({ block }) => !(isOnlyHeadline && block === headline)).map(({ html }) => html)
  throwIfAny()

  const html: string = layout.renderSync(layoutParts, {
    locale,
    subject: escapeMarked(subject),
    business: business.name,
    newsletter: newsletter.name,
    body: body.join('\n'),
    email: marks.keep('{{ subscriber.email }}'),
    unsubscribeUrl: marks.keep('{{ unsubscribeUrl }}'),
    counted: countedWords(links !== undefined, countsOpens),
    clicksChoiceUrl: marks.keep('{{ clicksChoiceUrl }}'),
  })
  const seal = (skeleton: string) => known() + marks.fill(skeleton)
  const template = {
    subject: seal(subject),
    html: seal(html),
    text: seal(toText(html)),
    ...(links && { links }),
    ...(countsOpens && { countsOpens }),
  }
  reportTemplateError(() => openTemplate(template)(SAMPLE), complainAt('blocks'))
  throwIfAny()
  return template
}

/** What readers are told is counted; empty: nothing. */
function countedWords(clicks: boolean, opens: boolean): string {
  if (clicks && opens) return 'It is counted which letters are opened, and which links are opened.'
  if (opens) return 'It is counted which letters are opened.'
  return clicks ? 'It is counted which links are opened.' : ''
}

type Price = { of: Record<string, string>; usual: string }

/** The price in the reader's market; where that is not known, or does not sell it, in the first that does. */
function keepPrice(
  prices: Price[],
  product: ShownProduct,
  markets: readonly string[],
  keep: (expression: string) => string,
): string {
  const usual = markets.map((market) => product.prices[market]).find((price) => price !== undefined) ?? ''
  const place = prices.push({ of: product.prices, usual }) - 1
  return keep(`{{ prices[${place}].of[subscriber.market] | default: prices[${place}].usual }}`)
}

const MAX_LINKS = 500

/**
 * The same address twice is the same link. It leads straight to its page unless a reader's scope has a counted one.
 * Undefined: there are too many to be counted.
 */
function keepLink(links: string[], url: string, keep: (expression: string) => string): string | undefined {
  const known = links.indexOf(url)
  if (known < 0 && links.length >= MAX_LINKS) return undefined
  const place = known < 0 ? links.push(url) - 1 : known
  return keep(`{{ counted[${place}] | default: links[${place}] }}`)
}

function findHeadline(blocks: readonly Block[], textOf: (block: Block) => string): Block | undefined {
  const texts = blocks.filter(textOf)
  return texts.find(({ id }) => id === 'subject') ?? texts.find(({ id }) => id === 'title') ?? texts[0]
}

/** A first text of several lines is the beginning of the mail, as well as its subject. */
const isLine = ({ settings }: Block, text: string) =>
  settings?.variant !== 'HTML' && text.length <= MAX_SUBJECT_LENGTH && !text.trim().includes('\n')

/** Parses once, then renders for each reader. */
export function openTemplate({ subject, html, text, links }: MailTemplate): (reader: Reader) => Rendered {
  const parts = { subject: plain.parse(subject), html: markup.parse(html), text: plain.parse(text) }
  const ends = links?.map((url, place) => `/${place}/${readableEnd(url)}`)
  return (reader) => {
    const { clicksUrl, openUrl } = reader
    const scope = toScope(reader)
    const counted = clicksUrl === undefined ? undefined : ends?.map((end) => clicksUrl + end)
    return {
      subject: cut(toLine(plain.renderSync(parts.subject, scope))),
      html: withPicture(markup.renderSync(parts.html, counted ? { ...scope, counted } : scope), openUrl),
      // There links are to be read: they lead straight to their pages.
      text: tidy(plain.renderSync(parts.text, scope)),
    }
  }
}

/** At the end, so that what is read comes first. */
const withPicture = (html: string, url: string | undefined) =>
  url === undefined
    ? html
    : html.replace(/<\/body>\s*<\/html>\s*$/, `<img src="${escapeHtml(url)}" width="1" height="1" alt="">\n$&`)

// An empty string would be true in a Liquid condition.
const toScope = ({ name, email, market, goods, unsubscribeUrl, clicksChoiceUrl }: Reader) => ({
  subscriber: { name: toName(name) || undefined, email: toLine(email), market: market ?? undefined },
  goods: goods && { names: toLine(goods.names) || undefined, url: goods.url ?? undefined },
  unsubscribeUrl,
  clicksChoiceUrl,
})

/** Collapses to one line: a line break in a subject would start another header. */
const toLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

/** Anybody may type an address and a name for it. Whatever a mail program would make a link of is taken apart. */
const toName = (name: string) => toLine(name).replaceAll(/[.\u3002\uff0e\uff61](?=\p{L})|:(?=\/)/gu, '$& ')

function cut(subject: string): string {
  if (subject.length <= MAX_SUBJECT_LENGTH) return subject
  const characters = Array.from(subject)
  return characters.length <= MAX_SUBJECT_LENGTH ? subject : `${characters.slice(0, MAX_SUBJECT_LENGTH - 1).join('')}…`
}

/** Conditions that were left out leave blank lines behind. */
const tidy = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
