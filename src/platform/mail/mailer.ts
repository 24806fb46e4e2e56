import { createTransport } from 'nodemailer'

export type Message = {
  to: string
  subject: string
  html: string
  text: string
  /** Stable across retries, so that a mail sent twice can be recognised as one. */
  messageId?: string
  headers?: Record<string, string>
}

/** The same for the same cause, however often it is sent. */
export const messageIdOf = (kind: string, id: string, publicUrl: string) =>
  `<${kind}.${id}@${new URL(publicUrl).hostname}>`

export type Mailer = { send(message: Message): Promise<void>; close(): void }

/** SMTP over a small pool. Every wait is bounded; retrying is the queue's business. */
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
    async send({ to, ...message }) {
      // One address, as an object: nothing in it can become a second recipient.
      await transport.sendMail({ ...message, from, to: { name: '', address: to } })
    },
    close: () => transport.close(),
  }
}
