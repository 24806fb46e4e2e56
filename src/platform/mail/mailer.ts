import { createTransport } from 'nodemailer'
import { literal } from './delivery.ts'
import { plainName } from './plain-name.ts'

export type Message = {
  to: string
  subject: string
  html: string
  text: string
  /** Stable across retries, so that a mail sent twice can be recognised as one. */
  messageId?: string
  headers?: Record<string, string>
}

/** The same id for the same cause, however often it is sent. */
export const messageIdOf = (kind: string, id: string, publicUrl: string) =>
  `<${kind}.${id}@${new URL(publicUrl).hostname}>`

/** In whose name a mail comes. The address stays the operator's: only that is allowed to send. */
export type InNameOf = { name: string; replyTo: string | null }

/** Mails to the customers of a business come in its name, and their answers go to it. */
export const inNameOf = ({ name, contactEmail }: { name: string; contactEmail: string | null }): InNameOf => ({
  name,
  replyTo: contactEmail,
})

/** The address in `Kontor <hello@kontor.example>`. */
export const addressOf = (from: string) => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim()

export type Mailer = { send(message: Message & { inNameOf?: InNameOf }): Promise<void>; close(): void }

/** SMTP over a small pool. Every wait has a timeout; the job queue retries. */
export function createMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 4,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof createTransport>[0])
  return {
    async send({ to, inNameOf, ...message }) {
      await transport.sendMail({
        ...message,
        from: inNameOf ? { name: literal(plainName(inNameOf.name)), address: addressOf(from) } : from,
        // One address, as an object: nothing in it can become a second recipient.
        to: { name: '', address: to },
        ...(inNameOf?.replyTo && { replyTo: { name: '', address: inNameOf.replyTo } }),
      })
    },
    close: () => transport.close(),
  }
}
