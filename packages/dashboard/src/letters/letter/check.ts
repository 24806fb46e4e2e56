import type { ErrorDetail } from '@kontor/sdk'
import type { Letter, Newsletter, Preview } from '../types.ts'

/** Mail programs cut what is longer, and with it the link to unsubscribe. */
export const MOST_BYTES = 100_000

/** `error`: it cannot or must not be sent so. `warning`: a person decides. */
export type Finding =
  | { kind: 'template'; block: string; message: string }
  | { kind: 'required'; block: string }
  | { kind: 'subject' }
  | { kind: 'no-subject' }
  | { kind: 'unsubscribe' }
  | { kind: 'link'; href: string; text: string }
  | { kind: 'http'; href: string; text: string }
  | { kind: 'alt'; src: string }
  | { kind: 'bare-name' }
  | { kind: 'no-product-page' }
  | { kind: 'size'; bytes: number }

const ERRORS = new Set<Finding['kind']>(['template', 'required', 'subject', 'unsubscribe'])
export const isError = ({ kind }: Finding) => ERRORS.has(kind)

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const decode = (text: string) => text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')

type Tag = { attributes: Map<string, string>; text: string }

/** Elements of that name, as the service writes them: attributes in double quotes. */
function tagsOf(html: string, name: string): Tag[] {
  const tag = new RegExp(`<${name}\\b((?:"[^"]*"|'[^']*'|[^'">])*)>(?:([^]*?)</${name}>)?`, 'gi')
  return [...html.matchAll(tag)].map(([, inside = '', text = '']) => ({
    attributes: new Map(
      [...inside.matchAll(/([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+)))?/g)].map(
        ([, key = '', double, single, bare]) => [key.toLowerCase(), decode(double ?? single ?? bare ?? '')],
      ),
    ),
    text: decode(text.replaceAll(/<[^>]*>/g, ' '))
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }))
}

const leadsTo = (href: string, path: string) => URL.parse(href)?.pathname.endsWith(path) ?? false
const isUnsubscribe = (href: string) => leadsTo(href, '/newsletters/unsubscribe')
/** Links that the service writes: whoever wrote the letter can do nothing about them. */
const isOfFoot = (href: string) => isUnsubscribe(href) || leadsTo(href, '/newsletters/clicks')

function ofLink({ attributes, text }: Tag): Finding[] {
  const href = (attributes.get('href') ?? '').trim()
  if (isOfFoot(href)) return []
  const url = URL.parse(href)
  if (!url || !['http:', 'https:', 'mailto:', 'tel:'].includes(url.protocol)) return [{ kind: 'link', href, text }]
  const isHalf = url.protocol.startsWith('http') && !url.hostname.includes('.') && url.hostname !== 'localhost'
  if (isHalf) return [{ kind: 'link', href, text }]
  return url.protocol === 'http:' ? [{ kind: 'http', href, text }] : []
}

const ofPicture = ({ attributes }: Tag): Finding[] =>
  (attributes.get('alt') ?? '').trim() === '' ? [{ kind: 'alt', src: attributes.get('src') ?? '' }] : []

/** What is wrong with the mail that readers would get. */
export function checkMail({ subject, html }: Preview): Finding[] {
  const links = tagsOf(html, 'a')
  const bytes = new TextEncoder().encode(html).length
  return [
    ...(subject.trim() === '' ? [{ kind: 'subject' as const }] : []),
    ...(links.some(({ attributes }) => isUnsubscribe(attributes.get('href') ?? ''))
      ? []
      : [{ kind: 'unsubscribe' as const }]),
    ...links.flatMap(ofLink),
    ...tagsOf(html, 'img').flatMap(ofPicture),
    ...(bytes > MOST_BYTES ? [{ kind: 'size' as const, bytes }] : []),
  ]
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isEmpty))

/** Names are often not given, and “Dear ,” is what such readers would get. Who asks for the name first has seen to that. */
function hasBareName({ value }: Letter['blocks'][number]): boolean {
  const text = JSON.stringify(value) ?? ''
  if (/\{%-?\s*(?:if|unless|elsif)\b[^%]*\bsubscriber\.name\b/.test(text)) return false
  return [...text.matchAll(/\{\{[^{}]*\}\}/g)].some(
    ([written]) => /\bsubscriber\.name\b/.test(written) && !/\|\s*default\b/.test(written),
  )
}

const showsProduct = ({ type, settings, value }: Letter['blocks'][number]) =>
  type === 'RELATIONSHIP' && settings?.targetType === 'PRODUCT' && typeof value === 'string' && value !== ''

type Around = { newsletter: Newsletter | undefined; subject: string; hasProductPages: boolean }

/** What the letter lacks before it is a mail at all, and what its readers would miss. */
export function checkLetter(letter: Letter, { newsletter, subject, hasProductPages }: Around): Finding[] {
  const missing = (newsletter?.blocks ?? []).filter(
    ({ id, required }) => required && isEmpty(letter.blocks.find((block) => block.id === id)?.value),
  )
  return [
    ...missing.map(({ id, label }): Finding => ({ kind: 'required', block: label || id })),
    ...(subject === '' ? [{ kind: 'no-subject' as const }] : []),
    ...(letter.blocks.some(hasBareName) ? [{ kind: 'bare-name' as const }] : []),
    ...(!hasProductPages && letter.blocks.some(showsProduct) ? [{ kind: 'no-product-page' as const }] : []),
  ]
}

/** The block that a refusal speaks of, by the name that the writer knows. */
export function checkRefusal(details: readonly ErrorDetail[], { blocks }: Letter): Finding[] {
  return details
    .filter(({ error }) => error === 'TEMPLATE_INVALID' || error === 'TOO_LARGE')
    .map(({ field, message }) => {
      const at = /^blocks\.(\d+)/.exec(field)?.[1]
      const block = at === undefined ? undefined : blocks[Number(at)]
      return {
        kind: 'template',
        block: block ? block.label || block.id : '',
        message: message.replace(`${field} is`, 'It is'),
      }
    })
}
