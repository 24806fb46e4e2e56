import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeadJob, JobQueue } from '../types.ts'
import { businessesOf, groupsOf } from './groups.ts'

const job = (name: string, diedAt: number, more: Partial<DeadJob> = {}): DeadJob => ({
  id: `main:${diedAt}`,
  cell: 'main',
  name,
  businessId: null,
  businessName: null,
  attempts: 3,
  error: 'Boom',
  createdAt: 1,
  diedAt,
  ...more,
})
const queue = (name: string, dead: number, cell = 'main'): JobQueue => ({
  cell,
  name,
  ready: 0,
  running: 0,
  scheduled: 0,
  dead,
  oldestReadyAt: null,
})

test('the kind that died last is on top, with how many there are in all cells and the most frequent error first', () => {
  const jobs = [job('mail', 30, { error: 'refused' }), job('hook', 20), job('mail', 10), job('mail', 5)]
  const [first, second] = groupsOf([queue('hook', 1), queue('mail', 3), queue('mail', 4, 'second')], jobs)
  assert.deepEqual([first?.name, first?.dead, first?.since, first?.last], ['mail', 7, 5, 30])
  assert.deepEqual(first?.errors, [
    { error: 'Boom', count: 2 },
    { error: 'refused', count: 1 },
  ])
  assert.deepEqual([second?.name, second?.dead], ['hook', 1])
})

test('a kind of which none was read is there with its number; one without dead jobs is not', () => {
  const groups = groupsOf([queue('old', 2), queue('well', 0)], [])
  assert.deepEqual(
    groups.map(({ name, dead, since }) => [name, dead, since]),
    [['old', 2, undefined]],
  )
})

test('each business is named once, by its number if it has no name any more', () => {
  const of = (businessId: string, businessName: string | null) => job('mail', 1, { businessId, businessName })
  assert.deepEqual(businessesOf([of('biz_1', 'Nordlicht'), of('biz_2', null), of('biz_1', 'Nordlicht'), job('x', 1)]), [
    { id: 'biz_1', name: 'Nordlicht' },
    { id: 'biz_2', name: 'biz_2' },
  ])
})
