import { cleanHtml } from '#vocabulary/html.ts'
import { escapeHtml, type Read, TemplateError } from './template.ts'

// Many mail clients ignore style sheets, so each element gets inline styles. Sanitised markup has neither classes nor
// styles: only the tag decides.
const HEADING = 'margin:28px 0 12px;line-height:1.25;font-weight:700;'
const CELL = 'padding:8px 12px 8px 0;border-bottom:1px solid #e3e3dd;text-align:start;vertical-align:top;'
const CODE = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:14px;background:#f4f4f1;'
const STYLES: Record<string, string> = {
  p: 'margin:0 0 16px;',
  h1: `${HEADING}font-size:26px;`,
  h2: `${HEADING}font-size:22px;`,
  h3: `${HEADING}font-size:18px;`,
  h4: `${HEADING}font-size:16px;`,
  h5: `${HEADING}font-size:16px;`,
  h6: `${HEADING}font-size:16px;`,
  a: 'color:#0b5cad;text-decoration:underline;',
  img: 'max-width:100%;height:auto;vertical-align:middle;border:0;border-radius:8px;',
  ul: 'margin:0 0 16px;padding:0 0 0 24px;',
  ol: 'margin:0 0 16px;padding:0 0 0 24px;',
  li: 'margin:0 0 6px;',
  blockquote: 'margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #c9c9c0;color:#4b5563;',
  hr: 'margin:28px 0;border:0;border-top:1px solid #e3e3dd;',
  code: `${CODE}padding:1px 4px;border-radius:4px;`,
  pre: `${CODE}margin:0 0 16px;padding:12px;border-radius:8px;white-space:pre-wrap;`,
  table: 'margin:0 0 16px;width:100%;border-collapse:collapse;',
  caption: 'padding:0 0 8px;text-align:start;font-weight:700;',
  th: `${CELL}font-weight:700;`,
  td: CELL,
}
const TABLE_PARTS = new Set(['caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'])

/** Mail programs nest slowly. Elements nested deeper keep their text and lose their tags. */
const MAX_LEVELS = 32

/** `` style="…"`` for the tag, or an empty text. */
export const styleOf = (tag: string) => (STYLES[tag] ? ` style="${STYLES[tag]}"` : '')

/** Attributes are read separately, so that no condition starts inside one and ends outside. */
export type AttributeReaders = {
  readValue: (value: string) => string
  readAddress: (address: string) => string
  readLink: (address: string) => string
}

/**
 * Rich text for a mail, with placeholders for expressions. Sanitised markup is regular: everything between angle
 * brackets is a tag, values are in double quotes, and every opened tag is closed.
 */
export function toMailHtml(text: string, read: Read, readers: AttributeReaders): string {
  const open: { path: string; level: number; isShown: boolean; isInTable: boolean }[] = []

  function writeTag(tag: string): string {
    const [, slash, name = '', rest = ''] = /^<(\/?)([a-z0-9]+)(.*?)\/?>$/s.exec(tag) ?? []
    if (slash) return open.pop()?.isShown ? closeTag(name) : ''
    const { path = '', level = 0, isInTable = false } = open.at(-1) ?? {}
    // A cell without its own table would end the layout's table.
    const isShown = level < MAX_LEVELS && (!TABLE_PARTS.has(name) || isInTable)
    if (!tag.endsWith('/>'))
      open.push({
        path: level < MAX_LEVELS ? `${path} ${name}` : path,
        level: level + 1,
        isShown,
        isInTable: isInTable || (isShown && name === 'table'),
      })
    const attributes = readAttributes(rest)
    if (!isShown || (name === 'img' && !attributes.has('src'))) return ''
    return openTag(name, [...attributes].map(([key, value]) => ` ${key}="${writeValue(key, value)}"`).join(''))
  }

  const writeValue = (key: string, value: string) => {
    if (key === 'href') return readers.readLink(value)
    return key === 'src' ? readers.readAddress(value) : readers.readValue(value)
  }

  return cleanHtml(text)
    .split(/(<[^>]*>)/)
    .map((part, index) => (index % 2 === 1 ? writeTag(part) : read(decode(part), open.at(-1)?.path)))
    .join('')
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()
const readAttributes = (text: string) =>
  text.trim() === ''
    ? NO_ATTRIBUTES
    : new Map([...text.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [key, decode(value)]))

// A table that is wider than the screen scrolls by itself, instead of the whole mail.
const openTag = (name: string, attributes: string) =>
  `${name === 'table' ? '<div style="overflow-x:auto;">' : ''}<${name}${attributes}${styleOf(name)}>`
const closeTag = (name: string) => `</${name}>${name === 'table' ? '</div>' : ''}`

const CHARACTERS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
const decode = (text: string) =>
  !text.includes('&') ? text : text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => CHARACTERS[entity] ?? '')

/** The fixed start of a URL, up to its host: no reader's value may decide where a link leads. */
const FIXED = /^(?:https?:\/\/[^/?#{}]+[/?#]|mailto:|tel:|\/(?!\/)|#)/i

/** Addresses that the service makes itself. */
const OURS = /^\{\{-?\s*(?:unsubscribeUrl|goods\.url)\s*-?\}\}$/

/** Makes URLs absolute, because a mail has no base URL. `countLink` keeps a link whose clicks are counted. */
export function createAttributeReaders(
  siteUrl: string,
  readValue: (value: string) => string,
  countLink?: (url: string) => string | undefined,
): AttributeReaders {
  const origin = URL.canParse(siteUrl) ? new URL(siteUrl).origin : ''
  const readAddress = (address: string) => {
    const text = address.trim()
    if (OURS.test(text)) return readValue(text)
    const [fixed = ''] = text.split(/\{[{%]/, 1)
    if (fixed.length < text.length && !FIXED.test(fixed)) {
      throw new TemplateError('in an address, expressions come after https:// and the host, after / or after mailto:')
    }
    if (/^(?:[a-z][a-z0-9+.-]*:|#)/i.test(fixed)) return readValue(text)
    return escapeHtml(origin) + readValue(text.startsWith('/') ? text : `/${text}`)
  }
  // A link that depends on the reader leads straight to its page: the letter cannot say beforehand where that is.
  const readLink = (address: string) => {
    const text = address.trim()
    const url = /[{}]/.test(text) ? null : URL.parse(text, origin || undefined)
    const isCounted = url?.protocol === 'https:' || url?.protocol === 'http:'
    return (isCounted && countLink?.(url.href)) || readAddress(address)
  }
  return { readValue, readAddress, readLink }
}
