import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { runCli } from '../../support/cli.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const cli = (...args: string[]) => runCli(args, used.api.databases.env)
const directory = mkdtempSync(path.join(tmpdir(), 'kontor-cli-'))
after(() => rmSync(directory, { recursive: true }))

test('subscribers go in without a worker, again without doubling anything, and out', async () => {
  const paper = await openNewsletter(used.make, { cell: 'second' })
  const file = path.join(directory, 'readers.csv')
  writeFileSync(file, 'email,name,plan\nada@example.com,Ada,\nbob@example.com,Bob,\nnonsense,,\n')
  const first = await cli('import', 'subscribers', paper.id, file, '--json')
  assert.equal(first.code, 1, 'a line failed')
  const { importId, errors, unknownColumns, ...counts } = first.json
  assert.deepEqual(counts, { created: 2, updated: 0, skipped: 0, failed: 1 })
  assert.deepEqual(unknownColumns, [{ name: 'plan', suggestions: ['planId'] }])
  assert.match(errors[0].message, /email/)
  assert.match(first.err, /^importing 100 % {2}3 of 3 subscribers/m)
  assert.match(first.err, new RegExp(`--resume ${importId}`))
  const again = await cli('import', 'subscribers', paper.id, file, '--newsletter', paper.collection.id)
  assert.match(again.out, /^0 created, 2 updated, 0 left alone, 1 failed$/m)
  assert.match(again.err, /^column plan was not imported; did you mean planId\?$/m)
  assert.equal(await paper.state('ada@example.com'), 'ACTIVE')

  const out = path.join(directory, 'out.csv')
  const [written, printed] = await Promise.all([
    cli('export', 'subscribers', paper.id, out, '--json'),
    cli('export', 'subscribers', paper.id, '--json'),
  ])
  assert.deepEqual(written.json, { file: out, bytes: readFileSync(out).length })
  assert.match(readFileSync(out, 'utf8'), /ada@example\.com/)
  assert.deepEqual(
    printed.lines.map(({ email }) => email),
    ['ada@example.com', 'bob@example.com'],
  )
})

test('a newsletter has to be named when there are several, and a file is whole or not there', async () => {
  const paper = await openNewsletter(used.make)
  const none = await used.make.business()
  const other = await paper.admin.post(`${paper.path}/collections`, { name: 'Other', type: 'NEWSLETTER' })
  const lost = path.join(directory, 'nowhere/out.csv')
  const [which, unknown, nothing, named, nowhere, twice] = await Promise.all([
    cli('export', 'subscribers', paper.id),
    cli('export', 'subscribers', paper.id, '--newsletter', 'col_nobody'),
    cli('export', 'subscribers', none.id),
    cli('export', 'subscribers', paper.id, '--newsletter', other.body.slug),
    cli('export', 'subscribers', paper.id, lost, '--newsletter', other.body.id),
    cli('export', 'products', paper.id, '--format', 'csv', '--json'),
  ])
  assert.match(which.err, /more than one newsletter; name it with --newsletter: col_\w+ \(/)
  assert.match(unknown.err, /has no newsletter col_nobody\. It has: col_/)
  assert.match(nothing.err, /has no newsletter\. It has: none\./)
  assert.match(nowhere.err, /cannot be written/)
  assert.deepEqual(
    [which, unknown, nothing, named, nowhere, twice].map(({ code }) => code),
    [1, 1, 1, 0, 1, 2],
  )
  assert.equal(existsSync(lost), false)
})
