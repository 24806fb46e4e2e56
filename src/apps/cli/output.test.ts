import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cut, fitWidths, formatTable, widthOf } from './output.ts'

const ROWS = [
  { id: 'biz_1', name: 'Harbour Goods', at: new Date('2026-01-02T03:04:05.678Z') },
  { id: 'biz_2', name: '', at: null },
]

test('a table is aligned, and what is missing is a dash', () => {
  assert.deepEqual(formatTable(['id', 'name', 'at'], ROWS), [
    'id     name           at',
    'biz_1  Harbour Goods  2026-01-02T03:04:05Z',
    'biz_2  –              –',
  ])
})

test('it fits the terminal: the widest columns give way, the short ones stay whole', () => {
  const lines = formatTable(['id', 'name', 'at'], ROWS, 30)
  assert.ok(
    lines.every((line) => widthOf(line) <= 30),
    lines.join('\n'),
  )
  assert.match(lines[1] ?? '', /^biz_1 {2}Harbour Go… {2}2026-01-0…$/)
  assert.deepEqual(fitWidths([5, 40, 10], 30), [5, 11, 10])
  assert.deepEqual(fitWidths([16, 8, 8], 30), [16, 5, 5], 'an id is shown whole')
})

test('what others wrote cannot move the cursor or break a row', () => {
  const [, line] = formatTable(['name'], [{ name: 'a\u001b[2Jb\nc\u009bd' }])
  assert.equal(line, 'a [2Jb c d')
})

test('wide letters take two columns, marks none', () => {
  assert.deepEqual(['日本', 'é', 'e\u0301', '🚢', ''].map(widthOf), [4, 1, 1, 2, 0])
  assert.equal(cut('日本語', 5), '日本…')
  assert.equal(cut('日本語', 4), '日…')
})
