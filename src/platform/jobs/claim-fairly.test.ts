import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimFairly } from './claim-fairly.ts'

function useRows(...rows: [businessId: string, count: number][]) {
  const due = rows.flatMap(([businessId, count]) => Array.from({ length: count }, () => ({ businessId })))
  const claim = async (limit: number, except: readonly string[]) => {
    const claimed = due.filter(({ businessId }) => !except.includes(businessId)).slice(0, limit)
    for (const row of claimed) due.splice(due.indexOf(row), 1)
    return claimed
  }
  return (limit: number) => claimFairly(limit, claim).then((all) => all.map(({ businessId }) => businessId).join(''))
}

test('one with many that are due has half of a batch, if others have enough', async () => {
  assert.equal(await useRows(['a', 100], ['b', 100])(10), 'aaaaabbbbb')
})

test('and all that the others leave', async () => {
  assert.equal(await useRows(['a', 100], ['b', 2])(10), 'aaaaabbaaa')
  assert.equal(await useRows(['a', 100])(10), 'aaaaaaaaaa')
})

test('what is due is claimed as it comes while it fits', async () => {
  assert.equal(await useRows(['a', 2], ['b', 2])(10), 'aabb')
})
