// Readers of event streams in a process of their own: they share the cores with what is measured, but not its event loop. Each checks
// that the numbers it is told have no gap and come once, and connects again by itself when its stream ends.
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Followed = { path: string; token: string }
export type ReadersOrder = { kind: 'open'; url: string; streams: Followed[] } | { kind: 'report' } | { kind: 'close' }
export type ReadersReport = {
  open: number
  /** Events, over all readers. */
  events: number
  missed: number
  twice: number
  /** Connections that were answered with something other than a stream. */
  refused: Record<string, number>
  /** Streams that ended with `retry:`, and those that broke off. */
  toldToReturn: number
  brokenOff: number
  /** When the last one was connected, by Date.now(). */
  lastOpenedAt: number
  /** How far each path's readers are: the one that is least far. */
  least: Record<string, number>
  /** From happening to arriving, of the events since the last report. */
  delaysMs: number[]
}

const AT_ONCE = 100
const LOOK_MS = 20
const AFTER_REFUSAL_MS = 500
/** Every so many delays is kept. */
const SAMPLE = 20

type Reader = Followed & { last: number | undefined; isOpen: boolean; rest: string; retryMs: number | undefined }

const readers: Reader[] = []
const agent = new http.Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
const counts = { events: 0, missed: 0, twice: 0, toldToReturn: 0, brokenOff: 0, lastOpenedAt: 0 }
const refused: Record<string, number> = {}
let delaysMs: number[] = []
let url = new URL('http://127.0.0.1')
let isClosing = false
let listening: Promise<void> | undefined

/** Resolves when the stream has ended, and says whether there was one. */
const follow = (reader: Reader) =>
  new Promise<boolean>((resolve) => {
    const { path, token, last } = reader
    const headers = {
      authorization: `Bearer ${token}`,
      ...(last === undefined ? {} : { 'last-event-id': String(last) }),
    }
    Object.assign(reader, { rest: '', retryMs: undefined })
    const request = http.get({ host: url.hostname, port: url.port, path, headers, agent }, (response) => {
      if (response.statusCode !== 200) {
        refused[String(response.statusCode)] = (refused[String(response.statusCode)] ?? 0) + 1
        response.resume()
        return resolve(false)
      }
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => hear(reader, chunk))
      response.on('error', () => undefined)
      response.on('close', () => {
        reader.isOpen = false
        if (reader.retryMs === undefined) counts.brokenOff++
        else counts.toldToReturn++
        resolve(true)
      })
    })
    request.on('error', () => resolve(false))
  })

function hear(reader: Reader, chunk: string): void {
  const blocks = (reader.rest + chunk).split('\n\n')
  reader.rest = blocks.pop() ?? ''
  for (const block of blocks) {
    if (!reader.isOpen) {
      reader.isOpen = true
      counts.lastOpenedAt = Date.now()
    }
    const retry = /^retry: (\d+)/m.exec(block)?.[1]
    if (retry !== undefined) reader.retryMs = Number(retry)
    const id = /^id: (\d+)/m.exec(block)?.[1]
    if (id === undefined) continue
    const number = Number(id)
    reader.last ??= number
    if (block.includes('\ndata: ')) take(reader, number, block)
    else if (number > reader.last) {
      // These callers may read everything: a comment must not move them over an event.
      counts.missed += number - reader.last
      reader.last = number
    }
  }
}

function take(reader: Reader, number: number, block: string): void {
  const last = reader.last ?? 0
  counts.events++
  if (number <= last) return void counts.twice++
  counts.missed += number - last - 1
  reader.last = number
  if (counts.events % SAMPLE === 0) delaysMs.push(Date.now() - Number(/"ms":(\d+)/.exec(block)?.[1]))
}

/** One looks for all of them when the service is there again: then all of them come in the same moment. */
function untilListening(): Promise<void> {
  listening ??= (async () => {
    while (!isClosing && !(await isListening())) await sleep(LOOK_MS)
    listening = undefined
  })()
  return listening
}

const isListening = () =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(Number(url.port), url.hostname)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

async function read(reader: Reader): Promise<void> {
  while (!isClosing) {
    const wasThere = await follow(reader)
    if (isClosing) return
    if (reader.retryMs !== undefined) await sleep(reader.retryMs)
    else if (!wasThere) await sleep(AFTER_REFUSAL_MS * Math.random())
    await untilListening()
  }
}

async function open(address: string, streams: Followed[]): Promise<void> {
  url = new URL(address)
  for (const stream of streams) {
    const reader: Reader = { ...stream, last: undefined, isOpen: false, rest: '', retryMs: undefined }
    readers.push(reader)
    void read(reader)
    while (readers.filter(({ isOpen }) => !isOpen).length >= AT_ONCE) await sleep(5)
  }
}

function report(): ReadersReport {
  const least: Record<string, number> = {}
  for (const { path, last = 0 } of readers) least[path] = Math.min(least[path] ?? Number.POSITIVE_INFINITY, last)
  const told = { ...counts, open: readers.filter(({ isOpen }) => isOpen).length, refused, least, delaysMs }
  delaysMs = []
  return told
}

process.on('message', (order: ReadersOrder) => {
  if (order.kind === 'open') void open(order.url, order.streams)
  if (order.kind === 'report') process.send?.(report())
  if (order.kind === 'close') {
    isClosing = true
    agent.destroy()
    process.disconnect()
    process.exit(0)
  }
})
process.once('disconnect', () => process.exit(0))
