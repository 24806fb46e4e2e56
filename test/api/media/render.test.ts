import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { Rejected } from '#modules/media/problems.ts'
import { RenderTimeout, render } from '#modules/media/render.ts'
import { photo } from '../../support/hostile-files.ts'
import { until } from '../../support/until.ts'

const out = mkdtempSync(path.join(tmpdir(), 'kontor-render-test-'))
after(() => rmSync(out, { recursive: true, force: true }))

/** The processes of this one that make renditions. */
function renderers(): string[] {
  const threads = readdirSync('/proc/self/task')
  const children = threads.flatMap((id) => readFileSync(`/proc/self/task/${id}/children`, 'utf8').split(' '))
  return children.filter(Boolean).filter((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('render-child')
    } catch {
      return false // ended meanwhile
    }
  })
}

async function make(businessId: string, bytes: Buffer, maxMs?: number) {
  const file = path.join(out, 'picture')
  writeFileSync(file, bytes)
  const { signal } = new AbortController()
  const task = { file, out, mimeType: 'image/jpeg', make: 'webp' as const }
  await render(task, { businessId, signal, ...(maxMs === undefined ? {} : { maxMs }) })
  return renderers()
}

test('pictures of a business are made by one process, and those of another by another', async () => {
  const bytes = await photo(60, 40)
  const first = await make('biz_one', bytes)
  assert.deepEqual(await make('biz_one', bytes), first)
  const both = await make('biz_two', bytes)
  assert.ok(both.some((id) => !first.includes(id)))
  assert.deepEqual((await make('biz_one', bytes)).toSorted(), both.toSorted())
})

test('a process that has seen a bad picture, or one that took too long, is not used again', async () => {
  const bytes = await photo(60, 40)
  const before = await make('biz_bad', bytes)
  await assert.rejects(make('biz_bad', bytes.subarray(0, 300)), Rejected)
  await until('it has ended', () => renderers().length < before.length)
  const again = await make('biz_bad', bytes)
  assert.ok(again.some((id) => !before.includes(id)))
  await assert.rejects(make('biz_bad', await photo(2_000, 1_500), 20), RenderTimeout)
  await until('it has ended', () => renderers().length < again.length)
})
