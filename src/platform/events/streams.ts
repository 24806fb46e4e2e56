import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '#vocabulary/actor.ts'
import type { Db } from '../database/database.ts'
import { shutDown, tooManyStreams } from '../http/refusals.ts'
import { createSemaphore } from '../semaphore.ts'
import { type EventRow, presentEvent, readAfter, readLastNumber } from './feed.ts'
import { type Readers, topicOf, topicsFor } from './readers.ts'

/** How many streams may be open at once. */
const MOST = { session: 5, business: 200, process: 2_000 }
const BATCH = 500
const RETRY_SECONDS = 15
/** Streams that are behind share these many queries: whoever reads a year of events must not keep others from buying. */
const CATCHING_UP_AT_ONCE = 2

export type StreamSettings = {
  /** How often the feed of a business is read, while somebody follows it. */
  pollMs?: number
  /** How often an idle stream checks its caller's permissions, from caches, and sends a heartbeat. */
  lookMs?: number
  most?: Partial<typeof MOST>
}

type StreamOptions = StreamSettings & {
  app: Pick<FastifyInstance, 'draining' | 'lookAgain' | 'findCellNow' | 'log'>
  readers: Readers
}

type Wanted = { after?: number | undefined; type?: readonly string[]; subject?: string }

/** One caller's stream. `position`: the number of the last event that was looked at for it. */
type Stream = {
  body: PassThrough
  position: number
  isCatchingUp: boolean
  /** Returns those of the events that its caller may read. */
  select: (events: readonly Frame[]) => readonly Frame[]
  /** Whether its caller may still read, and of which topics. Fails closed: whoever cannot be looked up has to connect again. */
  look: () => Promise<boolean>
}

/** The end of a business's feed. All streams that have come this far are fed from one query. */
type Feed = { businessId: string; db: Db; position: number; streams: Set<Stream>; isRunning: boolean }

type Frame = { number: number; type: string; topic: string; subject: string; text: string }

export type Streams = {
  /** The stream's body. Throws 429 when there are too many. */
  open(request: FastifyRequest, wanted: Wanted): Promise<PassThrough>
  count(): number
}

/**
 * Server-sent events. One query a second for each business feeds all of its streams in this process. A stream that is
 * behind, because it begins earlier or because its reader is slow, reads by itself until it has caught up; so no more
 * than one batch waits in memory, and a reader who takes nothing is ended like that of any other response.
 */
