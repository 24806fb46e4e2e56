import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Clock, createGate, createKind, createVisit } from './gate.ts'

// A process with one event loop, 8 connections and one core for its database, on a virtual clock: seconds of a storm
// take milliseconds, and come out the same each time. It shows what the gate does; how much a machine can do is
// measured by `npm run proof -- overload`.

const CONNECTIONS = 8
const SECONDS = 30
const WARM_UP_MS = 5_000
const PARSE_MS = 0.03
const REFUSE_MS = 0.05
const MAX_BATCH = 50

/**
 * `loop` and `db`: milliseconds in the event loop and in the database; `others`: milliseconds waiting for other
 * servers.
 */
type Work = { name: string; share: number; loop: number; db: number; isBatched?: boolean; others?: number }

const MIXED: Work[] = [
  { name: 'read', share: 0.8, loop: 0.3, db: 2, isBatched: true },
  { name: 'list', share: 0.1, loop: 0.4, db: 3 },
  { name: 'checkout', share: 0.1, loop: 1.2, db: 8 },
]
const BATCHED: Work[] = [
  { name: 'read', share: 0.8, loop: 0.15, db: 4, isBatched: true },
  { name: 'write', share: 0.2, loop: 0.2, db: 6 },
]
const PROVIDER: Work[] = [
  { name: 'read', share: 0.7, loop: 0.3, db: 2, isBatched: true },
  { name: 'checkout', share: 0.3, loop: 1, db: 4, others: 300 },
]
const HEAVY: Work[] = [
  { name: 'search', share: 0.6, loop: 0.5, db: 80 },
  { name: 'read', share: 0.4, loop: 0.4, db: 1 },
]

type Next = () => void

/** Events in the order of their time; the same seed gives the same numbers. */
function createWorld() {
  const events: { at: number; work: Next }[] = []
  let seed = 1
  const world = {
    time: 0,
    random() {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
      return seed / 0x7fffffff
    },
    around: (ms: number) => -ms * Math.log(1 - world.random()),
    at(at: number, work: Next) {
      let [from, to] = [0, events.length]
      while (from < to) {
        const middle = (from + to) >> 1
        if ((events[middle]?.at ?? 0) > at) from = middle + 1
        else to = middle
      }
      events.splice(from, 0, { at, work }) // the soonest is the last
    },
    runUntil(end: number) {
      for (let next = events.pop(); next && next.at <= end; next = events.pop()) {
        world.time = next.at
        next.work()
      }
    },
  }
  return world
}
type World = ReturnType<typeof createWorld>

const clockOf = (world: World): Clock => ({
  now: () => world.time,
  every(ms, work) {
    let isOver = false
    const tick = () => {
      if (isOver) return
      work()
      world.at(world.time + ms, tick)
    }
    world.at(world.time + ms, tick)
    return () => {
      isOver = true
    }
  },
})

function createMachine(world: World) {
  let [loopFree, coreFree, busy, lanes] = [0, 0, 0, 0]
  const waiting: { ms: number; next: Next }[] = []
  const batch: Next[] = []
  const machine = {
    loop(ms: number, next: Next) {
      loopFree = Math.max(loopFree, world.time) + ms
      world.at(loopFree, next)
    },
    db(ms: number, next: Next) {
      if (busy < CONNECTIONS) run(ms, next)
      else waiting.push({ ms, next })
    },
    /** Two statements at a time, each for all requests collected meanwhile (request batching). */
    dbTogether(ms: number, next: Next) {
      batch.push(next)
      if (lanes === 2) return
      lanes++
      runBatch(ms)
    },
  }
  function run(ms: number, next: Next) {
    busy++
    coreFree = Math.max(coreFree, world.time) + ms / 2
    world.at(Math.max(world.time + ms, coreFree), () => {
      busy--
      const waiter = waiting.shift()
      if (waiter) run(waiter.ms, waiter.next)
      next()
    })
  }
  function runBatch(ms: number) {
    const together = batch.splice(0, MAX_BATCH)
    if (together.length === 0) return void lanes--
    machine.db(ms * (0.7 + 0.06 * together.length), () => {
      for (const next of together) next()
      runBatch(ms)
    })
  }
  return machine
}

/** Of several businesses, how much each is asked for. */
type Asked = { business: string; load: number }

