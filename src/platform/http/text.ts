import type { FastifyReply } from 'fastify'

/** Answers with text that is JSON already: sent as it stands, not serialised again. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the text says
export function sendText<Body>(reply: FastifyReply, text: string): Body {
  void reply.header('content-type', 'application/json; charset=utf-8')
  return text as unknown as Body
}
