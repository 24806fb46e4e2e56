import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, mock, test } from 'node:test'
import { Rejected } from './problems.ts'
import { checkContent } from './sniff.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'kontor-sniff-'))
after(() => rmSync(folder, { recursive: true }))

test('a PNG of very many parts is read in few pieces, and its end is still found', async () => {
  const part = (type: string) => Buffer.from(`\0\0\0\0${type}\0\0\0\0`, 'latin1')
  const whole = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'),
    Buffer.alloc(100_000 * 12, part('teSt')),
    part('IEND'),
  ])
  const file = path.join(folder, 'many.png')
  writeFileSync(file, whole)
  const handle = await open(file)
  const reading = mock.method(Object.getPrototypeOf(handle) as typeof handle, 'read')
  await handle.close()
  await checkContent(file, 'image/png')
  assert.ok(reading.mock.callCount() < 100, `${reading.mock.callCount()} reads`)
  reading.mock.restore()
  writeFileSync(file, Buffer.concat([whole, Buffer.alloc(1_000, 'A')]))
  await assert.rejects(checkContent(file, 'image/png'), new Rejected('HIDDEN_CONTENT'))
})
