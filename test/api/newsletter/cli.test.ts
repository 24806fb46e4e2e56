import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Db } from '#platform/database/database.ts'
import { newId } from '#vocabulary/ids.ts'
import { runKontor } from '../../support/child.ts'
import { PACKED_FLAGS } from '../../support/packed.ts'
import { createTestDatabases } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const ROOT = path.join(import.meta.dirname, '../../..')

const cli = (...args: string[]) => runKontor(['cli', ...args], used.api.databases.env)

async function makeSend({ db, id: businessId }: { db: Db; id: string }, status: string, more: object = {}) {
  const at = new Date()
  const send = {
    businessId,
    id: newId('snd'),
    entryId: newId('ent'),
    collectionId: 'col_1',
    status,
    onUncertain: 'SKIP',
  }
  await db
    .insertInto('newsletter.sends')
    .values({ ...send, scheduledAt: at, createdAt: at, updatedAt: at, ...more })
    .execute()
  const change = (changes: object) =>
    db.updateTable('newsletter.sends').set(changes).where('id', '=', send.id).execute()
  return { id: send.id, change }
}

/** The command, as long as it runs, with what it has printed so far. */
function startWatch(t: TestContext, ...args: string[]) {
  const child = spawn(
    process.execPath,
    [...PACKED_FLAGS, path.join(ROOT, 'bin/kontor.js'), 'cli', 'newsletter', 'watch', ...args],
    {
      env: { PATH: process.env.PATH ?? '', NODE_ENV: 'test', ...used.api.databases.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  t.after(() => child.kill('SIGKILL'))
  const printed = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (printed.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (printed.err += text))
  return { printed, exited: once(child, 'close') as Promise<[code: number | null]> }
}

describe('watching a send', { concurrency: true }, () => {
  test('--json prints a line for each change, and ends with the send', async (t) => {
    const business = await used.make.business({ cell: 'second' })
    const send = await makeSend(business, 'SCHEDULED')
    const { printed, exited } = startWatch(t, business.id, send.id, '--json')
    const lines = () =>
      printed.out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    await until('it is seen', () => lines().length === 1)
    await send.change({ status: 'RUNNING', startedAt: new Date(Date.now() - 10_000), total: 1_000, sent: 100 })
    await until('its start is seen', () => lines().length === 2)
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    assert.equal(lines().length, 2, 'time alone is no change')
    await send.change({ status: 'DONE', sent: 990, failed: 5, suppressed: 4, uncertain: 1, finishedAt: new Date() })
    assert.equal((await exited)[0], 0, printed.err)
    assert.deepEqual(
      lines().map(({ status, total, planned, sent, failed, suppressed, uncertain }) =>
        [status, total, planned, sent, failed, suppressed, uncertain].join(' '),
      ),
      ['SCHEDULED 0 0 0 0 0 0', 'RUNNING 1000 900 100 0 0 0', 'DONE 1000 0 990 5 4 1'],
    )
    const [, running] = lines()
    assert.ok(running.perSecond > 5 && running.perSecond <= 10, running.perSecond)
    assert.ok(running.estimatedEndAt > Date.now() / 1000)
  })

  test('a person sees counts, rate and estimated end; of a cancelled one the exit code is 1', async (t) => {
    const business = await used.make.business({ cell: 'main' })
    const startedAt = new Date(Date.now() - 10_000)
    const counts = { total: 2_000, sent: 1_000, failed: 3, suppressed: 2, uncertain: 1 }
    const send = await makeSend(business, 'RUNNING', { startedAt, ...counts })
    const { printed, exited } = startWatch(t, business.id, send.id)
    const counted = '1,000 sent, 3 failed, 2 suppressed, 1 uncertain of 2,000'
    await until('it is seen', () => printed.err.includes('\n'))
    assert.match(printed.err, new RegExp(`^RUNNING {2}50 % {2}${counted} {2}[\\d.]+/s {2}ends \\d{4}-[\\d:T-]+Z\\n$`))
    await send.change({ status: 'CANCELLED', finishedAt: new Date(), problem: 'title is required.' })
    assert.equal((await exited)[0], 1)
    assert.equal(printed.out, `CANCELLED: ${counted}\n`)
    assert.match(printed.err, /^CANCELLED {2}50 %/m)
    assert.match(printed.err, /^title is required\.$/m)
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(printed.err, /[\r\u001b]/, 'lines, not a bar: this is no terminal')
  })

  test('one that has ended is told at once; one that is not there, in a sentence', async () => {
    const business = await used.make.business()
    const other = await used.make.business({ cell: business.cell })
    const finishedAt = new Date()
    const send = await makeSend(business, 'DONE', { startedAt: finishedAt, finishedAt })
    const done = await cli('newsletter', 'watch', business.id, send.id)
    assert.deepEqual([done.code, /^DONE: 0 sent, .* of 0$/m.test(done.output)], [0, true], done.output)
    for (const [args, said] of [
      [[other.id, send.id], /Send not found/],
      [['biz_nobody', send.id], /Business biz_nobody not found/],
    ] as const) {
      const run = await cli('newsletter', 'watch', ...args)
      assert.equal(run.code, 1)
      assert.match(run.output, said)
      assert.doesNotMatch(run.output, /^\s+at /m)
    }
  })
})

test('outbound: an operator sees which deployment sends, and makes it this one', async () => {
  const databases = await createTestDatabases()
  try {
    const outbound = (command: string, deploymentId?: string) =>
      runKontor(['cli', 'outbound', command], {
        ...databases.env,
        ...(deploymentId ? { DEPLOYMENT_ID: deploymentId } : {}),
      })
    const look = await outbound('status', 'laptop')
    assert.equal(look.code, 0, look.output)
    assert.match(look.output, /^this deployment: laptop$/m)
    const nobody = await outbound('status')
    assert.match(nobody.output, /^this deployment: none \(DEPLOYMENT_ID is not set\)$/m)
    for (const cell of ['main', 'second']) {
      const said = new RegExp(`^${cell}: open, belongs to nobody yet, 0 running, 0 scheduled$`, 'm')
      for (const { output } of [look, nobody]) assert.match(output, said, 'a look stores nothing')
    }

    const refused = await outbound('enable')
    assert.equal(refused.code, 1)
    assert.match(refused.output, /^DEPLOYMENT_ID is not set/m)
    const enabled = await outbound('enable', 'blue')
    assert.deepEqual(
      [enabled.code, enabled.output],
      [0, 'main: newsletters leave from blue\nsecond: newsletters leave from blue\n'],
    )
    const green = await outbound('status', 'green')
    assert.match(green.output, /^this deployment: green\nmain: closed \(.*outbound enable\), belongs to blue,/m)
    assert.equal((await outbound('enable', 'green')).code, 0)
    assert.match((await outbound('status', 'green')).output, /^main: open, belongs to green,/m)
  } finally {
    await databases.drop()
  }
})

test('outbound status counts what runs and what waits', async () => {
  const business = await used.make.business({ cell: 'second' })
  for (const status of ['RUNNING', 'SCHEDULED', 'SCHEDULED', 'PAUSED', 'DONE', 'CANCELLED']) {
    await makeSend(business, status)
  }
  const { code, output } = await cli('outbound', 'status')
  assert.equal(code, 0, output)
  assert.match(output, /^second: .*, 1 running, 2 scheduled$/m)
})
