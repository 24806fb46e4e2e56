import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobs } from '../../../src/apps/jobs.ts'
import { CARRIED_JOBS, LEFT_JOBS } from '../../../src/apps/portable/carried-jobs.ts'

test('of every job of a cell that names a business, it is said whether archives carry it', () => {
  const named = jobs.filter(({ on, payload }) => on === 'cell' && 'businessId' in (payload.properties ?? {}))
  assert.deepEqual(
    [...CARRIED_JOBS, ...Object.keys(LEFT_JOBS)].sort(),
    named.map(({ name }) => name).sort(),
    'add it to carried-jobs.ts: carried, if its payload names nothing but the business and its own rows',
  )
})
