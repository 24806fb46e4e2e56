import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '../queries.ts'
import {
  blocksOf,
  changesOf,
  idFrom,
  keyOf,
  mergeSchemas,
  moved,
  toForm,
  withBlock,
  withNew,
  without,
} from './schema.ts'

const TITLE: Block = { id: 'title', type: 'TEXT', label: 'Title' }
const TEXT: Block = { id: 'text', type: 'TEXT', label: 'Text' }
const RANK: Block = { id: 'rank', type: 'NUMBER', label: 'Rank' }
const BASE = toForm({ name: 'Journal', slug: 'journal', description: '', blocks: [TITLE, TEXT] } as never)

test('a key is made from a label, once', () => {
  assert.equal(idFrom('On the front page', new Set()), 'on_the_front_page')
  assert.equal(idFrom('Überschrift', new Set(['uberschrift'])), 'uberschrift_2')
  assert.equal(idFrom('標題', new Set()), 'field')
})

test('only what was changed is written', () => {
  assert.deepEqual(changesOf(BASE, { ...BASE, name: 'Log ' }), { name: 'Log' })
  assert.deepEqual(changesOf(BASE, moved(BASE, 'text', 0)), { blocks: [TEXT, TITLE] })
})

test('both add, move and take out fields: all of it counts', () => {
  const theirs = withNew(without(BASE, 'text'), RANK)
  const mine = moved(withNew(BASE, { id: 'date', type: 'DATE', label: 'Date' }), 'date', 0)
  const { value, conflicts } = mergeSchemas(BASE, theirs, mine)
  assert.deepEqual(conflicts, [])
  assert.deepEqual(
    blocksOf(value).map(({ id }) => id),
    ['date', 'title', 'rank'],
  )
})

test('the same field changed by both is asked for, also when one of them took it out', () => {
  const mine = withBlock(BASE, { ...TEXT, required: true })
  const { conflicts } = mergeSchemas(BASE, without(BASE, 'text'), mine)
  assert.deepEqual(
    conflicts.map(({ field }) => field),
    [keyOf('text')],
  )
  const kept = mergeSchemas(BASE, without(BASE, 'text'), mine).value
  assert.deepEqual(
    blocksOf(kept).map(({ id }) => id),
    ['title', 'text'],
  )
})
