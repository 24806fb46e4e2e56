import { Readable } from 'node:stream'
import SMTPConnection, { type SMTPConnectionAuth, type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import type { Composed } from './compose.ts'
import { answerTo, brief, type Delivery, deliveryOf, type SmtpError } from './delivery.ts'

export type LineOptions = SMTPConnectionOptions & { auth?: SMTPConnectionAuth | undefined }

/** A connection to the server, ready for messages, one at a time. */
export type Line = {
  isOpen(): boolean
  /** `stale`: the line was good for earlier messages and is no more, and this one was not begun. Another may do. */
  send(message: Composed): Promise<{ delivery: Delivery; stale: boolean }>
  hangUp(): void
}

const OPEN_SECONDS = 10
const GOODBYE_SECONDS = 2
// Servers limit what they take over one connection, some to 100.
const MESSAGES_PER_LINE = 100
const SLICE_BYTES = 65_536

/** Connects and logs in. Fails within seconds if that cannot be had. */
export async function openLine(options: LineOptions, answerSeconds: number): Promise<Line> {
  const connection = new SMTPConnection(options)
  const openSeconds = Math.min(OPEN_SECONDS, answerSeconds)
  let used = 0
  let isLeaving = false
  let needsReset = false
  let fail = (_error: SmtpError) => {}
  connection.on('error', (error: SmtpError) => fail(error))
  // The callback of what was under way may still come with a better reason.
  connection.on('end', () => void setImmediate(() => fail(failure('ECONNECTION', 'The connection was closed'))))

  /** Settles whatever the server does: by the callback, by the end of the connection, or when the time is up. */
  async function within<T>(seconds: number, start: (done: (error?: Error | null, value?: T) => void) => void) {
    let timer: NodeJS.Timeout | undefined
    const settled = new Promise<T>((resolve, reject) => {
      fail = reject
      timer = setTimeout(() => {
        reject(failure('ETIMEDOUT', `No answer within ${seconds} seconds`))
        connection.close()
      }, seconds * 1_000)
      start((error, value) => (error ? reject(error) : resolve(value as T)))
    })
    return await settled.finally(() => clearTimeout(timer))
  }

  function hangUp() {
    if (isLeaving || connection.destroyed) return
    isLeaving = true
    connection.quit()
    setTimeout(() => connection.close(), GOODBYE_SECONDS * 1_000).unref()
  }

  async function send(message: Composed): Promise<{ delivery: Delivery; stale: boolean }> {
    const { stream, progress } = flow(message.content, connection)
    try {
      if (needsReset) await within(openSeconds, (done) => connection.reset(done))
      needsReset = false
      const { response } = await within<{ response: string }>(answerSeconds, (done) =>
        // A copy: nodemailer keeps notes in it, also of a refusal, and would find them at the next try.
        connection.send({ ...message.envelope }, stream, done),
      )
      // An answer to something it has not got yet is an answer to something else.
      if (!progress.ended) throw new Error(`The server answered before it had the message: ${response}`)
      if (used + 1 >= MESSAGES_PER_LINE) hangUp()
      return { delivery: { outcome: 'SENT', response: brief(response) }, stale: false }
    } catch (thrown) {
      const error = thrown as SmtpError
      const answer = answerTo(error)
      const isAnswered = answer !== undefined && answer !== 421
      // Turned down properly, and nothing of it left to send: the connection is good for the next one.
      needsReset = isAnswered && progress.begun === progress.ended
      if (!needsReset) connection.close()
      const stale = used > 0 && !progress.begun && !isAnswered && error.code !== 'ETIMEDOUT'
      return { delivery: deliveryOf(error, progress.begun), stale }
    } finally {
      used++
    }
  }

  try {
    await within<void>(openSeconds, (done) => {
      connection.connect((error) => {
        if (error || !options.auth || !connection.allowsAuth) return done(error)
        connection.login({ ...options.auth }, (refusal) => done(refusal))
      })
    })
  } catch (error) {
    connection.close()
    throw error
  }
  return { isOpen: () => !isLeaving && !connection.destroyed, send, hangUp }
}

/**
 * The content as a stream that notes how far it went. It is read only once the server has answered DATA: until then
 * the server cannot have got anything of the message.
 */
function flow(content: Buffer, connection: SMTPConnection) {
  const progress = { begun: false, ended: false }
  let position = 0
  const stream = new Readable({
    highWaterMark: 1, // read ahead, the end would be noted before its time
    read() {
      if (!progress.begun && !(connection.lastServerResponse || '').startsWith('354')) {
        // Its answers are out of step with our commands: the next one would be taken for the fate of this message.
        this.destroy(new Error(`Expected 354, the server said: ${connection.lastServerResponse}`))
        return
      }
      progress.begun = true
      if (position < content.length) {
        this.push(content.subarray(position, position + SLICE_BYTES))
        position += SLICE_BYTES
        return
      }
      progress.ended = true
      this.push(null)
    },
  })
  return { stream, progress }
}

const failure = (code: string, message: string): SmtpError => Object.assign(new Error(message), { code })
