import type { FastifyRequest } from 'fastify'

/** Mail servers and mail programs open links before a person sees them. */
const PROGRAMS =
  /bot\b|crawl|spider|scan|preview|fetch|monitor|headless|curl|wget|python|okhttp|java\/|go-http|node|axios|libwww|proofpoint|mimecast|barracuda|safelinks|fireeye|trendmicro|imageproxy|mailproxy/i
/** Nobody reads a letter that fast; what checks it on arrival does. */
const TOO_SOON_MS = 10_000

/** What loads the pictures of a mail before or instead of its reader calls itself just this. */
const NAMELESS = 'Mozilla/5.0'

/** Whether a click or an open letter counts. A wrong guess costs a number, never the way to the page. */
export function isPerson(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  msSinceSent: number,
): boolean {
  const agent = headers['user-agent'] ?? ''
  const purpose = ['sec-purpose', 'purpose', 'x-purpose'].map((name) => String(headers[name] ?? '')).join(' ')
  return (
    method === 'GET' &&
    agent.startsWith('Mozilla/') &&
    agent.trim() !== NAMELESS &&
    !PROGRAMS.test(agent) &&
    !/prefetch|preview/i.test(purpose) &&
    msSinceSent >= TOO_SOON_MS
  )
}
