import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { readMail } from './mail.ts'
import type { Store } from './store.ts'

const MAX_MAIL_BYTES = 5_000_000
const IDLE_MS = 60_000

/** Addresses that behave as some do in the world, to see what becomes of a letter. */
const isRefused = (address: string) => address.startsWith('refused.')
const isSilent = (address: string) => address.startsWith('silent.')

/** Accepts every mail from anybody to anybody but those addresses, and forwards none. */
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
    onRcptTo: ({ address }, _session, done) =>
      isRefused(address) ? done(Object.assign(new Error('5.1.1 No such mailbox'), { responseCode: 550 })) : done(),
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
          if (recipients.some(isSilent)) hangUp(session.id)
          else done()
        }, done)
      })
    },
  })
  /** It has the mail, and does not say so. */
  const hangUp = (id: string) => {
    for (const connection of server.connections) if (connection.id === id) connection.close()
  }
  server.on('error', () => {}) // errors of single connections, mostly a disconnect
  server.listen(port, host)
  await once(server.server, 'listening')
  return { close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}
