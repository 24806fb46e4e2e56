import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page, Request } from 'playwright-core'

/** What the browser tells about itself, from the first line of each page on. */
const OBSERVE = `(() => {
  const seen = { events: [], tasks: [], shift: 0, paint: 0, rows: 0 }
  const watch = (type, take, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more })
  watch('event', ({ interactionId, duration, name }) => {
    if (interactionId) seen.events.push({ interactionId, duration, name })
  }, { durationThreshold: 16 })
  watch('longtask', ({ startTime, duration }) => seen.tasks.push({ startTime, duration }))
  watch('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.shift += value })
  watch('largest-contentful-paint', ({ startTime }) => { seen.paint = startTime })
  new MutationObserver((_, observer) => {
    if (!document.querySelector('tbody tr[data-index] a')) return
    seen.rows = performance.now()
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })
  globalThis.seen = seen
})()`

export const observe = (context: BrowserContext) => context.addInitScript(OBSERVE)

export type Seen = {
  /** The longest of each interaction, in ms. */
  interactions: number[]
  /** Tasks of more than 50 ms while somebody typed, in ms. */
  tasksWhileTyping: number[]
  /** How much was moved without being asked: the sum of all layout shifts. */
  shift: number
  /** Of the largest thing on the page, in ms. */
  paint: number
  /** When the list had its first row, in ms. */
  rows: number
}

type Raw = {
  events: { interactionId: number; duration: number }[]
  tasks: { startTime: number; duration: number }[]
  shift: number
  paint: number
  rows: number
  marks: { name: string; startTime: number }[]
}

/** What was seen since the page was loaded. Events are told of after the frame that they led to. */
export async function readSeen(page: Page): Promise<Seen> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 150)))')
  const raw = (await page.evaluate(
    `({ ...seen, marks: performance.getEntriesByType('mark').map(({ name, startTime }) => ({ name, startTime })) })`,
  )) as Raw
  const longest = new Map<number, number>()
  for (const { interactionId, duration } of raw.events)
    longest.set(interactionId, Math.max(longest.get(interactionId) ?? 0, duration))
  const begins = raw.marks.filter(({ name }) => name === 'typing begins')
  const ends = raw.marks.filter(({ name }) => name === 'typing ends')
  const whiles = begins.map(({ startTime }, index) => [startTime, ends[index]?.startTime ?? Infinity] as const)
  const tasksWhileTyping = raw.tasks
    .filter(({ startTime, duration }) => whiles.some(([from, to]) => startTime < to && startTime + duration > from))
    .map(({ duration }) => duration)
  const { shift, paint, rows } = raw
  return { interactions: [...longest.values()], tasksWhileTyping, shift, paint, rows }
}

/** Interaction to Next Paint of a page with few interactions is the longest of them. */
export const inpOf = ({ interactions }: Seen): number => Math.max(0, ...interactions)

const QUIET_MS = 400

type Asked = { what: string; from: number; to: number }

/** Calls of the API, without the stream of events, which stays open. */
export function listen(page: Page) {
  let asked: Asked[] = []
  const isCall = (request: Request) =>
    /\/v1\/|\/admin\/session/.test(request.url()) && !request.url().endsWith('/events/stream')
  const open = new Map<Request, Asked>()
  page.on('request', (request) => {
    if (!isCall(request)) return
    const one = {
      what: `${request.method()} ${new URL(request.url()).pathname}`,
      from: performance.now(),
      to: Infinity,
    }
    open.set(request, one)
    asked.push(one)
  })
  const end = (request: Request) => {
    const one = open.get(request)
    if (one) one.to = performance.now()
  }
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return {
    begin: () => {
      asked = []
    },
    count: () => asked.length,
    what: () => asked.map(({ what }) => what),
    /** The longest chain in which each began after the one before had ended. */
    inSequence: () => {
      const depths = new Map<Asked, number>()
      for (const one of asked) {
        const before = asked.filter(({ to }) => to <= one.from).map((other) => depths.get(other) ?? 0)
        depths.set(one, 1 + Math.max(0, ...before))
      }
      return Math.max(0, ...depths.values())
    },
    /** Everything is answered, and nothing more is asked for a while. */
    quiet: async () => {
      const isDone = () =>
        asked.every(({ to }) => to < Infinity) &&
        performance.now() - Math.max(0, ...asked.map(({ to }) => to)) > QUIET_MS
      while (!isDone()) await sleep(QUIET_MS / 4)
    },
  }
}

export type Line = { latencyMs: number; mbitDown: number; mbitUp: number }

/** A slower machine, and a longer line. */
export async function slowDown(page: Page, times: number, line?: Line): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: times })
  if (!line) return
  const bytes = (mbit: number) => (mbit * 1_000_000) / 8
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: line.latencyMs,
    downloadThroughput: bytes(line.mbitDown),
    uploadThroughput: bytes(line.mbitUp),
  })
}
