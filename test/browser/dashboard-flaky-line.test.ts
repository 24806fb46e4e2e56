import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { workOverFlakyLine } from '../scenarios/flaky-desk.ts'
import { launchBrowser } from '../scenarios/xss.ts'

let browser: Browser
before(async () => {
  browser = await launchBrowser()
})
after(() => browser?.close())

test('over a line that loses three answers in ten, what was asked is done once, and said to be done when it is', async () => {
  const outcome = await workOverFlakyLine({ browser, actions: 16, people: 2, seed: 7 })
  const { doubled, lost, falselySaid, refused, unbegun, complaints } = outcome
  assert.deepEqual(
    { doubled, lost, falselySaid, refused, unbegun, complaints },
    { doubled: [], lost: [], falselySaid: [], refused: [], unbegun: [], complaints: [] },
  )
  assert.ok(outcome.line.lostBefore + outcome.line.lostAfter > 0, 'answers were lost')
})
