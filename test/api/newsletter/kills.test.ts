import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendStorm } from '../../scenarios/send-storm.ts'

test('every recipient is accounted for and none is mailed twice, however often a worker is killed and whatever the server does', async () => {
  const recipients = 5_000
  const report = await sendStorm({ recipients, kills: 3, seed: 20, perSecond: 900, withinMs: 60_000 })
  const { states, counters } = report

  assert.equal(report.status, 'DONE')
  assert.equal(report.total, recipients)
  assert.deepEqual(states, { ...states, PLANNED: 0, SENDING: 0, SUPPRESSED: 0, FAILED: 0 })
  assert.equal(states.SENT + states.UNCERTAIN, recipients)
  const counted = { sent: states.SENT, failed: 0, suppressed: 0, uncertain: states.UNCERTAIN, planned: 0 }
  assert.deepEqual(counters, counted, 'the counters are those of the rows')

  assert.deepEqual(report.duplicates, [])
  assert.deepEqual(report.unaccounted, [], 'what the server took is SENT or UNCERTAIN')
  assert.deepEqual(report.missing, [], 'what is SENT the server took')
  assert.deepEqual(
    [report.incomplete, report.unwanted],
    [0, 0],
    'each with its price and counted links, only to who fits',
  )
  assert.ok(states.UNCERTAIN <= report.maxUncertain, `${states.UNCERTAIN} of at most ${report.maxUncertain}`)

  // Otherwise it would have shown nothing.
  assert.ok(Math.max(...report.left) > 0, 'workers were killed while they were sending')
  assert.ok(report.deferred > 0 && report.dropped > 0 && report.droppedAfterContent > 0, 'the server was rough')
})
