import type { FastifyReply } from 'fastify'

/** Sends text that is JSON already, without serialising it again. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the text says
export function sendText<Body>(reply: FastifyReply, text: string): Body {
  void reply.header('content-type', 'application/json; charset=utf-8')
  return text as unknown as Body
}
