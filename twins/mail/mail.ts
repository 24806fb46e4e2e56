import PostalMime, { type Address, type Email } from 'postal-mime'
import type { NewMessage } from './store.ts'

const PREVIEW_CHARS = 140
const SEARCHED_CHARS = 20_000
/** For all inlined pictures of a mail, counted as often as they are shown. */
const MAX_PICTURES_CHARS = 20_000_000

export const parseMail = (raw: Buffer): Promise<Email> => PostalMime.parse(raw)

/** The summary of a mail. `recipients` are those of the envelope: blind copies are named nowhere else. */
export async function readMail(raw: Buffer, recipients: string[]): Promise<NewMessage> {
  const mail = await parseMail(raw)
  const from = mail.from ? nameOf(mail.from) : ''
  const subject = mail.subject?.trim() || '(no subject)'
  const text = textOf(mail).replace(/\s+/g, ' ').trim()
  const words = [from, ...recipients, subject, text].join(' ').slice(0, SEARCHED_CHARS).toLowerCase()
  return { kind: 'mail', from, to: recipients, subject, preview: text.slice(0, PREVIEW_CHARS), raw, words }
}

export function readSms(from: string, to: string, text: string): NewMessage {
  const subject = text.replace(/\s+/g, ' ').trim().slice(0, PREVIEW_CHARS)
  const words = [from, to, text].join(' ').slice(0, SEARCHED_CHARS).toLowerCase()
  return { kind: 'sms', from, to: [to], subject, preview: '', raw: Buffer.from(text), words }
}

/**
 * The text of a mail; for an HTML-only mail, its text without tags, good enough for a search. An unclosed tag extends
 * to the end of the mail: searching for its end from each of many would take hours.
 */
export const textOf = ({ text, html }: Email): string =>
  text ?? (html ?? '').replace(/<(style|script|head)\b[\s\S]*?(?:<\/\1\s*>|$)|<[^>]*>?/gi, ' ')

/** `Ada <ada@example.com>` */
export function nameOf({ name, address }: Address): string {
  if (!address) return name
  return name ? `${name} <${address}>` : address
}

/** The HTML of a mail with its pictures (`cid:`) inlined, so that it loads nothing. */
export function htmlOf({ html, attachments }: Email): string | undefined {
  if (html === undefined) return undefined
  const addressOf = (part: Part) => `data:${part.mimeType};base64,${bytesOf(part).toString('base64')}`
  const pictures = new Map(attachments.map((part) => [part.contentId, addressOf(part)]))
  let left = MAX_PICTURES_CHARS
  return html.replace(/cid:([^"'\s)>]+)/gi, (reference, id: string) => {
    const picture = pictures.get(`<${id}>`) ?? reference
    left -= picture.length
    return left < 0 ? reference : picture
  })
}

type Part = Email['attachments'][number]

export const bytesOf = ({ content }: Part): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as Uint8Array)

/** A verification code in an SMS. */
export const codeIn = (text: string): string | undefined => /(?<![\d+.,])\d{4,8}(?![\d.,]\d)/.exec(text)?.[0]
