import type { FastifyInstance } from 'fastify'

const MAX_SILENCE_MS = 1_000
const MAX_MS = 10_000

/**
 * An answer that ends its connection while the caller is still sending may never be read: the reset that follows overtakes it.
 * So what is left of the request is read first and thrown away, for as long as it keeps coming and within reason.
 */
export function hearOut(app: FastifyInstance): void {
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
