import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createGate, createKind, createVisit, type Kind, type Outcome, type Visit } from './gate.ts'

const CONNECTIONS = 8
const [MIN, START] = [32, 128]

/** A gate on a clock that the test moves. */
function useGate(t: TestContext) {
  let time = 1_000
  let sweep: (() => void) | undefined
  const gate = createGate(CONNECTIONS, {
    now: () => time,
    every(_ms, work) {
      sweep = work
      return () => {
        sweep = undefined
      }
    },
  })
  t.after(() => gate.close())
  const inside: { visit: Visit; kind: Kind; business: string | undefined }[] = []
  /** The business is found as soon as the request is in, unless its name is an invention. */
  const enter = (kind: Kind, isGone = () => false, business?: string, isFound = !business?.startsWith('invented')) => {
    const entry: { outcome?: Outcome | undefined; visit?: Visit } = {}
    const settle = (outcome: Outcome) => {
      entry.outcome = outcome
      if (outcome !== 'in') return
      inside.push({ visit, kind, business })
      if (isFound && business) gate.found(visit, named(business))
    }
    const visit = createVisit(kind, isGone, settle, business)
    entry.visit = visit
    const outcome = gate.enter(visit)
    if (outcome) settle(outcome)
    return entry
  }
  const leave = (kind: Kind, tookMs: number | undefined, business?: string) => {
    const [first] = inside.splice(
      inside.findIndex((each) => each.kind === kind && each.business === business),
      1,
    )
    assert.ok(first)
    gate.leave(first.visit, tookMs)
  }
  const fill = (kind: Kind, count: number, business?: string) =>
    Array.from({ length: count }, () => enter(kind, undefined, business))
  const pass = (ms: number, stepMs = 10) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      time += stepMs
      sweep?.()
    }
  }
  return { ...gate, enter, leave, fill, pass }
}

const named = (name: string) => {
  const id = name.replace(/^slug of /, '')
  return { id, slug: `slug of ${id}` }
}

const outcomes = (entries: { outcome?: Outcome | undefined }[]) => entries.map(({ outcome }) => outcome)

test('one kind of work has half of the places at most; the other half is there for the rest', (t) => {
  const { enter, fill, state } = useGate(t)
  const [slow, quick] = [createKind(true), createKind(true)]
  const all = fill(slow, START)
  assert.equal(outcomes(all).filter((outcome) => outcome === 'in').length, START / 2)
  assert.equal(enter(quick).outcome, 'in')
  assert.deepEqual(state(), { limit: START, inside: START / 2 + 1, waiting: START / 2 })
})

test('who waits is let in when somebody leaves, if there is room for their kind, but not who has gone', (t) => {
  const { enter, fill, leave } = useGate(t)
  const [a, b, c] = [createKind(true), createKind(true), createKind(true)]
  fill(a, START / 2)
  fill(b, START / 2)
  const waiting = [enter(a), enter(a), enter(c, () => true), enter(c)]
  leave(a, 1)
  assert.deepEqual(outcomes(waiting), ['in', undefined, undefined, undefined])
  leave(b, 1)
  assert.deepEqual(outcomes(waiting), ['in', undefined, 'gone', 'in'])
  leave(a, 1)
  assert.deepEqual(outcomes(waiting), ['in', 'in', 'gone', 'in'])
})

test('who came first is next, whatever it is for; once somebody has waited for long, who came last', (t) => {
  const { enter, fill, leave, pass } = useGate(t)
  const [a, b, c] = [createKind(false), createKind(false), createKind(false)] // the limit stays the same
  fill(a, START / 2)
  fill(b, START / 2)
  const waiting: ReturnType<typeof enter>[] = []
  for (const kind of [c, a, c, a, c]) {
    waiting.push(enter(kind))
    pass(10)
  }
  leave(a, 1)
  leave(a, 1)
  assert.deepEqual(outcomes(waiting), ['in', 'in', undefined, undefined, undefined])
  pass(100)
  leave(a, 1)
  assert.deepEqual(outcomes(waiting), ['in', 'in', undefined, undefined, 'in'])
  leave(a, 1)
  assert.deepEqual(outcomes(waiting), ['in', 'in', undefined, 'in', 'in'])
})

