// Runs the inbox alone, for a container: node twins/mail/main.ts (HOST, INBOX_PORT, SMTP_PORT, PUBLIC_URL)
import { startInbox } from './server.ts'

const { env } = process
const host = env.HOST ?? '127.0.0.1'
const port = Number(env.INBOX_PORT ?? 3025)
const smtpPort = Number(env.SMTP_PORT ?? 1025)
const inbox = await startInbox({ host, port, smtpPort, imageOrigins: env.PUBLIC_URL ? [env.PUBLIC_URL] : [] })
console.log(
  `Inbox at http://${host}:${port}, mail at smtp://${host}:${smtpPort}, TWILIO_API_URL=http://${host}:${port}`,
)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void inbox.close())
