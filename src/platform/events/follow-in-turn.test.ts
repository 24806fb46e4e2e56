import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOLLOW_BATCH, FOLLOW_PAGE, followInTurn } from './follow-in-turn.ts'

/** Businesses with so many events each; `broken` ones cannot be followed. */
function feeds(waiting: Map<string, number>, broken = new Set<string>()) {
  const turns: string[] = []
  const failed: string[] = []
  const follow = (signal?: AbortSignal) =>
    followInTurn({
      listBehind: async (after) =>
        [...waiting.keys()]
          .filter((id) => id > after && (waiting.get(id) ?? 0) > 0)
          .sort()
          .slice(0, FOLLOW_PAGE),
      async followBatch(id) {
        if (broken.has(id)) throw new Error('broken')
        if (turns.at(-1) !== id) turns.push(id)
        const left = waiting.get(id) ?? 0
        const count = Math.min(left, FOLLOW_BATCH)
        waiting.set(id, left - count)
        return count
      },
      failed: (id) => void failed.push(id),
      signal,
    })
  return { follow, turns, failed }
}

const idOf = (index: number) => `biz_${String(index).padStart(4, '0')}`

test('everybody who is behind has a turn, however many cannot be followed before them', async () => {
  const broken = new Set(Array.from({ length: 250 }, (_, index) => idOf(index)))
  const waiting = new Map(Array.from({ length: 260 }, (_, index) => [idOf(index), 3]))
  const { follow, turns, failed } = feeds(waiting, broken)
  assert.equal(await follow(), 30)
  assert.equal(turns.length, 10)
  assert.equal(failed.length, 250)
})

test('whoever has much to catch up with goes on after the others had their turn', async () => {
  const waiting = new Map([
    [idOf(1), 1_000_000],
    [idOf(2), 1],
  ])
  const { follow, turns } = feeds(waiting)
  assert.equal(await follow(), 20 * FOLLOW_BATCH + 1)
  assert.deepEqual(turns, [idOf(1), idOf(2)])
  assert.equal(await follow(), 20 * FOLLOW_BATCH)
})

test('it ends when it is told to', async () => {
  const { follow } = feeds(new Map([[idOf(1), 10]]))
  assert.equal(await follow(AbortSignal.abort()), 0)
})
