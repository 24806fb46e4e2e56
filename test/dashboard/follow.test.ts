import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { dashboardSource } from '../support/dashboard-source.ts'

type Message = { id?: string; data?: string; retryMs?: number }
type Following = { state: string; number: number; at: number }
type Feed = {
  newest: (signal: AbortSignal) => Promise<number>
  pages: (after: number, signal: AbortSignal) => AsyncIterable<{ events: []; last: number }>
  open: (after: number, signal: AbortSignal) => Promise<AsyncIterable<Message> | 'none' | 'refused'>
  isForbidden: (error: unknown) => boolean
}
type Listener = { begin: () => void; hear: (events: readonly unknown[]) => void; tell: (now: Following) => void }

/** How often the service writes to a stream. */
const HEARTBEAT_MS = 5_000
const STEP_MS = 100

const browser = { onLine: true }
Object.defineProperty(globalThis, 'navigator', { value: browser, configurable: true })
Object.defineProperty(globalThis, 'document', { value: { hidden: false }, configurable: true })
const page = new EventTarget()
Object.assign(globalThis, {
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
})
const { follow } = (await dashboardSource('live/follow.ts')) as {
  follow: (feed: Feed, listener: Listener, signal: AbortSignal) => Promise<void>
}

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.UTC(2026, 0, 5, 10, 43) }))
let close = async () => {}
afterEach(async () => {
  await close()
  mock.timers.reset()
  browser.onLine = true
})

/** Lets all promises settle after each step of the clock. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    mock.timers.tick(STEP_MS)
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }
}

function setOnline(isOnline: boolean): void {
  browser.onLine = isOnline
  page.dispatchEvent(new Event(isOnline ? 'online' : 'offline'))
}

/** `delayMs` is how long a response or a heartbeat takes; the connection is `open`, `silent`, or `refused`. */
function startFollowing({ hasStream = true, delayMs = () => 0 }: { hasStream?: boolean; delayMs?: () => number } = {}) {
  const service = { connection: 'open' as 'open' | 'silent' | 'refused', requests: 0, aborted: 0, sentAt: 0 }
  const states: Following[] = []
  const ended = new AbortController()
  const wait = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        service.aborted++
        reject(new Error('aborted'))
      })
    })
  const respond = async (signal: AbortSignal) => {
    service.requests++
    if (service.connection === 'refused') throw new Error('refused')
    await wait(service.connection === 'silent' ? 3_600_000 : delayMs(), signal)
  }
  async function* messages(signal: AbortSignal): AsyncGenerator<Message> {
    for (;;) {
      if (service.connection === 'refused') throw new Error('reset')
      service.sentAt = Date.now()
      yield { id: '7' }
      await wait(HEARTBEAT_MS, signal)
      await wait(service.connection === 'silent' ? 3_600_000 : delayMs(), signal)
    }
  }
  const feed: Feed = {
    newest: async (signal) => respond(signal).then(() => 7),
    async *pages(after, signal) {
      await respond(signal)
      yield { events: [], last: after }
    },
    open: async (_after, signal) => {
      await respond(signal)
      return hasStream ? messages(signal) : 'none'
    },
    isForbidden: () => false,
  }
  const listener = { begin() {}, hear() {}, tell: (now: Following) => void states.push(now) }
  const over = follow(feed, listener, ended.signal)
  close = async () => {
    ended.abort()
    await over
  }
  return { service, states, names: () => states.map(({ state }) => state) }
}

test('a silent connection is reported within 15 seconds, with the time of the last heartbeat, and comes back', async () => {
  const { service, states, names } = startFollowing()
  await pass(21_000)
  assert.deepEqual(names(), ['live'])
  const { sentAt } = service
  service.connection = 'silent'
  await pass(11_000)
  assert.deepEqual(names(), ['live'])
  await pass(3_000)
  assert.deepEqual(names(), ['live', 'waiting'])
  assert.equal(states.at(-1)?.at, sentAt)
  await pass(60_000)
  assert.deepEqual(names(), ['live', 'waiting'])
  assert.equal(states.at(-1)?.at, sentAt)
  service.connection = 'open'
  await pass(14_000)
  assert.deepEqual(names(), ['live', 'waiting', 'live'])
})

test('each request is aborted when it is not answered, and sent again', async () => {
  const { service } = startFollowing()
  service.connection = 'silent'
  await pass(60_000)
  assert.ok(service.requests >= 4, `${service.requests} requests in a minute`)
  assert.ok(service.requests <= 10, `${service.requests} requests in a minute`)
  assert.ok(service.aborted >= service.requests - 1)
})

test('a refused connection is reported at once', async () => {
  const { service, names } = startFollowing()
  await pass(6_000)
  service.connection = 'refused'
  await pass(HEARTBEAT_MS) // until the stream breaks
  assert.deepEqual(names(), ['live', 'waiting'])
  service.connection = 'open'
  await pass(4_000)
  assert.deepEqual(names(), ['live', 'waiting', 'live'])
})

test('a browser that goes offline is reported at once, though its stream is still open, and nothing is requested', async () => {
  const { service, states, names } = startFollowing()
  await pass(20_000)
  const { sentAt } = service
  setOnline(false)
  assert.deepEqual(names(), ['live', 'offline'])
  assert.equal(states.at(-1)?.at, sentAt)
  const { requests } = service
  await pass(120_000)
  assert.deepEqual(names(), ['live', 'offline'])
  assert.equal(service.requests, requests)
  setOnline(true)
  await pass(2 * STEP_MS) // the request is sent in one step, and answered in the next
  assert.deepEqual(names(), ['live', 'offline', 'live'])
})

test('without a stream, silence and a lost network are reported as well', async () => {
  const { service, names } = startFollowing({ hasStream: false })
  await pass(10_000)
  assert.deepEqual(names(), ['polling'])
  service.connection = 'silent'
  await pass(15_000)
  assert.deepEqual(names(), ['polling', 'waiting'])
  service.connection = 'open'
  await pass(15_000)
  setOnline(false)
  await pass(STEP_MS)
  assert.deepEqual(names(), ['polling', 'waiting', 'polling', 'offline'])
})

test('heartbeats that are up to 3 seconds late are no alarm', async () => {
  let count = 0
  const delays = [3_000, 0, 1_500, 3_000, 100]
  const { names } = startFollowing({ delayMs: () => delays[count++ % delays.length] ?? 0 })
  await pass(600_000)
  assert.deepEqual(names(), ['live'])
})

test('a machine that slept reconnects at once', async () => {
  const { service, names } = startFollowing()
  await pass(6_000)
  const { requests } = service
  mock.timers.setTime(Date.now() + 8 * 3_600_000)
  await pass(2_000)
  assert.equal(service.requests, requests + 1)
  assert.deepEqual(names(), ['live', 'waiting', 'live'])
})