test('nobody waits for longer than 350 ms', (t) => {
  const { enter, fill, pass } = useGate(t)
  const kind = createKind(true)
  fill(kind, START / 2)
  const waiting = enter(kind)
  pass(350)
  assert.equal(waiting.outcome, undefined)
  pass(20)
  assert.equal(waiting.outcome, 'full')
})

test('when many take long there are fewer places, but never too few to keep the database busy', (t) => {
  const { fill, leave, pass, state } = useGate(t)
  const kinds = [createKind(true), createKind(true)]
  for (let round = 0; round < 40; round++) {
    for (const kind of kinds) fill(kind, START)
    pass(470) // until the waiting requests are refused
    for (const kind of kinds) while (kind.inside > 0) leave(kind, 500)
    pass(110)
  }
  assert.ok(state().limit <= MIN * 1.2, `${state().limit}`)
  assert.ok(state().limit >= MIN)
})

test('when all are quick and some have to wait there are more places', (t) => {
  const { fill, leave, pass, state } = useGate(t)
  const kind = createKind(true)
  fill(kind, START)
  for (let count = 0; count < START / 4; count++) leave(kind, 5)
  pass(110)
  leave(kind, 5)
  assert.ok(state().limit > START)
})

test('how long those take that wait for others does not matter', (t) => {
  const { fill, leave, pass, state } = useGate(t)
  const upload = createKind(false)
  fill(upload, START / 2)
  pass(1_000)
  for (let count = 0; count < START / 2; count++) leave(upload, 60_000)
  pass(200)
  assert.equal(state().limit, START)
})

test('how long it took to find a database away does not matter either', (t) => {
  const { fill, leave, pass, state } = useGate(t)
  const kinds = [createKind(true), createKind(true)]
  for (const kind of kinds) fill(kind, START / 2)
  pass(1_000)
  for (const kind of kinds) while (kind.inside > 0) leave(kind, undefined)
  pass(200)
  assert.equal(state().limit, START)
})

const SHARE = 6
const count = (entries: { outcome?: Outcome | undefined }[], wanted: Outcome | undefined) =>
  entries.filter(({ outcome }) => outcome === wanted).length

test('a business that is alone may have every place that there is for its kind', (t) => {
  const { fill } = useGate(t)
  assert.equal(count(fill(createKind(true), START, 'a'), 'in'), START / 2)
})

test('as soon as there is another business, each has its share, and who is beyond it stands in nobody’s way', (t) => {
  const { enter, fill, leave } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  const many = fill(kind, 1_000, 'a')
  assert.equal(count(many, 'in'), SHARE)
  assert.equal(enter(kind, undefined, 'b').outcome, 'in')
  leave(kind, 1, 'a')
  assert.equal(count(many, 'in'), SHARE + 1)
  leave(kind, 1, 'b')
  assert.equal(count(many, 'in'), SHARE + 1)
})

test('ten seconds after the other has gone, a business has all places again', (t) => {
  const { enter, fill, pass } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  fill(kind, SHARE, 'a')
  pass(10_100)
  assert.equal(count(fill(kind, 10, 'a'), 'in'), 10)
})

test('who is over the share is refused after 350 ms, and not all at once', (t) => {
  const { enter, fill, pass } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  const many = fill(kind, 1_000 + SHARE, 'a')
  pass(350)
  assert.equal(count(many, 'over'), 0)
  pass(100)
  assert.equal(count(many, 'over'), 100)
})

test('an event loop that is late refuses no fewer in a second', (t) => {
  const { enter, fill, pass } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  const many = fill(kind, 1_000 + SHARE, 'a')
  pass(350)
  pass(500, 100)
  assert.equal(count(many, 'over'), 500)
})

test('however many businesses are over their shares, a thousand requests in a second are refused', (t) => {
  const { fill, pass } = useGate(t)
  const names = Array.from({ length: 15 }, (_, index) => `business ${index}`)
  for (const name of names) fill(createKind(true), 1, name)
  const many = names.flatMap((name) => fill(createKind(true), 49 + SHARE, name))
  pass(350)
  assert.equal(count(many, undefined), 15 * 50)
  pass(600)
  assert.equal(count(many, 'over'), 600)
})

