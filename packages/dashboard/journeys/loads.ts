import type { Browser, Locator, Page } from 'playwright-core'
import { median } from '../../../lab/report/figures.ts'
import { addressOf, openContext, settle } from './desk.ts'
import { type Line, listen, readSeen, slowDown } from './meter.ts'
import type { Service } from './service.ts'

const RUNS = 5
const QUICK_RUNS = 1
/** A slow machine on a slow line; the second is what Lighthouse calls a desktop. */
const SLOW_LINE: Line = { latencyMs: 150, mbitDown: 1.6, mbitUp: 0.75 }
const DESK_LINE: Line = { latencyMs: 40, mbitDown: 10, mbitUp: 10 }

export type Loads = { runs: number; cold: number; warm: number; paint: number; shift: number }

/** How long it takes until the list of orders can be used: from nothing, and with what the browser kept. */
export async function measureLoads(browser: Browser, service: Service, isQuick: boolean): Promise<Loads> {
  const runs = isQuick ? QUICK_RUNS : RUNS
  const cold: number[] = []
  const warm: number[] = []
  const paint: number[] = []
  const shift: number[] = []
  for (let run = 0; run < runs; run++) {
    const context = await openContext(browser, service)
    const load = async (times: number, line: Line) => {
      const page = await context.newPage()
      await slowDown(page, times, line)
      await page.goto(addressOf(service, '/orders'))
      await page.locator('tbody tr[data-index]').first().waitFor()
      await settle(page)
      const seen = await readSeen(page)
      await page.close()
      return seen
    }
    cold.push((await load(4, SLOW_LINE)).rows / 1_000)
    warm.push((await load(4, SLOW_LINE)).rows / 1_000)
    await context.close()
    const desk = await openContext(browser, service)
    const page = await desk.newPage()
    await slowDown(page, 1, DESK_LINE)
    await page.goto(addressOf(service, '/orders'))
    await page.locator('tbody tr[data-index]').first().waitFor()
    await settle(page)
    const seen = await readSeen(page)
    paint.push(seen.paint / 1_000)
    shift.push(seen.shift)
    await desk.close()
  }
  return { runs, cold: median(cold), warm: median(warm), paint: median(paint), shift: Math.max(...shift) }
}

export type Opened = { name: string; inAll: number; inSequence: number; what: string[] }

/** What each page asks the API for when it is opened from another one. */
export async function countRequests(browser: Browser, service: Service): Promise<Opened[]> {
  const context = await openContext(browser, service)
  const page = await context.newPage()
  const calls = listen(page)
  const opened: Opened[] = []
  /** `sees`: what is there only once it is open. Before, its code may still be on the way, and nothing was asked. */
  const open = async (name: string, sees: Locator, go: () => Promise<unknown>) => {
    calls.begin()
    await go()
    await sees.first().waitFor()
    await settle(page)
    await calls.quiet()
    opened.push({ name, inAll: calls.count(), inSequence: calls.inSequence(), what: calls.what() })
  }
  // None of those that are counted: what it had read would not be asked for again.
  await page.goto(addressOf(service, '/letters'))
  await settle(page)
  await calls.quiet()
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const goTo = (name: string) => page.getByRole('link', { name }).first().click()
  await open('home', page.locator('.hero .figure .value'), () => goTo('Home'))
  await open('orders', heading('Orders'), () => goTo('Orders'))
  await open('an order', page.locator('.record'), () => openFirst(page))
  await open('customers', heading('Customers'), () => goTo('Customers'))
  await open('a customer', page.locator('.record'), () => openFirst(page))
  await open('a new order', heading('New order'), async () => {
    await goTo('Orders')
    await settle(page)
    await calls.quiet()
    calls.begin()
    await page.getByRole('button', { name: 'New order' }).click()
  })
  await context.close()
  return opened
}

const openFirst = (page: Page) => page.locator('tbody tr a:visible').first().click()
