import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { bytesOf, htmlOf, parseMail, readSms, textOf } from './mail.ts'
import { SCRIPT, STYLE, showList, showPage, VIEWS } from './page.ts'
import type { Message, Store } from './store.ts'

const MAX_BODY_BYTES = 100_000

export type InboxContext = {
  store: Store
  smtpPort: number
  /** The origins from which mails may load pictures: the service itself. */
  imageOrigins: readonly string[]
}

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const CAGE = 'sandbox allow-popups allow-popups-to-escape-sandbox'

/** A mail may be hostile: it runs no script, sends no form, and loads nothing but pictures of the service. */
const mailPolicy = (imageOrigins: readonly string[]) =>
  `${CAGE}; default-src 'none'; style-src 'unsafe-inline'; img-src data: ${imageOrigins.join(' ')}; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`

export async function serve(inbox: InboxContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('referrer-policy', 'same-origin') // with `no-referrer`, our own form would send no origin
  response.setHeader('cache-control', 'no-store')
  response.setHeader('content-security-policy', PAGE_POLICY)
  const { store } = inbox
  const url = URL.parse(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`)
  if (!url || !isNearby(url.hostname)) return answer(response, 421, 'Ask for localhost, or for an IP address.')
  const search = (url.searchParams.get('q') ?? '').slice(0, 200)
  const [first = '', second = '', third = '', fourth = ''] = url.pathname.split('/').slice(1)
  const isRead = request.method === 'GET' || request.method === 'HEAD'

  if (request.method === 'POST' && first === '2010-04-01') return takeSms(store, request, response)
  if (!isRead) return change(store, request, response, url.pathname)
  if (url.pathname === '/') return answer(response, 200, await showPage(store, { search }, inbox.smtpPort), HTML)
  if (url.pathname === '/inbox.css') return answer(response, 200, STYLE, 'text/css; charset=utf-8')
  if (url.pathname === '/inbox.js') return answer(response, 200, SCRIPT, 'text/javascript; charset=utf-8')
  if (url.pathname === '/healthz') return answer(response, 200, 'ok')
  // Twilio's Account resource: `cli doctor` asks for it.
  if (first === '2010-04-01' && second === 'Accounts') return answer(response, 200, '{"status":"active"}', JSON_TYPE)
  if (url.pathname === '/list') {
    const open = store.find(url.searchParams.get('open') ?? '')
    return answer(response, 200, await showList(store, { search, open }), HTML)
  }
  if (url.pathname === '/changes') return streamChanges(store, response)
  if (url.pathname === '/api/messages')
    return answer(response, 200, asJson(store.list(search).map(summaryOf)), JSON_TYPE)
  const message = store.find(first === 'api' ? third : second)
  if (!message) return answer(response, 404, 'There is no such message. Messages are gone after a restart.')
  if (first === 'api' && second === 'messages' && !fourth)
    return answer(response, 200, asJson(await wholeOf(message)), JSON_TYPE)
  if (first !== 'messages') return answer(response, 404, 'There is nothing here.')
  if (!third) {
    store.markRead(message)
    const view = VIEWS.find((name) => name === url.searchParams.get('view'))
    return answer(response, 200, await showPage(store, { search, open: message, view }, inbox.smtpPort), HTML)
  }
  response.setHeader('content-security-policy', mailPolicy(inbox.imageOrigins))
  const mail = await parseMail(message.raw)
  if (third === 'html') {
    // Links open in a new tab: inside the frame they would be sandboxed too.
    const html = `<!doctype html><base target="_blank"><meta charset="utf-8">${htmlOf(mail) ?? ''}`
    return answer(response, 200, html, HTML)
  }
  const part = third === 'parts' ? mail.attachments[Number(fourth)] : undefined
  if (!part) return answer(response, 404, 'There is no such part.')
  const name = encodeURIComponent(part.filename ?? 'part').replaceAll("'", '%27')
  response.setHeader('content-disposition', `attachment; filename*=UTF-8''${name}`)
  return answer(response, 200, bytesOf(part), 'application/octet-stream')
}

const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

function answer(response: ServerResponse, status: number, body: string | Buffer, type = 'text/plain; charset=utf-8') {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
}

/** `localhost`, `inbox` in a container, or an IP address. A name with a dot may be DNS rebinding by another page. */
const isNearby = (hostname: string) => !hostname.includes('.') || isIP(hostname) !== 0

/** The two ways to empty the inbox, protected against CSRF: browsers send the origin of such a request. */
function change(store: Store, request: IncomingMessage, response: ServerResponse, path: string): void {
  const { origin, host } = request.headers
  if (origin && URL.parse(origin)?.host !== host) return answer(response, 403, 'Only from the inbox itself.')
  if (request.method === 'DELETE' && path === '/api/messages') {
    store.clear()
    return void response.writeHead(204).end()
  }
  if (request.method === 'POST' && path === '/delete-all') {
    store.clear()
    return void response.writeHead(303, { location: '/' }).end()
  }
  answer(response, 404, 'There is nothing here.')
}

/** Twilio's Messages resource, for any account: https://www.twilio.com/docs/messaging/api/message-resource */
async function takeSms(store: Store, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const account = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json$/.exec(request.url ?? '')?.[1]
  if (!account) return answer(response, 404, '{"code":20404,"message":"Not found","status":404}', JSON_TYPE)
  if (!request.headers.authorization?.startsWith('Basic ')) {
    return answer(response, 401, '{"code":20003,"message":"Authenticate","status":401}', JSON_TYPE)
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > MAX_BODY_BYTES) return answer(response, 413, '{"code":21617,"status":413}', JSON_TYPE)
    chunks.push(chunk as Buffer)
  }
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  const [to, from, body] = [form.get('To'), form.get('From'), form.get('Body')]
  if (!to || !body) return answer(response, 400, '{"code":21604,"message":"To and Body","status":400}', JSON_TYPE)
  const { id } = store.add(readSms(from ?? '', to, body))
  const sid = `SM${id.padStart(32, '0')}`
  answer(response, 201, asJson({ sid, account_sid: account, to, from, body, status: 'queued' }), JSON_TYPE)
}

/** Server-sent events: one for each change, and a heartbeat now and then. */
function streamChanges(store: Store, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('retry: 2000\n\n')
  const stop = store.onChange(() => response.write('data: change\n\n'))
  const beat = setInterval(() => response.write(': alive\n\n'), 20_000).unref()
  response.once('close', () => {
    stop()
    clearInterval(beat)
  })
}

const summaryOf = ({ id, kind, at, from, to, subject, preview, isRead }: Message) => ({
  id,
  kind,
  at,
  from,
  to,
  subject,
  preview,
  isRead,
})

async function wholeOf(message: Message) {
  if (message.kind === 'sms') return { ...summaryOf(message), text: message.raw.toString() }
  const mail = await parseMail(message.raw)
  return {
    ...summaryOf(message),
    text: textOf(mail),
    html: mail.html,
    headers: mail.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    attachments: mail.attachments.map((part) => ({
      filename: part.filename,
      mimeType: part.mimeType,
      bytes: bytesOf(part).length,
    })),
    source: message.raw.toString(),
  }
}