test('nobody waits for a share for longer than three seconds, however many are refused at once then', (t) => {
  const { enter, fill, pass, state } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  const many = fill(kind, 4_000 + SHARE, 'a')
  pass(2_900)
  assert.ok(count(many, 'over') < 3_000)
  pass(110)
  assert.equal(count(many, 'over'), 4_000)
  assert.equal(state().waiting, 0)
})

test('who has gone while it was over the share, or was answered, is neither refused nor let in', (t) => {
  const { enter, fill, leave, pass, state } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  fill(kind, SHARE, 'a')
  const gone = enter(kind, () => true, 'a')
  const stays = enter(kind, undefined, 'a')
  pass(370)
  assert.deepEqual(outcomes([gone, stays]), ['gone', 'over'])
  leave(kind, 1, 'a')
  assert.equal(state().inside, SHARE) // one of them is of the other business
})

test('those of a business that wait for other servers leave its other requests their share', (t) => {
  const { enter, fill } = useGate(t)
  const [checkout, read] = [createKind(false), createKind(true)]
  enter(read, undefined, 'b')
  assert.equal(count(fill(checkout, START, 'a'), 'in'), START / 4)
  assert.equal(count(fill(read, START, 'a'), 'in'), SHARE)
})

test('a share that was set for a business counts, alone or not, until it is taken away', (t) => {
  const { enter, fill, setShare } = useGate(t)
  const kind = createKind(true)
  setShare('a', 2)
  assert.equal(count(fill(kind, 5, 'a'), 'in'), 2)
  setShare('b', 40)
  assert.equal(count(fill(kind, 50, 'b'), 'in'), 40)
  setShare('c', 1)
  setShare('c', undefined)
  enter(kind, undefined, 'd')
  assert.equal(count(fill(kind, SHARE, 'c'), 'in'), SHARE)
})

test('who has gone while it waited for its share takes none, and nothing is left of a business that has left', (t) => {
  const { enter, fill, leave, pass, state } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  fill(kind, SHARE, 'a')
  const gone = enter(kind, () => true, 'a')
  const next = enter(kind, undefined, 'a')
  leave(kind, 1, 'a')
  assert.deepEqual(outcomes([gone, next]), ['gone', 'in'])
  for (let left = 0; left < SHARE; left++) leave(kind, 1, 'a')
  leave(kind, 1, 'b')
  pass(20)
  assert.deepEqual(state(), { limit: START, inside: 0, waiting: 0 })
  assert.equal(count(fill(kind, SHARE + 1, 'a'), 'in'), SHARE)
})

test('names that nobody is known by meet nobody: a business alone keeps every place', (t) => {
  const { enter, fill, leave, pass } = useGate(t)
  const kind = createKind(true)
  for (let round = 0; round < 5; round++) {
    assert.equal(enter(kind, undefined, 'a').outcome, 'in')
    leave(kind, 1, 'a')
    enter(kind, undefined, `invented ${round}`)
    leave(kind, 1, `invented ${round}`)
    pass(10)
  }
  assert.equal(count(fill(kind, START, 'a'), 'in'), START / 2)
})

test('all names that nobody is known by have one share together', (t) => {
  const { enter } = useGate(t)
  const kind = createKind(true)
  const many = Array.from({ length: 100 }, (_, index) => enter(kind, undefined, `invented ${index}`))
  assert.equal(count(many, 'in'), SHARE)
  assert.equal(enter(kind, undefined, 'b').outcome, undefined) // waits with them, as it was not found yet
})

test('beside a flood of invented names, a business that was found before does not wait', (t) => {
  const { enter, fill, leave } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  leave(kind, 1, 'b')
  for (let index = 0; index < 10_000; index++) enter(kind, undefined, `invented ${index}`)
  assert.equal(count(fill(kind, START, 'b'), 'in'), START / 2 - SHARE)
})

test('a business has one share, whether it is asked for by its id or by its slug', (t) => {
  const { enter, fill } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  assert.equal(enter(kind, undefined, 'slug of a').outcome, 'in')
  assert.equal(count(fill(kind, SHARE, 'a'), 'in'), SHARE - 1)
  assert.equal(enter(kind, undefined, 'slug of a').outcome, undefined)
})

