import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareOf } from './cell-share.ts'

const cell = (name: string, weight: number, placement: 'OPEN' | 'CLOSED' = 'OPEN') => ({ name, weight, placement })

test('a cell takes its weight among those that are open', () => {
  const cells = [cell('main', 100), cell('eu2', 100), cell('eu3', 500, 'CLOSED')]
  assert.equal(shareOf('main', 100, cells), 0.5)
  assert.equal(shareOf('main', 300, cells), 0.75)
  assert.equal(shareOf('eu3', 200, cells), 0.5)
  assert.equal(shareOf('main', 7, [cell('main', 100)]), 1)
})
