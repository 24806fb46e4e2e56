import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../../dev/ports.ts'
import { startS3Twin } from '../../../twins/s3/server.ts'
import { runCli } from '../../support/cli.ts'
import { startApi } from '../../support/start-api.ts'

type Check = { check: string; status: string; says: string; fix?: string }

/** The checks of media alone; no database is needed for them. */
async function examine(env: Record<string, string>) {
  const run = await runCli(['doctor', '--json'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', ...env })
  const checks = (run.json.checks as Check[]).filter(({ check }) => check.startsWith('media'))
  return { out: run.out, statuses: checks.map(({ status }) => status), last: checks.at(-1) }
}

test('without a store media are off', async () => {
  assert.deepEqual((await examine({})).statuses, ['off'])
})

test('a store that speaks S3 is tried, with an upload as a browser sends it', async (t) => {
  const twin = await startS3Twin()
  t.after(() => twin.close())
  const well = await examine(twin.env)
  assert.deepEqual(well.statuses, ['ok', 'ok'], well.out)

  const stranger = await examine({ ...twin.env, S3_ACCESS_KEY_ID: 'NOBODY' })
  assert.deepEqual(stranger.statuses, ['failed'], stranger.out)
  assert.match(stranger.last?.fix ?? '', /S3_ACCESS_KEY_ID/)
  const wrong = await examine({ ...twin.env, S3_SECRET_ACCESS_KEY: 'not-the-secret' })
  assert.match(wrong.last?.fix ?? '', /S3_SECRET_ACCESS_KEY/)
  assert.doesNotMatch(wrong.out, /not-the-secret/)
  const nowhere = await examine({ ...twin.env, S3_BUCKET: 'missing' })
  assert.match(nowhere.last?.fix ?? '', /Create the bucket/)
  const gone = await examine({ ...twin.env, S3_ENDPOINT: 'http://127.0.0.1:1' })
  assert.deepEqual(gone.statuses, ['failed'], gone.out)
  assert.match(gone.last?.fix ?? '', /S3_ENDPOINT/)
})

test('a folder is tried through the API that takes its uploads, and nothing is left in it', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kontor-media-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const port = await freePort(3_900)
  const env = { MEDIA_STORAGE: `folder:${folder}`, PUBLIC_URL: `http://127.0.0.1:${port}`, NODE_ENV: 'test' }
  const alone = await examine(env)
  assert.deepEqual(alone.statuses, ['ok', 'warning'], alone.out)
  assert.match(alone.last?.says ?? '', /does not answer/)

  const api = await startApi({ port, publicUrl: env.PUBLIC_URL, env: { MEDIA_STORAGE: env.MEDIA_STORAGE } })
  t.after(() => api.close())
  const well = await examine(env)
  assert.deepEqual(well.statuses, ['ok', 'ok'], well.out)
  assert.deepEqual(readdirSync(path.join(folder, 'incoming')), [])

  const locked = await examine({ ...env, MEDIA_STORAGE: 'folder:/dev/null/media' })
  assert.deepEqual(locked.statuses, ['failed'], locked.out)
  assert.match(locked.last?.fix ?? '', /write to \/dev\/null\/media/)
})
