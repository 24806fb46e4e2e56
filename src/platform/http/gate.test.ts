import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createGate, createKind, type Kind, type Outcome } from './gate.ts'

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
  const enter = (kind: Kind, isGone = () => false) => {
    const entry: { outcome?: Outcome | undefined } = {}
    entry.outcome = gate.enter(kind, isGone, (outcome) => {
      entry.outcome = outcome
    })
    return entry
  }
  const fill = (kind: Kind, count: number) => Array.from({ length: count }, () => enter(kind))
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      time += 10
      sweep?.()
    }
  }
  return { ...gate, enter, fill, pass }
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
