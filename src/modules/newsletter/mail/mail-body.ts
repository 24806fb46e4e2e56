import { compile } from 'html-to-text'
import type { Block } from '#vocabulary/blocks.ts'
import { isLocale } from '#vocabulary/locales.ts'
import { type Media, plainOf } from '#vocabulary/media.ts'
import { type AttributeReaders, styleOf, toMailHtml } from './rich-text.ts'
import { escapeHtml, type Read, TAG_LINE } from './template.ts'

type Locales = { locale: string; defaultLocale: string }

/** The text of a block in the mail's language, or else in one that exists. */
export function textOf({ type, value }: Block, { locale, defaultLocale }: Locales): string {
  if (type !== 'TEXT' || !value) return ''
  if (typeof value === 'string') return value
  const texts = value as Record<string, string>
  return texts[locale] || texts[defaultLocale] || Object.values(texts).find(Boolean) || ''
}

/** A text as markup, with placeholders for expressions. */
export const writeText = ({ settings }: Block, text: string, read: Read, readers: AttributeReaders): string =>
  settings?.variant === 'HTML' ? `<div>${toMailHtml(text, read, readers)}</div>` : toParagraphs(read(text))

/** Blank lines separate paragraphs. A line of tags alone joins the next paragraph, or, at the end, the one before. */
function toParagraphs(html: string): string {
  const paragraphs = html.trim().split(/\r?\n[^\S\n]*\r?\n\s*/)
  return paragraphs
    .map((paragraph) => {
      const lines = paragraph.split(/\r?\n/)
      const last = lines.findLastIndex((line) => !TAG_LINE.test(line))
      const isJoined = (line: string, index: number) => index >= last || TAG_LINE.test(line)
      const joined = lines.map((line, index) => line + (isJoined(line, index) ? '' : '<br>\n')).join('')
      return `<p${styleOf('p')}>${joined}</p>`
    })
    .join('\n')
}

/**
 * Blocks that are not text: images, files, and one line for each label with a value. Expressions are not evaluated
 * here.
 */
export function writeOther(block: Block, locale: string): string {
  const { type, value } = block
  if (value === undefined || value === null || value === '') return ''
  if (type === 'MEDIA') return [value as Media | Media[]].flat().map(toMediaWriter(block, locale)).join('\n')
  const shown = showValue(block, isLocale(locale) ? locale : 'en')
  return shown && `<p${styleOf('p')}><strong>${escapeHtml(block.label || block.id)}:</strong> ${escapeHtml(shown)}</p>`
}

function showValue({ type, value }: Block, locale: string): string {
  if (type === 'NUMBER') return new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(value as number)
  if (type === 'BOOLEAN') return value ? '✓' : '✗'
  if (type === 'DATE') return showDate(value as number, locale)
  if (type === 'SELECT') return String(value)
  if (type === 'MULTI_SELECT') return (value as string[]).join(', ')
  return '' // ids and coordinates mean nothing to a reader
}

const DAY_SECONDS = 86_400

function showDate(seconds: number, locale: string): string {
  const isDay = seconds % DAY_SECONDS === 0
  const time = isDay ? {} : ({ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const)
  const format = { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC', ...time } as const
  return new Intl.DateTimeFormat(locale, format).format(seconds * 1000)
}

const toMediaWriter =
  ({ label = '' }: Block, locale: string) =>
  (item: Media): string => {
    const { url, mimeType } = item
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return ''
    const address = escapeHtml(url)
    const shown = mimeType.startsWith('image/')
      ? `<img src="${address}" alt="${escapeHtml(altOf(item, locale) || label)}"${sizeOf(item)}${styleOf('img')}>`
      : `<a href="${address}"${styleOf('a')}>${escapeHtml(label || nameOf(url))}</a>`
    return `<p${styleOf('p')}>${shown}</p>`
  }

/** What the picture shows, in the mail's language or the first that there is. */
const altOf = ({ alt = {} }: Media, locale: string) => alt[locale] || Object.values(alt).find(Boolean) || ''

/** The mail's column, in pixels. */
const COLUMN = 520

/** Mail programs that know it keep the room free. Wider than the mail's column, Outlook would not make it narrower. */
function sizeOf(item: Media): string {
  const { width, height } = plainOf(item)
  if (!width || !height) return ''
  const shown = Math.min(width, COLUMN)
  return ` width="${shown}" height="${Math.max(1, Math.round((height * shown) / width))}"`
}

const nameOf = (url: string) => new URL(url).pathname.split('/').at(-1) || url

// Upper-case headings would change expressions, and wrapping would break links.
const makeConverter = (linkOptions: Record<string, unknown>) =>
  compile({
    wordwrap: false,
    formatters: {
      row: (row, walk, builder) => {
        builder.openBlock({ leadingLineBreaks: 1 })
        walk(row.children, builder)
        builder.closeBlock({ trailingLineBreaks: 1 })
      },
      // No aligned columns: the width of values is not known yet.
      cell: (cell, walk, builder) => {
        walk(cell.children, builder)
        builder.addInline(' ')
      },
    },
    selectors: [
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'head', format: 'skip' },
      { selector: 'a', options: linkOptions },
      { selector: 'a.same', format: 'skip' },
      { selector: 'img', format: 'skip' },
      { selector: 'tr', format: 'row' },
      { selector: 'th', format: 'cell' },
      { selector: 'td', format: 'cell' },
    ],
  })

/** A mail as plain text, with its placeholders. */
export const toText = makeConverter({ hideLinkHrefIfSameAsText: true, linkBrackets: ['', ''] })

const toWords = makeConverter({ ignoreHref: true })
export const toSubject = (html: string) => toWords(html).replaceAll(/\s+/g, ' ').trim()
