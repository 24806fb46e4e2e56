import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCsv } from './csv.ts'
import { toCsv } from './csv-cells.ts'

const CASES: [text: string, written: string][] = [
  ['Mug', 'Mug'],
  ['', ''],
  ['a, b', '"a, b"'],
  ['a "b"', '"a ""b"""'],
  ["Mug;=1+cmd|' /C calc'!A0", `"Mug;=1+cmd|' /C calc'!A0"`],
  ['Mug\t=1+1', '"Mug\t=1+1"'],
  ['two\nlines', '"two\nlines"'],
  ['two\rlines', '"two\rlines"'],
  [' padded ', '" padded "'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['\n=1+1', `"'\n=1+1"`],
  ['\r=1+1', `"'\r=1+1"`],
  ['\t=1+1', `"'\t=1+1"`],
  ["'=1+1", "''=1+1"],
  ["'＝1+1", "''＝1+1"],
  ["'70s", "'70s"],
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
]

test('a CSV cell cannot become a formula or spill into the next cell', () => {
  for (const [text, written] of CASES) assert.equal(toCsv([[text, 1]]), `${written},1\n`, JSON.stringify(text))
})

test('numbers are written as they are', () => {
  assert.equal(toCsv([[-2, 1.5, 0]]), '-2,1.5,0\n')
})

async function readBack(rows: string[][]): Promise<(string | undefined)[][]> {
  const file = Readable.from([Buffer.from(toCsv([['a', 'b'], ...rows]))])
  const read: (string | undefined)[][] = []
  for await (const { record } of readCsv(file, { readHeader: (names) => names, maxRowBytes: 10_000 }))
    read.push([record.a, record.b])
  return read
}

test('a written CSV reads back unchanged', async () => {
  const rows = CASES.map(([text]) => [text.trim(), 'end'])
  assert.deepEqual(await readBack(rows), rows)
  const piece = fc.constantFrom('=', '＝', '＋', '－', '＠', "'", '"', ';', ',', '\t', '\n', '\r', 'a', ' ', '1')
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('').trim())
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, fc.constant('end')), { minLength: 1, maxLength: 5 }), async (written) => {
      assert.deepEqual(await readBack(written), written)
    }),
  )
})
