import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { readMail } from './mail.ts'
import type { Store } from './store.ts'

const MAX_MAIL_BYTES = 5_000_000
const IDLE_MS = 60_000

/** Accepts every mail from anybody to anybody, and forwards none. */
export async function openSmtp(store: Store, host: string, port: number) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    size: MAX_MAIL_BYTES,
    socketTimeout: IDLE_MS,
    closeTimeout: 1_000,
    disableReverseLookup: true,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anybody' }),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      let size = 0
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= MAX_MAIL_BYTES) chunks.push(chunk)
      })
      stream.on('end', () => {
        if (size > MAX_MAIL_BYTES) return done(Object.assign(new Error('Too large'), { responseCode: 552 }))
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        readMail(Buffer.concat(chunks), recipients).then((mail) => {
          store.add(mail)
          done()
        }, done)
      })
    },
  })
  server.on('error', () => {}) // errors of single connections, mostly a disconnect
  server.listen(port, host)
  await once(server.server, 'listening')
  return { close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}
