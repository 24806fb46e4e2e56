import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { runKontor } from '../../support/child.ts'
import { movementsOf, rowsLeft, toLines } from '../../support/imports.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const directory = mkdtempSync(path.join(tmpdir(), 'kontor-cli-'))
after(() => rmSync(directory, { recursive: true }))

let count = 0
function writeTemporary(content: string | Buffer, ending: string): string {
  const file = path.join(directory, `${++count}.${ending}`)
  writeFileSync(file, content)
  return file
}
const products = (command: string, ...args: string[]) =>
  runKontor(['cli', command, 'products', ...args], used.api.databases.env)

const GOOD = toLines([
  { name: 'Mug', variants: [{ sku: 'M', inventory: { quantity: 3 } }] },
  { name: 'Bowl', statuses: [{ status: 'ACTIVE' }] },
])

describe('the command line', { concurrency: true }, () => {
  test('a file is imported without a worker, again without doubling anything, and exported', async () => {
    const shop = await used.make.shop({ cell: 'second' })
    const file = writeTemporary(GOOD, 'ndjson')
    const first = await products('import', shop.id, file)
    assert.equal(first.code, 0, first.output)
    assert.match(first.output, /^reading {3}100 % {2}\d+ of \d+ bytes/m)
    assert.match(first.output, /^imp_\w+ \(if this is interrupted: --resume imp_\w+\)$/m)
    assert.match(first.output, /^importing 100 % {2}2 of 2 products/m)
    assert.match(first.output, /^2 created, 0 updated, 0 failed$/m)
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(first.output, /[\r\u001b]/, 'lines, not a bar: this is no terminal')
    const ledger = await movementsOf(shop.db, shop.id)
    assert.deepEqual(
      ledger.map(({ kind, userId }) => [kind, userId]),
      [['IMPORT', null]],
    )

    const second = await products('import', shop.id, file)
    assert.match(second.output, /^0 created, 0 updated, 2 unchanged, 0 failed$/m)
    assert.deepEqual(await movementsOf(shop.db, shop.id), ledger)

    const [out, csv] = [path.join(directory, 'out.ndjson'), path.join(directory, 'out.CSV')]
    const exported = await products('export', shop.id, out)
    assert.equal(exported.code, 0)
    assert.match(exported.output, /^writing [\d,]+ bytes/)
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).name),
      ['Mug', 'Bowl'],
    )
    assert.equal((await products('export', shop.id, csv)).code, 0)
    assert.match(readFileSync(csv, 'utf8'), /^slug,name,.*\nmug,Mug,/)
    const printed = await products('export', shop.id, '--format', 'csv')
    assert.equal(printed.output, readFileSync(csv, 'utf8'))
    assert.equal((await products('export', shop.id)).output, readFileSync(out, 'utf8'))
  })

  test('lines that fail are told, with an exit code', async () => {
    const shop = await used.make.shop()
    const bad = Array.from({ length: 25 }, () => ({ name: '' }))
    const run = await products('import', shop.id, writeTemporary(GOOD + toLines(bad), 'ndjson'))
    assert.equal(run.code, 1, run.output)
    assert.match(run.output, /^2 created, 0 updated, 25 failed$/m)
    assert.match(run.output, /^line 3: .*name/im)
    assert.match(run.output, /^and 5 more$/m)
  })

  test('the ending of the file, or --format, says what it is', async () => {
    const shop = await used.make.shop()
    const csv = 'slug,name\nmug,Mug\n'
    assert.match((await products('import', shop.id, writeTemporary(csv, 'csv'))).output, /^1 created/m)
    assert.match(
      (await products('import', shop.id, writeTemporary(csv, 'txt'), '--format', 'csv')).output,
      /1 unchanged/,
    )
    const unknown = await products('import', shop.id, writeTemporary(csv, 'txt'), '--format', 'xlsx')
    assert.equal(unknown.code, 2)
    assert.match(unknown.output, /Allowed choices are ndjson, csv/)
  })

  test('what cannot be done is said in a sentence, without a stack', async () => {
    const shop = await used.make.shop()
    const other = await used.make.shop()
    const file = writeTemporary(GOOD, 'ndjson')
    const runs: [args: [string, ...string[]], said: RegExp, code?: number][] = [
      [['import', 'biz_nobody', file], /Business biz_nobody not found/],
      [['export', 'biz_nobody'], /Business biz_nobody not found/],
      [['import', shop.id, '/nowhere/products.csv'], /\/nowhere\/products\.csv cannot be read/],
      [['import', shop.id, directory], /cannot be read/],
      [['import', shop.id], /Name a file to import, or --resume/, 2],
      [['import', shop.id, '--resume', 'imp_nobody'], /Import not found/],
      [['import', shop.id, writeTemporary('slug,name\n"a', 'csv')], /not readable as CSV/],
      [['import', shop.id, writeTemporary(Buffer.from([0x73, 0x6c, 0x75, 0x67, 0x0a, 0xe9]), 'csv')], /not UTF-8/],
      [['export', shop.id, '/nowhere/products.csv'], /\/nowhere\/products\.csv cannot be written/],
    ]
    await Promise.all(
      runs.map(async ([args, said, code = 1]) => {
        const run = await products(...args)
        assert.equal(run.code, code, `${args.join(' ')}\n${run.output}`)
        assert.match(run.output, said)
        assert.doesNotMatch(run.output, /^\s+at /m, args.join(' '))
      }),
    )
    assert.deepEqual(await rowsLeft(shop.db, shop.id), { rows: 0, imports: 0 }, 'nothing half read stays')

    const done = await products('import', shop.id, file)
    const id = /--resume (imp_\w+)/.exec(done.output)?.[1] ?? ''
    const again = await products('import', shop.id, '--resume', id)
    assert.deepEqual([again.code, /^2 created, 0 updated, 0 failed$/m.test(again.output)], [0, true], again.output)
    const foreign = await products('import', other.id, '--resume', id)
    assert.deepEqual([foreign.code, /Import not found/.test(foreign.output)], [1, true])
  })
})
