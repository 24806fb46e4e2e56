import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { nowMs } from '../clock.ts'
import { type Checked, checkAddress, type Rules } from './check-address.ts'
import { OutgoingError, type OutgoingProblem } from './errors.ts'

const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 1_000
/** Connections are kept for this long without use. */
const IDLE_MS = 10_000
/** After this long a host is resolved anew: it may have moved. */
const RENEW_MS = 60_000

export type Posted = {
  /** Of the answer; undefined: there was none. */
  status: number | undefined
  problem: OutgoingProblem | undefined
  milliseconds: number
  /** The first 1,000 bytes. */
  answer: string
  retryAfter: string | undefined
}
export type PostOptions = { body: string; headers: Record<string, string>; timeoutMs?: number | undefined }

/** Connections to one address that somebody else has named, kept between requests. */
export type Line = {
  /** Never throws: what went wrong is in the answer. */
  post(options: PostOptions): Promise<Posted>
  close(): void
}

/**
 * Sends JSON to an address that somebody else has named. Nothing private can be reached with it: each connection is checked when
 * it is opened, as for a download, and one that is kept leads to where it led then, whatever the name says by now. Redirects
 * are answered, not followed; of an answer no more than its beginning is read.
 */
export function openLine(address: string, rules: Rules): Line {
  let agent = openAgent(address, rules)
  let openedMs = nowMs()

  const send = async (options: PostOptions, signal: AbortSignal): Promise<Omit<Posted, 'milliseconds' | 'problem'>> => {
    if (nowMs() - openedMs > RENEW_MS) {
      agent = openAgent(address, rules) // connections of the one before end by themselves, once they are idle
      openedMs = nowMs()
    }
    for (let isFirst = true; ; isFirst = false) {
      const asked = ask(address, agent, options, signal)
      try {
        return await asked.answer
      } catch (error) {
        // The other side closed a kept connection while we took it: not the receiver's fault, and not worth a pause.
        if (!(isFirst && asked.isKept() && isReset(error)) || signal.aborted) throw error
      }
    }
  }

  return {
    async post(options) {
      const begunMs = nowMs()
      const late = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
      const nothing = { status: undefined, answer: '', retryAfter: undefined }
      const outcome = await send(options, late).then(
        (answered) => ({ ...answered, problem: undefined }),
        (error: unknown) => ({ ...nothing, problem: late.aborted ? ('TIMED_OUT' as const) : problemOf(error) }),
      )
      return { ...outcome, milliseconds: nowMs() - begunMs }
    },
    close: () => agent.destroy(),
  }
}

const problemOf = (error: unknown): OutgoingProblem => (error instanceof OutgoingError ? error.problem : 'UNREACHABLE')
const isReset = (error: unknown) => ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Resolves the host for each connection, and connects to what was checked. */
function openAgent(address: string, rules: Rules): HttpAgent {
  const kept = { keepAlive: true, timeout: IDLE_MS }
  const agent = URL.parse(address)?.protocol === 'https:' ? new HttpsAgent(kept) : new HttpAgent(kept)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, opened) => {
    checkAddress(address, rules).then(
      (checked) => {
        const socket = connect({ ...options, lookup: lookupOf(checked) })
        socket?.once('connect', () => {
          const { remoteAddress = '' } = socket as Duplex & { remoteAddress?: string }
          if (!rules.isAllowed(remoteAddress)) socket.destroy(new OutgoingError('ADDRESS_NOT_ALLOWED'))
        })
        opened?.(null, socket as Duplex)
      },
      (error: Error) => opened?.(error, undefined as unknown as Duplex),
    )
    return undefined
  }
  return agent
}

const lookupOf =
  ({ addresses }: Checked): LookupFunction =>
  (_host, options, answer) => {
    const [first] = addresses
    if (options.all) answer(null, addresses)
    else answer(null, first?.address ?? '', first?.family)
  }

function ask(address: string, agent: HttpAgent, { body, headers }: PostOptions, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<Omit<Posted, 'milliseconds' | 'problem'>>()
  const url = URL.parse(address)
  if (!url || url.username || url.password) throw new OutgoingError('ADDRESS_NOT_ALLOWED')
  const asked = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    agent,
    signal,
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'accept-encoding': 'identity',
      'user-agent': 'Kontor',
    },
  })
  let hasAnswered = false
  asked.on('response', (answer) => {
    hasAnswered = true
    const chunks: Buffer[] = []
    let size = 0
    const settle = () =>
      resolve({
        status: answer.statusCode ?? 0,
        answer: Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8').replaceAll('\0', ''),
        retryAfter: answer.headers['retry-after'],
      })
    answer.on('data', (chunk: Buffer) => {
      if (size < MAX_ANSWER_BYTES) chunks.push(chunk)
      size += chunk.length
      if (size <= MAX_ANSWER_BYTES) return
      settle()
      answer.destroy() // whoever goes on answering is left alone
    })
    // The status counts, whatever becomes of the rest.
    answer.on('end', settle).on('error', settle).on('close', settle)
  })
  asked.on('error', reject)
  // Who answers 101 ends it without an error and without an answer.
  asked.on('close', () => {
    if (!hasAnswered) reject(new OutgoingError('UNREACHABLE', { isTemporary: true }))
  })
  asked.end(body)
  return { answer: promise, isKept: () => asked.reusedSocket }
}
