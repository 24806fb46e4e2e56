import { once } from 'node:events'
import { createServer } from 'node:http'
import { serve } from './http.ts'
import { openSmtp } from './smtp.ts'
import { createStore } from './store.ts'

export type InboxOptions = {
  host?: string
  port: number
  smtpPort: number
  /** The origins from which mails may load pictures. */
  imageOrigins?: readonly string[]
}

export type Inbox = Awaited<ReturnType<typeof startInbox>>

/** Mail and SMS for development: an SMTP server, Twilio's Messages resource, and a page to read them on. */
export async function startInbox({ host = '127.0.0.1', port, smtpPort, imageOrigins = [] }: InboxOptions) {
  const store = createStore()
  const smtp = await openSmtp(store, host, smtpPort)
  const server = createServer((request, response) => {
    serve({ store, smtpPort, imageOrigins }, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error))
    })
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    await smtp.close()
    throw error
  }
  return {
    store,
    async close(): Promise<void> {
      server.closeAllConnections()
      await Promise.all([smtp.close(), new Promise<void>((resolve) => server.close(() => resolve()))])
    },
  }
}