/** `load`: a multiple of what the machine could serve without batching and without refusals. */
function simulate(mix: readonly Work[], load: number | readonly Asked[]) {
  const world = createWorld()
  const machine = createMachine(world)
  const gate = createGate(CONNECTIONS, clockOf(world))
  const kinds = mix.map((work) => ({ ...work, kind: createKind(!work.others) }))
  const cost = (of: (work: Work) => number) => mix.reduce((sum, work) => sum + work.share * of(work), 0)
  const perMs =
    1 /
    Math.max(
      cost(({ loop }) => loop),
      cost(({ db }) => db / 2),
    )
  const times: number[] = []
  const of = new Map<string | undefined, { times: number[]; refused: number }>()
  const partOf = (business: string | undefined) => {
    const part = of.get(business) ?? { times: [], refused: 0 }
    of.set(business, part)
    return part
  }

  function ask({ kind, loop, db, isBatched, others = 0 }: (typeof kinds)[number], business: string | undefined) {
    const born = world.time
    const work = () => {
      const since = world.time
      const end = () => {
        gate.leave(visit, world.time - since)
        if (born <= WARM_UP_MS) return
        times.push(world.time - born)
        partOf(business).times.push(world.time - born)
      }
      const answer = () => world.at(world.time + others, () => machine.loop(world.around(loop * 0.4), end))
      if (business !== undefined) gate.found(visit, { id: business, slug: business })
      const query = () => (isBatched ? machine.dbTogether(db, answer) : machine.db(world.around(db), answer))
      machine.loop(world.around(loop * 0.6), query)
    }
    const refuse = () => {
      if (born > WARM_UP_MS) partOf(business).refused++
      machine.loop(REFUSE_MS, () => {})
    }
    const isGone = () => false
    const visit = createVisit(kind, isGone, (later) => (later === 'in' ? work() : refuse()), business)
    machine.loop(PARSE_MS, () => {
      const outcome = gate.enter(visit)
      if (outcome === 'in') work()
      else if (outcome) refuse()
    })
  }
  function arrive(load: number, business: string | undefined) {
    world.at(world.time + world.around(1 / (perMs * load)), () => arrive(load, business))
    let draw = world.random()
    ask(kinds.find(({ share }) => (draw -= share) < 0) ?? (kinds[0] as (typeof kinds)[number]), business)
  }
  if (typeof load === 'number') arrive(load, undefined)
  else for (const each of load) arrive(each.load, each.business)
  world.runUntil(SECONDS * 1_000)
  times.sort((a, b) => a - b)
  const done = times.length / (perMs * (SECONDS * 1_000 - WARM_UP_MS))
  const ofBusiness = (business: string) => {
    const { times, refused } = partOf(business)
    times.sort((a, b) => a - b)
    return { done: times.length / (perMs * (SECONDS * 1_000 - WARM_UP_MS)), p99: p99Of(times), refused }
  }
  return { done, p99: p99Of(times), limit: gate.limit(), ofBusiness }
}

const p99Of = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.99)] ?? 0

function run(t: TestContext, mix: readonly Work[], load: number) {
  const { done, p99, limit } = simulate(mix, load)
  t.diagnostic(`${load} times: ${Math.round(done * 100)} % done, p99 ${Math.round(p99)} ms, ${limit} places`)
  return { done, p99, limit }
}

test('what can be done is done, and nobody is refused', (t) => {
  const { done, p99 } = run(t, MIXED, 0.8)
  assert.ok(done > 0.78 && p99 < 50)
})

test('three times as much: most of the capacity is left for work, and who is served is served soon', (t) => {
  const { done, p99 } = run(t, MIXED, 3)
  assert.ok(done > 0.7 && p99 < 800)
})

test('more places where many together cost less: with the fewest, half as much would be done', (t) => {
  const { done, p99, limit } = run(t, BATCHED, 3)
  assert.ok(done > 2.5 && p99 < 500 && limit > 8 * 4 * CONNECTIONS)
})

test('the fewest where each takes long: with more, all of them would wait longer', (t) => {
  const { done, p99, limit } = run(t, HEAVY, 3)
  assert.ok(done > 1 && p99 < 1_300 && limit < 1.5 * 4 * CONNECTIONS)
})

