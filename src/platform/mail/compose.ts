import { createPrivateKey } from 'node:crypto'
import { createTransport } from 'nodemailer'
import { literal } from './delivery.ts'
import type { Message } from './mailer.ts'

export type BulkMessage = Message & { from: { name: string; address: string }; replyTo?: string | undefined }
export type Dkim = { domainName: string; keySelector: string; privateKey: string }
export type Composed = { envelope: { from: string; to: string[] }; content: Buffer }

// Mailbox providers honour one-click unsubscribe only if both of its headers are signed (RFC 8058).
const SIGNED_HEADERS =
  'From:Reply-To:To:Subject:Date:Message-ID:MIME-Version:Content-Type:Content-Transfer-Encoding:' +
  'List-ID:List-Unsubscribe:List-Unsubscribe-Post:Feedback-ID:Precedence'

/** Writes messages as they go over the wire, DKIM-signed if there is a key. */
export function createComposer(dkim: Dkim | undefined) {
  if (dkim) checkKey(dkim.privateKey)
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkim && { dkim: { ...dkim, headerFieldNames: SIGNED_HEADERS } }),
  })
  return async ({ to, from, replyTo, subject, headers, text, html, messageId }: BulkMessage): Promise<Composed> => {
    const { message: content, envelope } = await transport.sendMail({
      messageId,
      subject: literal(subject),
      headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, literal(value)])),
      text: withLineEnds(text),
      html: withLineEnds(html),
      from: { name: literal(from.name), address: from.address },
      // Addresses as objects, and an explicit envelope: no value can become a second recipient.
      to: { name: '', address: to },
      ...(replyTo && { replyTo: { name: '', address: replyTo } }),
      envelope: { from: { name: '', address: from.address }, to: { name: '', address: to } },
    })
    return { envelope: { from: envelope.from || '', to: envelope.to }, content: content as Buffer }
  }
}

// In transit a lone CR becomes CRLF. That must happen before signing, or the signature breaks.
const withLineEnds = (text: string) => text.replace(/\r\n?|\n/g, '\r\n')

// With a key that cannot sign, nodemailer would send without a signature and say nothing.
function checkKey(privateKey: string) {
  const { asymmetricKeyType } = createPrivateKey(privateKey)
  if (asymmetricKeyType !== 'rsa') throw new Error(`The DKIM key must be an RSA key, not ${asymmetricKeyType}.`)
}

/** Whether this could be the address of one mailbox; only the server knows if it is. */
export const isOneAddress = (address: string) => /^[^\s\p{Cc}<>,;:()[\]\\"@]+@[^\s\p{Cc}<>,;:()\\"@]+$/u.test(address)
