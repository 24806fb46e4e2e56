import type { FastifyInstance } from 'fastify'

const MAX_SILENCE_MS = 1_000
const MAX_MS = 10_000

/**
 * A response that closes the connection while the caller is still sending may never be read: the TCP reset overtakes
 * it. So the rest of the request is read and discarded first, as long as it keeps coming and up to a limit.
 */
export function drainBody(app: FastifyInstance): void {
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    const isLast = reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive
    if (!isLast || raw.complete || raw.destroyed) return done(null, payload)
    const answer = () => {
      clearTimeout(silence)
      clearTimeout(end)
      raw.off('data', wait).off('end', answer).off('close', answer)
      done(null, payload)
    }
    const silence = setTimeout(answer, MAX_SILENCE_MS)
    const end = setTimeout(answer, MAX_MS)
    const wait = () => void silence.refresh()
    raw.on('data', wait).on('end', answer).on('close', answer).resume()
  })
}
