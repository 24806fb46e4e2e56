import { KontorError } from '@kontor/sdk'
import { keyOf, type Level } from '../level.ts'
import { type Choice, type Count, isNothing, itemOf, type Trouble, troubleOf } from './count.ts'

export type Told = { changed: number; delta: number; variants: number }
export type World = {
  /** Undefined: nobody can be asked. */
  lookUp: (text: string) => Promise<Level[] | undefined>
  /** By `keyOf`. */
  readFresh: (productIds: string[]) => Promise<ReadonlyMap<string, Level>>
  /** Whether a movement of the kind COUNT came after this number. */
  isCountedSince: (level: Level) => Promise<boolean>
  /** Sends them once; fails with an answer of the service only. */
  ask: (counts: readonly Count[]) => Promise<Told>
  keep: (count: Count) => Promise<void>
  drop: (counts: readonly Count[]) => Promise<void>
}

const MOST_ITEMS = 500
const TROUBLES: Record<string, Trouble> = { COUNTED_SINCE: 'counted', OUT_OF_STOCK: 'below', NOT_FOUND: 'unknown' }

/**
 * Brings in what can be. What needs a person is kept with the reason why, and holds up nobody else's count. Throws only if the line is
 * cut before anything was asked: all is kept then.
 */
export async function bringIn(counts: readonly Count[], world: World): Promise<Told> {
  const sum: Told = { changed: 0, delta: 0, variants: 0 }
  const ready = await check(counts, world)
  for (let at = 0; at < ready.length; at += MOST_ITEMS) {
    const told = await send(ready.slice(at, at + MOST_ITEMS), world)
    for (const name of ['changed', 'delta', 'variants'] as const) sum[name] += told[name]
  }
  return sum
}

/** Those that may be sent. The others are kept with their trouble. */
async function check(counts: readonly Count[], world: World): Promise<Count[]> {
  const named: Count[] = []
  for (const count of counts.filter(({ trouble }) => !trouble)) {
    const known = count.level ? count : await name(count, world)
    if (known) named.push(known)
  }
  const fresh = await world.readFresh(named.map(({ level }) => (level as Level).productId))
  const ready: Count[] = []
  for (const count of named) {
    const now = fresh.get(keyOf(count.level as Level))
    const trouble = now ? await explain(count, now, world) : 'unknown'
    if (trouble) await world.keep({ ...count, fresh: now, trouble })
    else ready.push(count)
  }
  return ready
}

/** What was scanned without a line. It is read after it was counted, so a person is asked about that. */
async function name(count: Count, world: World): Promise<Count | undefined> {
  const found = await world.lookUp(count.text)
  if (!found) throw new Error('There is no line.')
  const [level, ...others] = found
  const isOne = level && others.length === 0 && level.sku.toLowerCase() === count.text.toLowerCase()
  await world.keep(isOne ? { ...count, level, fresh: level, trouble: 'late' } : { ...count, trouble: 'unknown' })
  return undefined
}

async function explain(count: Count, now: Level, world: World): Promise<Trouble | undefined> {
  const trouble = troubleOf(count, now)
  return trouble === 'moved' && (await world.isCountedSince(count.level as Level)) ? 'counted' : trouble
}

/** All or none is written: without those that are refused the others are asked again. */
async function send(counts: readonly Count[], world: World): Promise<Told> {
  const meant = counts.filter((count) => {
    const item = itemOf(count)
    return item && !isNothing(item)
  })
  if (meant.length === 0) {
    await world.drop(counts)
    return { changed: 0, delta: 0, variants: 0 }
  }
  try {
    const told = await world.ask(meant)
    await world.drop(counts)
    return told
  } catch (error) {
    const refused = refusedBy(error)
    if (refused.size === 0) throw error
    const fresh = await world.readFresh(meant.map(({ level }) => (level as Level).productId)).catch(() => undefined)
    for (const [index, trouble] of refused) {
      const count = meant[index]
      if (!count) continue
      const now = fresh?.get(keyOf(count.level as Level)) ?? count.fresh
      await world.keep({ ...count, fresh: now, trouble, choice: undefined })
    }
    return send(
      counts.filter((count) => ![...refused.keys()].some((index) => meant[index] === count)),
      world,
    )
  }
}

/** By the place of an item, why it was refused. */
function refusedBy(error: unknown): Map<number, Trouble> {
  const refused = new Map<number, Trouble>()
  if (!(error instanceof KontorError)) return refused
  for (const { field, error: code } of error.details) {
    const index = /^items\.(\d+)/.exec(field)?.[1]
    const trouble = TROUBLES[code]
    if (index !== undefined && trouble) refused.set(Number(index), trouble)
  }
  return refused
}

/** What a person may say to each trouble. */
export const CHOICES: Record<Trouble, readonly Choice[]> = {
  unknown: [],
  moved: ['before', 'after'],
  late: ['after'],
  counted: ['add'],
  below: ['none'],
  unsure: [],
}
