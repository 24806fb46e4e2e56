import { Readable } from 'node:stream'
import type { Composed } from './compose.ts'
import { answerTo, brief, type Delivery, deliveryOf } from './delivery.ts'
import {
  type Connection,
  createConnection,
  lastAnswer,
  type SmtpError,
  type SmtpOptions,
  wantsContent,
} from './nodemailer-internals.ts'

/** An SMTP session, ready for messages, one at a time. */
export type SmtpSession = {
  isOpen(): boolean
  /**
   * `stale`: the session worked for earlier messages but has ended, and this one was not begun. Retry on another
   * session.
   */
  send(message: Composed): Promise<{ delivery: Delivery; stale: boolean }>
  hangUp(): void
}

const OPEN_SECONDS = 10
const GOODBYE_SECONDS = 2
// Servers limit the messages per session, some to 100.
const MESSAGES_PER_SESSION = 100
const SLICE_BYTES = 65_536

/** Connects and logs in. Rejects within seconds if that fails. */
export async function openSmtpSession(options: SmtpOptions, answerSeconds: number): Promise<SmtpSession> {
  const connection = createConnection(options)
  const openSeconds = Math.min(OPEN_SECONDS, answerSeconds)
  let used = 0
  let isLeaving = false
  let needsReset = false
  let fail = (_error: SmtpError) => {}
  connection.on('error', (error: SmtpError) => fail(error))
  // The pending callback may still bring a better reason.
  connection.on('end', () => void setImmediate(() => fail(failure('ECONNECTION', 'The connection was closed'))))

  /** Settles in any case: by the callback, by the end of the connection, or by the timeout. */
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
        // A copy: nodemailer stores state in it, also of a refusal, and would find it on the next try.
        connection.send({ ...message.envelope }, stream, done),
      )
      // A reply before the content was sent belongs to an earlier command.
      if (!progress.ended) throw new Error(`The server answered before it had the message: ${response}`)
      if (used + 1 >= MESSAGES_PER_SESSION) hangUp()
      return { delivery: { outcome: 'SENT', response: brief(response) }, stale: false }
    } catch (thrown) {
      const error = thrown as SmtpError
      const answer = answerTo(error)
      const isAnswered = answer !== undefined && answer !== 421
      // Refused in order, with nothing left to send: the session can be reused.
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
 * The content as a stream that records how far it was read. It is read only once the server has replied to DATA: until
 * then the server cannot have received any of the message.
 */
function flow(content: Buffer, connection: Connection) {
  const progress = { begun: false, ended: false }
  let position = 0
  const stream = new Readable({
    highWaterMark: 1, // with read-ahead, the end would be recorded too early
    read() {
      if (!progress.begun && !wantsContent(connection)) {
        // Its replies are out of step with our commands: the next one would be taken for the outcome of this message.
        this.destroy(new Error(`Expected 354, the server said: ${lastAnswer(connection)}`))
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
