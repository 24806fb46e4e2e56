import type { Browser, BrowserContext } from 'playwright-core'
import { violationsOn } from './axe.ts'
import { addressOf, openContext, settle } from './desk.ts'
import type { Journey } from './journey.ts'
import { loseAnswers } from './losses.ts'
import { inpOf, listen, readSeen, slowDown } from './meter.ts'
import { createPerson, type Hands } from './person.ts'
import type { Service } from './service.ts'
import type { Shop } from './shop.ts'

const SLOWER = 4
const KEY_DELAY_MS = 60
const LOST_SHARE = 0.3
const LOSSY_RUNS = 3
const LOSSY_PATIENCE_MS = 60_000

export type Tried = {
  journey: Journey
  hands: Hands
  actions: number
  /** What hands and head take, by the model. */
  handSeconds: number
  /** What the machine took, each time. */
  waits: number[]
  requests: number
  steps: number
  violations: string[]
  inp: number
  interactions: number[]
  tasksWhileTyping: number[]
  lossy: Lossy | undefined
}

export type Lossy = { runs: number; lost: number; actions: number; problem: string | undefined }

type Way = { looks?: boolean; isSlow?: boolean; losesFrom?: number }

/** A quick one times each journey once: does it work here? */
type World = { browser: Browser; service: Service; shop: Shop; isQuick: boolean }

/** One journey with one pair of hands: looked at, timed, slowed down, and some with a line that loses answers. */
export async function tryJourney(world: World, journey: Journey, hands: Hands): Promise<Tried> {
  const context = await openContext(world.browser, world.service, !journey.isDoor)
  const once = (way: Way) => go(world, context, journey, hands, way)
  try {
    const looked = await once({ looks: true })
    const timed = []
    const runs = world.isQuick ? 1 : journey.runs
    for (let run = 0; run < runs; run++) timed.push(await once({}))
    const slow = await once({ isSlow: true })
    const [first = looked] = timed
    return {
      journey,
      hands,
      actions: Math.max(...timed.map(({ actions }) => actions)),
      handSeconds: Math.max(...timed.map(({ handSeconds }) => handSeconds)),
      waits: timed.map(({ waited }) => waited),
      requests: first.requests,
      steps: looked.steps,
      violations: looked.violations,
      inp: slow.inp,
      interactions: slow.interactions,
      tasksWhileTyping: slow.tasksWhileTyping,
      lossy: journey.isTriedWithLosses ? await tryWithLosses(once, world.isQuick ? 1 : LOSSY_RUNS) : undefined,
    }
  } finally {
    await context.close()
  }
}

/** Its own figure: what was timed before stands, also where this fails. */
async function tryWithLosses(once: (way: Way) => ReturnType<typeof go>, runs: number): Promise<Lossy> {
  const done: Awaited<ReturnType<typeof go>>[] = []
  let problem: string | undefined
  try {
    for (let run = 0; run < runs; run++) done.push(await once({ losesFrom: run + 1 }))
  } catch (error) {
    problem = (error as Error).message.split('\n')[0]
  }
  return {
    runs: done.length,
    lost: done.reduce((sum, { lost }) => sum + lost, 0),
    actions: Math.max(0, ...done.map(({ actions }) => actions)),
    problem,
  }
}

async function go({ service, shop }: World, context: BrowserContext, journey: Journey, hands: Hands, way: Way) {
  const about = await journey.prepare(shop)
  if (journey.isDoor) await context.clearCookies()
  const page = await context.newPage()
  const calls = listen(page)
  const violations: string[] = []
  let steps = 0
  const look = async (name: string) => {
    steps += 1
    await settle(page)
    violations.push(...(await violationsOn(page)).map((one) => `${name}, ${one}`))
  }
  try {
    const { place } = journey
    await journey.open?.(page)
    await page.goto(addressOf(service, typeof place === 'string' ? place : place(about)))
    await journey.isReady(page)
    await settle(page)
    await calls.quiet()
    if (way.isSlow) await slowDown(page, SLOWER)
    const losses = way.losesFrom === undefined ? undefined : await loseAnswers(page, LOST_SHARE, way.losesFrom)
    if (losses) page.setDefaultTimeout(LOSSY_PATIENCE_MS)
    const person = createPerson(page, hands, {
      ...(way.isSlow && { keyDelayMs: KEY_DELAY_MS }),
      ...(way.looks && { onStep: look }),
    })
    calls.begin()
    const since = performance.now()
    await (hands === 'mouse' ? journey.byMouse : journey.byKeyboard)(person, about)
    const waited = (performance.now() - since) / 1_000
    const requests = calls.count()
    const seen = await readSeen(page)
    await journey.check(shop, about, page)
    const { interactions, tasksWhileTyping } = seen
    return {
      actions: person.actions(),
      handSeconds: person.handSeconds(),
      waited,
      requests,
      steps,
      violations,
      inp: inpOf(seen),
      interactions,
      tasksWhileTyping,
      lost: losses?.lost() ?? 0,
    }
  } catch (error) {
    const folder = process.env.SCREENSHOTS
    if (folder) await page.screenshot({ path: `${folder}/journey-${journey.number}-${hands}.png` }).catch(() => {})
    throw error
  } finally {
    await page.close()
  }
}
