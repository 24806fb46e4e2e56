import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { now } from '#platform/clock.ts'
import { newSigningSecret, signedHeaders } from '#platform/outgoing/signing.ts'
import { BootError } from '../boot.ts'
import { addCommand, type Cli, JSON_LINES, type Json, UsageError } from './command.ts'
import { printResult } from './output.ts'

const AGAIN_MS = 1_000
const TIMEOUT_MS = 15_000

type Options = Json & {
  forward: string
  business: string
  key?: string
  url?: string
  type?: string[]
  secret?: string
}
type Event = { id: string; number: number; type: string; subject: string }

export function addListenCommand(program: Command, { config }: Cli): void {
  addCommand(program, 'listen', {
    says: 'Send the events of a business to this machine, signed like webhooks, as they happen: for building a receiver.',
    examples: ['listen --business biz_4k7q2m9x1c3v --forward http://localhost:4000/kontor'],
    json: JSON_LINES,
  })
    .requiredOption('--forward <address>', 'where the receiver is')
    .requiredOption('--business <id>', 'the business to listen to')
    .option('--key <key>', 'an API key that may read its events; better in the environment, as KONTOR_API_KEY')
    .option('--url <origin>', 'where the service is; by default PUBLIC_URL')
    .option('--type <type>', 'only events of this type; repeat it for several', collect)
    .option('--secret <secret>', 'sign with this one (whsec_…); by default with a new one, which is printed')
    .action(async ({ key = process.env.KONTOR_API_KEY, secret = newSigningSecret(), ...options }: Options) => {
      if (!/^https?:$/.test(URL.parse(options.forward)?.protocol ?? ''))
        throw new UsageError(`${options.forward} is not an address such as http://localhost:4000.`)
      if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) throw new UsageError('A secret begins with whsec_.')
      if (!key) throw new UsageError('Give an API key: KONTOR_API_KEY, or --key. One is made by: keys create')
      await listen({ ...options, key, secret, url: options.url ?? config().publicUrl })
    })
}

type Listening = Omit<Options, 'key' | 'url' | 'secret'> & { key: string; url: string; secret: string }

/** Until it is ended. A stream that breaks off goes on where it was. */
async function listen({ json = false, ...options }: Listening): Promise<void> {
  const { secret, forward } = options
  printResult(json, { secret, forward }, `Signing with ${secret}`)
  let last: string | undefined
  for (;;) {
    try {
      const body = await openStream(options, last)
      if (last === undefined) console.error(`Listening. Events go to ${forward}`)
      for await (const { id, data } of readBlocks(body)) {
        if (data !== undefined) {
          const event = JSON.parse(data) as Event
          const { status, milliseconds } = await send(forward, secret, event.id, data)
          const { number, type, subject } = event
          const sentence = `${number}  ${type}  ${subject}  →  ${status}  ${milliseconds} ms`
          printResult(json, { number, type, subject, status, milliseconds }, sentence)
        }
        last = id ?? last
      }
    } catch (error) {
      if (error instanceof BootError) throw error
      console.error('The stream broke off; trying again.')
    }
    await sleep(AGAIN_MS)
  }
}

async function openStream({ url, business, key, type = [] }: Listening, last: string | undefined) {
  const address = new URL(`/v1/businesses/${encodeURIComponent(business)}/events/stream`, url)
  for (const each of type) address.searchParams.append('type', each)
  const headers = { 'x-api-key': key, ...(last === undefined ? {} : { 'last-event-id': last }) }
  const answer = await fetch(address, { headers })
  if (answer.ok && answer.body) return answer.body
  const text = await answer.text()
  if (answer.status >= 500 || answer.status === 429) throw new Error(text)
  throw new BootError(`The service refuses: ${answer.status} ${text}`)
}

async function* readBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<{ id?: string; data?: string }> {
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks)
      yield Object.fromEntries(
        block.split('\n').map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1).trim()]),
      )
  }
}

/** One attempt: whoever builds a receiver sees at once that it failed. */
async function send(forward: string, secret: string, id: string, body: string) {
  const begun = performance.now()
  const headers = signedHeaders({ id, at: now(), body, secrets: [secret] })
  const status = await fetch(forward, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    async (answer) => {
      await answer.body?.cancel()
      return String(answer.status)
    },
    (error: Error) => (error.name === 'TimeoutError' ? 'no answer' : 'not reached'),
  )
  return { status, milliseconds: Math.round(performance.now() - begun) }
}

const collect = (value: string, before: string[] = []) => [...before, value]