test('once a business is found, its requests that wait among the unknown ones wait for its own share', (t) => {
  const { enter, found, leave } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  const early = Array.from({ length: SHARE + 30 }, () => enter(kind, undefined, 'a', false))
  assert.equal(count(early, 'in'), SHARE)
  for (const { visit } of early.slice(0, SHARE)) if (visit) found(visit, named('a'))
  const most = 2 * SHARE - 1 // those that were being looked up when the first was found come on top, once
  assert.equal(count(early, 'in'), most)
  assert.equal(enter(kind, undefined, 'c').outcome, 'in') // the others are in nobody's way
  for (let left = 0; left < SHARE - 1; left++) leave(kind, 1, 'a')
  assert.equal(count(early, 'in'), most)
  leave(kind, 1, 'a')
  assert.equal(count(early, 'in'), most + 1)
})

test('thousands of businesses that wait to be found are let on one after another, however soon each is found', (t) => {
  const { enter, leave, state } = useGate(t)
  const kind = createKind(false)
  const blocking = Array.from({ length: START / 4 }, (_, index) => enter(kind, undefined, `invented ${index}`))
  assert.equal(count(blocking, 'in'), START / 4)
  const many = Array.from({ length: 3_000 }, (_, index) => enter(kind, undefined, `business ${index}`))
  leave(kind, 1, 'invented 0')
  assert.ok(count(many, 'in') > 0)
  assert.equal(state().limit, START)
})

test('what is known of names does not grow with the names that callers invent', (t) => {
  const { enter, leave, fill } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'a')
  leave(kind, 1, 'a')
  for (let index = 0; index < 50_000; index++) {
    enter(kind, undefined, `invented ${index}`)
    leave(kind, 1, `invented ${index}`)
  }
  fill(kind, SHARE, 'invented')
  assert.equal(enter(kind, undefined, 'a').outcome, 'in') // still known, so it does not wait with them
})

test('of many businesses those that were found long ago are forgotten, and found again', (t) => {
  const { enter, leave, fill } = useGate(t)
  const kind = createKind(true)
  for (let index = 0; index < 25_000; index++) {
    enter(kind, undefined, `business ${index}`)
    leave(kind, 1, `business ${index}`)
    if (index % 1_000 > 0) continue
    enter(kind, undefined, 'a') // is asked for now and then
    leave(kind, 1, 'a')
  }
  fill(kind, SHARE, 'invented')
  assert.equal(enter(kind, undefined, 'a').outcome, 'in')
  assert.equal(enter(kind, undefined, 'business 24999').outcome, 'in')
  assert.equal(enter(kind, undefined, 'business 0').outcome, undefined)
})

const HELD = 8_000

test('one business has half of the places of those who wait for their shares', (t) => {
  const { enter, fill, state } = useGate(t)
  const kind = createKind(true)
  enter(kind, undefined, 'b')
  fill(kind, SHARE, 'a')
  const many = fill(kind, HELD, 'a')
  assert.equal(count(many, 'over'), HELD / 2)
  assert.equal(state().waiting, HELD / 2)
})

test('when all of these places are taken, who has the most loses its oldest, and not who has few the newest', (t) => {
  const { enter, fill, state } = useGate(t)
  const kind = createKind(true)
  for (const name of ['a', 'b', 'c', 'd']) fill(kind, SHARE, name)
  const [a, c, d] = [fill(kind, 3_500, 'a'), fill(kind, 3_000, 'c'), fill(kind, 1_500, 'd')]
  const small = fill(kind, 20, 'b')
  assert.equal(count(small, 'over'), 0)
  assert.deepEqual(
    [a, c, d].map((entries) => count(entries, 'over')),
    [20, 0, 0],
  )
  assert.equal(a[19]?.outcome, 'over')
  assert.equal(a[20]?.outcome, undefined)
  assert.equal(enter(kind, undefined, 'a').outcome, 'over') // nobody has more than it
  assert.equal(state().waiting, HELD)
})