export function createStreams({ app, readers, pollMs = 1_000, lookMs = 5_000, ...options }: StreamOptions): Streams {
  const most = { ...MOST, ...options.most }
  const feeds = new Map<string, Feed>()
  const places = new Map<string, number>()
  const all = new Set<Stream>()
  const inTurn = createSemaphore({ atOnce: CATCHING_UP_AT_ONCE, maxWaiting: most.process, refuse: shutDown })
  const { draining, log } = app

  draining.addEventListener('abort', () => {
    // Not all at once, and elsewhere.
    for (const stream of all) end(stream, `retry: ${1_000 + Math.round(Math.random() * 2_000)}\n\n`)
  })

  /** Takes a place of each kind; the answer gives them back. */
  function admit(actor: Actor, businessId: string): () => void {
    const kinds = [
      { key: `session ${sessionOf(actor)}`, whom: 'this session', limit: most.session },
      { key: `business ${businessId}`, whom: 'this business', limit: most.business },
      { key: 'process', whom: 'all businesses', limit: most.process },
    ]
    for (const { key, whom, limit } of kinds) {
      if ((places.get(key) ?? 0) >= limit) throw tooManyStreams({ whom, most: limit, seconds: RETRY_SECONDS })
    }
    for (const { key } of kinds) places.set(key, (places.get(key) ?? 0) + 1)
    return () => {
      for (const { key } of kinds) {
        const left = (places.get(key) ?? 1) - 1
        if (left > 0) places.set(key, left)
        else places.delete(key)
      }
    }
  }

  async function open(request: FastifyRequest, { after, type, subject }: Wanted): Promise<PassThrough> {
    if (draining.aborted) throw shutDown()
    const { business, actor, cell: db } = request
    const leave = admit(actor, business.id)
    const last = await readLastNumber(db, business.id).catch((error: unknown) => {
      leave()
      throw error
    })
    let topics = topicsFor(readers, request.permissions)
    const stream: Stream = {
      body: new PassThrough(),
      position: Math.min(after ?? last, last),
      isCatchingUp: false,
      select: (events) =>
        events.filter(
          (event) =>
            (!topics || topics.includes(event.topic)) &&
            (type === undefined || type.includes(event.type)) &&
            (subject === undefined || event.subject === subject),
        ),
      async look() {
        const held = await app.lookAgain(request).catch(() => undefined)
        if (held) topics = topicsFor(readers, held)
        return held !== undefined
      },
    }
    const feed = follow(business.id, db, last)
    feed.streams.add(stream)
    all.add(stream)
    const looking = setInterval(() => {
      void stream.look().then((mayRead) => {
        if (!mayRead) end(stream)
        else if (!stream.body.writableNeedDrain) write(stream, aliveAt(stream.position))
      })
    }, lookMs).unref()
    stream.body.once('close', () => {
      clearInterval(looking)
      feed.streams.delete(stream)
      all.delete(stream)
      leave()
    })
    write(stream, aliveAt(stream.position))
    if (draining.aborted) end(stream)
    else void catchUp(feed, stream)
    return stream.body
  }

  function follow(businessId: string, db: Db, position: number): Feed {
    const feed = feeds.get(businessId) ?? { businessId, db, position, streams: new Set(), isRunning: false }
    feeds.set(businessId, feed)
    if (!feed.isRunning) void run(feed)
    return feed
  }

  /** Reads the feed for as long as somebody follows it. */
  async function run(feed: Feed): Promise<void> {
    feed.isRunning = true
    let isFailing = false
    do {
      await sleep(pollMs, undefined, { ref: false })
      try {
        feed.db = (await app.findCellNow(feed.businessId)) ?? feed.db // it may have moved; numbers go on there
        for (let isMore = feed.streams.size > 0; isMore; ) {
          const frames = await readFrames(feed, feed.position)
          await deliver(feed, frames)
          isMore = frames.length === BATCH
        }
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ err: error, businessId: feed.businessId }, 'the feed cannot be read; trying again')
        isFailing = true
      }
    } while (feed.streams.size > 0)
    feeds.delete(feed.businessId)
    feed.isRunning = false
  }

  async function deliver(feed: Feed, frames: readonly Frame[]): Promise<void> {
    const before = feed.position
    feed.position = frames.at(-1)?.number ?? before
    const isCurrent = (stream: Stream) =>
      stream.position >= before && !stream.isCatchingUp && !stream.body.writableNeedDrain
    const shown: Promise<void>[] = []
    for (const stream of feed.streams) {
      if (isCurrent(stream)) shown.push(show(stream, frames))
      else void catchUp(feed, stream)
    }
    await Promise.all(shown)
  }

  /** Reads for one stream until it has all that the feed has. */
  async function catchUp(feed: Feed, stream: Stream): Promise<void> {
    if (stream.isCatchingUp) return
    stream.isCatchingUp = true
    try {
      while (stream.position < feed.position && stream.body.writable) {
        if (stream.body.writableNeedDrain && !(await drained(stream.body))) return
        const frames = await inTurn(() => readFrames(feed, stream.position))
        if (frames.length === 0) stream.position = feed.position // older events are gone
        await show(stream, frames)
        write(stream, aliveAt(stream.position))
      }
    } catch (error) {
      log.warn({ err: error, businessId: feed.businessId }, 'a stream of events cannot go on')
      end(stream)
    } finally {
      stream.isCatchingUp = false
    }
  }

  return { open, count: () => all.size }
}

/**
 * Looks first: from caches, which forget at once what was taken away. The position follows the text, since a heartbeat
 * names it: a reader who is told of a number is never shown what is before it.
 */
async function show(stream: Stream, frames: readonly Frame[]): Promise<void> {
  const news = frames.filter(({ number }) => number > stream.position)
  if (stream.select(news).length > 0 && !(await stream.look())) return end(stream)
  const texts = stream.select(news).map(({ text }) => text)
  write(stream, texts.join(''))
  stream.position = news.at(-1)?.number ?? stream.position
}

function write({ body }: Stream, text: string): void {
  if (body.writable && text !== '') body.write(text)
}

function end({ body }: Stream, lastWords = ''): void {
  if (body.writable) body.end(lastWords)
}

const readFrames = async ({ db, businessId }: Feed, after: number): Promise<Frame[]> =>
  (await readAfter(db, businessId, after, BATCH)).map(toFrame)

function toFrame(row: EventRow): Frame {
  const { number, type, subject } = row
  const text = `id: ${number}\ndata: ${JSON.stringify(presentEvent(row))}\n\n`
  return { number, type, topic: topicOf(type), subject, text }
}

/** A comment keeps the connection open; the id moves readers over events that they may not see. */
const aliveAt = (position: number) => `:\nid: ${position}\n\n`

/** An API key counts like a session. */
const sessionOf = ({ sessionId, userId, keyId }: Actor) => sessionId ?? `${userId}/${keyId}`

/** False when the stream has ended instead. */
const drained = (body: PassThrough): Promise<boolean> =>
  new Promise((resolve) => {
    const onDrain = () => settle(true)
    const onClose = () => settle(false)
    const settle = (isDrained: boolean) => {
      body.off('drain', onDrain).off('close', onClose)
      resolve(isDrained)
    }
    body.on('drain', onDrain).on('close', onClose)
    if (body.destroyed) settle(false)
  })