test('those who wait for somebody else hold their places for long, and keep nobody out', (t) => {
  const { done, p99 } = run(t, PROVIDER, 0.8)
  assert.ok(done > 0.78 && p99 < 400)
})

test('beside a business that is asked for three times the capacity, others are served as if it were busy, not flooded', (t) => {
  const small = [
    { business: 'b', load: 0.02 },
    { business: 'c', load: 0.02 },
  ]
  const busy = simulate(MIXED, [{ business: 'a', load: 0.7 }, ...small]).ofBusiness('b')
  const storm = simulate(MIXED, [{ business: 'a', load: 3 }, ...small])
  const [beside, noisy] = [storm.ofBusiness('b'), storm.ofBusiness('a')]
  t.diagnostic(
    `beside a busy one p99 ${Math.round(busy.p99)} ms, beside a flooded one ${Math.round(beside.p99)} ms, which gets ${Math.round(noisy.done * 100)} %`,
  )
  assert.equal(beside.refused, 0)
  assert.ok(beside.p99 < 60)
  assert.ok(noisy.done > 0.7)
})

const FOUND_MS = 2
const WORK_MS = 20

/** So many of a name in so many milliseconds. Each has work for 20 ms if it is of a business, and is refused after 2 if it is not. */
type Calls = { name: () => string; count: number; everyMs: number; isInvented?: boolean }

/** Nothing but the gate: how many of each are let in, and how many are refused. */
function callAt(connections: number, all: readonly Calls[]) {
  const world = createWorld()
  const gate = createGate(connections, clockOf(world))
  const kind = createKind(true)
  const counts = all.map(({ name, count, everyMs, isInvented }) => {
    const of = { done: 0, refused: 0 }
    const call = () => {
      const id = name()
      const settle = (outcome: string) => {
        if (outcome !== 'in') return void of.refused++
        of.done++
        const leave = (ms: number) => world.at(world.time + ms, () => gate.leave(visit, ms))
        if (isInvented) return leave(FOUND_MS)
        world.at(world.time + FOUND_MS, () => gate.found(visit, { id, slug: id }))
        leave(WORK_MS)
      }
      const visit = createVisit(kind, () => false, settle, id)
      const outcome = gate.enter(visit)
      if (outcome) settle(outcome)
    }
    const arrive = () => {
      for (let index = 0; index < count; index++) call()
      if (world.time < SECONDS * 1_000 - everyMs) world.at(world.time + everyMs, arrive)
    }
    world.at(0, arrive)
    return of
  })
  world.runUntil(SECONDS * 1_000 + 500)
  return counts
}

test('one request every nine seconds for an invented business takes nothing from a business that is alone', () => {
  let invented = 0
  const [alone] = callAt(10, [
    { name: () => 'a', count: 1, everyMs: 1 },
    { name: () => `invented ${invented++}`, count: 1, everyMs: 9_000, isInvented: true },
  ])
  assert.deepEqual(alone, { done: SECONDS * 1_000, refused: 0 })
})

test('a flood of invented names takes nothing from a business, not even from one that was not found before', () => {
  let invented = 0
  const [flood, steady] = callAt(8, [
    { name: () => `invented ${invented++}`, count: 2, everyMs: 1, isInvented: true },
    { name: () => 'b', count: 20, everyMs: 500 },
  ])
  assert.ok(flood && flood.done > 50_000)
  assert.deepEqual(steady, { done: 1_200, refused: 0 })
})

for (const perMs of [1, 2, 3, 5])
  test(`beside a business that is asked for ${perMs},000 times a second, none of a neighbour’s requests is refused`, () => {
    const [noisy, neighbour] = callAt(8, [
      { name: () => 'a', count: perMs, everyMs: 1 },
      { name: () => 'b', count: 20, everyMs: 500 },
    ])
    assert.ok(noisy && noisy.done > 8_000)
    assert.deepEqual(neighbour, { done: 1_200, refused: 0 })
  })

test('beside three businesses that are asked for too much neither', () => {
  const noisy = ['a', 'c', 'd'].map((name) => ({ name: () => name, count: 2, everyMs: 1 }))
  const [neighbour] = callAt(8, [{ name: () => 'b', count: 20, everyMs: 500 }, ...noisy])
  assert.deepEqual(neighbour, { done: 1_200, refused: 0 })
})
