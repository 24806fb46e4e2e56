import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import type { Cell } from '#platform/database/database.ts'
import { createWideReads, isWide } from './wide-reads.ts'

test('a search of a shop waits for no more than one of each other shop that has many', async () => {
  const wideReads = createWideReads()
  const cell = {} as Cell
  const begun: string[] = []
  const search = (businessId: string) =>
    wideReads(cell, businessId, async () => {
      begun.push(businessId)
      await soon()
    })
  const busy = Array.from({ length: 90 }, () => search('busy'))
  const already = begun.length
  await Promise.all([search('small'), ...busy])
  assert.ok(begun.indexOf('small') <= already + 1, `${begun.indexOf('small')}`)
})

test('a page without words, filters or an order of its own is a plain one', () => {
  assert.equal(isWide({ limit: 20, cursor: 'x', market: 'us', category: 'tea', query: undefined }), false)
  for (const query of [{ query: 'salt' }, { sort: 'price' }, { tag: 'new' }, { 'attribute.Colour': 'blue' }])
    assert.equal(isWide(query), true, JSON.stringify(query))
  assert.equal(isWide({}, [{ name: 'Colour' }]), true)
})
