import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A real SMTP server on loopback that keeps what it gets. */
export async function startMailServer() {
  const mails: Email[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          mails.push(mail)
          done()
        }, done)
      })
    },
  })
  server.on('error', () => {}) // a client that dies in the middle is no concern of the next one
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Kontor <hello@kontor.example>' },
    mails,
    /** The newest mail to that address; waits until there is one. */
    async mailTo(address: string, count = 1): Promise<Email> {
      for (let tries = 0; tries < 1_000; tries++) {
        const found = mails.filter((mail) => mail.to?.[0]?.address?.toLowerCase() === address.toLowerCase())
        const mail = found.at(-1)
        if (mail && found.length >= count) return mail
        await sleep(10)
      }
      throw new Error(`No mail came for ${address}`)
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

/** The first link in a mail's text that leads to that path. */
export function linkIn(mail: Email, path: string): URL {
  const link = (mail.text ?? '').split(/\s+/).find((word) => URL.parse(word)?.pathname.endsWith(path))
  if (!link) throw new Error(`No link to ${path} in:\n${mail.text}`)
  return new URL(link)
}

/** A loopback server that answers like Twilio's Messages resource and keeps what it gets. */
export async function startSmsServer() {
  const messages: { to: string; body: string }[] = []
  const server: Server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const form = new URLSearchParams(text)
      const fits =
        request.url === '/2010-04-01/Accounts/AC123/Messages.json' &&
        request.headers.authorization?.startsWith('Basic ')
      if (!fits) return void response.writeHead(401).end('{"code":20003}')
      messages.push({ to: form.get('To') ?? '', body: form.get('Body') ?? '' })
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1","status":"queued"}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    env: {
      TWILIO_ACCOUNT_SID: 'AC123',
      TWILIO_AUTH_TOKEN: 'secret',
      TWILIO_FROM: '+15005550006',
      TWILIO_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    messages,
    async codeTo(number: string, count = 1): Promise<string> {
      for (let tries = 0; tries < 1_000; tries++) {
        const found = messages.filter(({ to }) => to === number)
        const code = found.at(-1)?.body.match(/\d{6}/)?.[0]
        if (code && found.length >= count) return code
        await sleep(10)
      }
      throw new Error(`No SMS came for ${number}`)
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
