import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Liquid } from 'liquidjs'
import { bytesOf, codeIn, nameOf, parseMail, textOf } from './mail.ts'
import type { Message, Store } from './store.ts'

const engine = new Liquid({
  root: import.meta.dirname,
  extname: '.liquid',
  outputEscape: 'escape',
  strictVariables: true,
  strictFilters: true,
  ownPropertyOnly: true,
  cache: true,
})

export const VIEWS = ['html', 'text', 'headers', 'source'] as const
export type View = (typeof VIEWS)[number]
const LABELS: Record<View, string> = { html: 'HTML', text: 'Text', headers: 'Headers', source: 'Source' }

export const STYLE = readFileSync(path.join(import.meta.dirname, 'inbox.css'))
export const SCRIPT = readFileSync(path.join(import.meta.dirname, 'inbox.js'))

type Shown = { search: string; open?: Message | undefined; view?: View | undefined }

/** The list alone, which the page fetches after a change. */
export async function showList(store: Store, { search, open }: Shown): Promise<string> {
  const items = store.list(search).map((message) => ({
    id: message.id,
    kind: message.kind,
    who: message.kind === 'mail' ? shortName(message.from) : message.to.join(', '),
    to: message.to.join(', '),
    subject: message.subject,
    preview: message.preview,
    at: message.at,
    isRead: message.isRead,
    isOpen: message === open,
  }))
  const query = search ? `?q=${encodeURIComponent(search)}` : ''
  return String(await engine.renderFile('list', { items, search, query, unread: store.unread() }))
}

export async function showPage(store: Store, { search, open, view }: Shown, smtpPort: number): Promise<string> {
  const list = await showList(store, { search, open })
  const detail = open ? await showMessage(open, search, view) : ''
  const title = open ? open.subject : 'Inbox'
  return String(await engine.renderFile('page', { title, list, detail, search, smtpPort, openId: open?.id ?? '' }))
}

async function showMessage(message: Message, search: string, wanted: View | undefined): Promise<string> {
  const { id, kind, at, to } = message
  const back = search ? `/?q=${encodeURIComponent(search)}` : '/'
  const common = { id, kind, at, to: to.join(', '), from: message.from, subject: message.subject, back }
  if (kind === 'sms') {
    const text = message.raw.toString()
    return String(await engine.renderFile('sms', { ...common, text: withLinks(text), code: codeIn(text) ?? '' }))
  }
  const mail = await parseMail(message.raw)
  const views = VIEWS.filter((view) => view !== 'html' || mail.html !== undefined)
  const view = wanted && views.includes(wanted) ? wanted : (views[0] ?? 'text')
  const query = (name: View) =>
    `/messages/${id}?${new URLSearchParams({ view: name, ...(search ? { q: search } : {}) }).toString()}`
  const attachments = mail.attachments
    .map((part, number) => ({ number, name: part.filename ?? part.mimeType, bytes: bytesOf(part).length, part }))
    .filter(({ part }) => part.disposition !== 'inline' && !part.related)
    .map(({ number, name, bytes }) => ({ number, name, size: `${Math.ceil(bytes / 1_000)} kB` }))
  return String(
    await engine.renderFile('mail', {
      ...common,
      from: mail.from ? nameOf(mail.from) : message.from,
      view,
      views: views.map((name) => ({ label: LABELS[name], href: query(name), isOpen: name === view })),
      attachments,
      text: view === 'text' ? withLinks(textOf(mail)) : '',
      headers: view === 'headers' ? mail.headers.map(({ originalKey, value }) => ({ name: originalKey, value })) : [],
      source: view === 'source' ? message.raw.toString() : '',
    }),
  )
}

const shortName = (from: string) => from.replace(/\s*<[^>]*>$/, '') || from

const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** Text as HTML with clickable links. */
function withLinks(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/)
    .map((part, index) =>
      index % 2 === 1
        ? `<a href="${escape(part)}" target="_blank" rel="noopener noreferrer">${escape(part)}</a>`
        : escape(part),
    )
    .join('')
}
