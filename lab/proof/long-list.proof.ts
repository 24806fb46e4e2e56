import type { CDPSession, Page } from 'playwright-core'
import { fillOrders } from '../../test/scenarios/fill-orders.ts'
import { launchBrowser } from '../../test/support/browser.ts'
import { enter, openDashboard } from '../../test/support/served-dashboard.ts'
import { until } from '../../test/support/until.ts'
import { median, percentile, type Run } from '../report/figures.ts'

export const title = 'Is a list of 100,000 orders as light as a short one?'

const STEP_PX = 400
const ROW_PX = 32
const MOST_ROWS = 60
const FRAME_MS = 16.7
const HEAP_MB = 150
const JUMP_MS = 300
const BACK_MS = 50

/** One business with 100,000 orders, its list scrolled, jumped in, left and come back to. */
export async function run({ quick, note }: Run) {
  const orders = quick ? 10_000 : 100_000
  const scrolled = quick ? 1_000 : 5_000
  const [desk, browser] = await Promise.all([openDashboard(), launchBrowser()])
  try {
    const shop = await desk.make.shop()
    await fillOrders(shop.db, { businessId: shop.id, orders, businesses: 0, ordersEach: 0 }, note)
    const { page, context, complaints } = await enter(browser)
    const browserSide = await context.newCDPSession(page)
    await page.goto(await desk.doorOf(shop.admin))
    await page.waitForURL(/\/admin\/business/)
    const list = `/admin/${shop.slug}/orders`
    await page.goto(desk.url + list)
    await page.locator('tbody tr[data-index]').first().waitFor()
    const heapAtFirst = await heapOf(browserSide)
    await browserSide.send('Performance.enable', { timeDomain: 'threadTicks' })
    const workBefore = await workOf(browserSide)

    const { frames, mostRows, rows } = await scroll(page, scrolled)
    const work = (await workOf(browserSide)) - workBefore
    const heap = await heapOf(browserSide)
    note(
      `scrolled to row ${rows}; p50 ${median(frames).toFixed(1)} ms, p99 ${percentile(frames, 99).toFixed(1)} ms, ${frames.length} frames`,
    )
    const idle = await idleFrames(page)
    note(`frames of a page at rest, p95: ${percentile(idle, 95).toFixed(1)} ms`)

    const backs = []
    for (let turn = 0; turn < 5; turn++) backs.push(await leaveAndComeBack(page))
    const jumps = []
    for (const day of ['2025-03-01', '2024-07-15', '2026-01-31', '2024-02-02', '2025-11-11'])
      jumps.push(await jumpTo(page, list, day))
    note(
      `back: ${backs.map(({ ms }) => ms.toFixed(0)).join(', ')} ms; jumps: ${jumps.map((ms) => ms.toFixed(0)).join(', ')} ms`,
    )
    for (const words of [...complaints, ...backs.flatMap(({ requests }) => requests)]) note(words)
    const moved = Math.max(...backs.map(({ movedPx }) => movedPx))
    const asked = Math.max(...backs.map(({ requests }) => requests.length))
    const most = (name: string, value: number, unit: string, limit: number) => ({
      name,
      value,
      unit,
      goal: `≤ ${limit}`,
      ok: value <= limit,
    })
    return {
      figures: [
        { name: 'orders', value: orders, unit: '' },
        { name: 'rows scrolled through', value: rows, unit: '' },
        most('rows in the page, at most', mostRows, '', MOST_ROWS),
        most('frame while scrolling, p95', percentile(frames, 95), 'ms', FRAME_MS),
        { name: 'work for each frame, mean', value: work / frames.length, unit: 'ms of the processor' },
        { name: 'frame of the page at rest, p95', value: percentile(idle, 95), unit: 'ms' },
        { name: 'heap at first', value: heapAtFirst, unit: 'MB' },
        most('heap after scrolling', heap, 'MB', HEAP_MB),
        most('jump to a date, p95', percentile(jumps, 95), 'ms', JUMP_MS),
        most(
          'back to the list, p95',
          percentile(
            backs.map(({ ms }) => ms),
            95,
          ),
          'ms',
          BACK_MS,
        ),
        most('moved by coming back', moved, 'px', 1),
        most('requests before it is shown again', asked, '', 0),
        most('complaints of the page', complaints.length, '', 0),
      ],
    }
  } finally {
    await browser.close()
    await desk.close()
  }
}

/** After what nobody needs any more is gone. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 2 ** 20
}

/** What the page itself took, however busy the machine is. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
}

/** As fast as a wheel turns, waiting for the next page of the list where it is not there yet. Frames while it waits count as well. */
function scroll(page: Page, rows: number) {
  return page.evaluate<{ frames: number[]; mostRows: number; rows: number }>(`(async () => {
    const frames = []
    let mostRows = 0
    let before = performance.now()
    const next = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const lastRow = () => Number([...document.querySelectorAll('tbody tr[data-index]')].at(-1)?.dataset.index ?? 0)
    const since = performance.now()
    while (lastRow() < ${rows} && performance.now() - since < 240000) {
      scrollBy(0, ${STEP_PX})
      await next()
      const now = performance.now()
      frames.push(now - before)
      before = now
      mostRows = Math.max(mostRows, document.querySelectorAll('tbody tr[data-index]').length)
    }
    return { frames, mostRows, rows: lastRow() }
  })()`)
}

const idleFrames = (page: Page) =>
  page.evaluate<number[]>(`(async () => {
    const frames = []
    let before = performance.now()
    for (let at = 0; at < 120; at++) {
      const now = await new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now())))
      frames.push(now - before)
      before = now
    }
    return frames
  })()`)

/** Opens the order in the middle of the window, then goes back: how long until its row is there again, and where. */
async function leaveAndComeBack(page: Page) {
  const row = page.locator('tbody tr[data-index]').nth(20)
  const number = await row.locator('.no').innerText()
  const place = await page.evaluate<number>('scrollY')
  await row.locator('a').first().click()
  await page.getByRole('heading', { level: 1, name: number }).waitFor()
  await until('it is read', async () => (await page.locator('[aria-busy=true], .bone').count()) === 0)
  return page.evaluate<{ ms: number; requests: string[]; movedPx: number }>(`(async () => {
    const start = performance.now()
    const requests = []
    const fetched = globalThis.fetch
    globalThis.fetch = (...asked) => { requests.push(String(asked[0]?.url ?? asked[0])); return fetched(...asked) }
    history.back()
    const isThere = () => [...document.querySelectorAll('tbody .no')].some((one) => one.textContent === ${JSON.stringify(number)})
    while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve))
    const ms = performance.now() - start
    const before = [...requests]
    globalThis.fetch = fetched
    await new Promise((resolve) => requestAnimationFrame(resolve))
    return { ms, requests: before, movedPx: Math.abs(scrollY - ${place}) }
  })()`)
}

/** The list up to a day, by its address as the filter makes it; until its rows are there. */
async function jumpTo(page: Page, list: string, day: string): Promise<number> {
  const ms = await page.evaluate<number>(`(async () => {
    const first = () => document.querySelector('tbody tr[data-index="0"] .no')?.textContent
    const before = first() ?? ''
    const start = performance.now()
    __TSR_ROUTER__.history.push('${list}?to=${day}')
    while (first() === undefined || first() === before) await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - start
  })()`)
  await page.waitForTimeout(ROW_PX)
  return ms
}
