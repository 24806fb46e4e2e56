import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Block, TARGET_TYPES, toBlock } from './blocks.ts'
import { isPublicBlock, mayHoldHiddenBlocks } from './public-blocks.ts'

const pointing = (settings: object | undefined, more: object = {}) =>
  toBlock({ id: 'see', type: 'RELATIONSHIP', ...(settings && { settings }), ...more }, 'x_1')
const json = (...blocks: Block[]) => JSON.stringify({ id: 'ent_1', blocks, createdAt: 1 })

test('a block that points at a person, an order, or who knows what is not public', () => {
  for (const targetType of TARGET_TYPES) {
    const block = pointing({ targetType })
    const isPublic = targetType !== 'USER' && targetType !== 'ORDER'
    assert.equal(isPublicBlock(block), isPublic, targetType)
    assert.equal(mayHoldHiddenBlocks(json(block)), !isPublic, targetType)
  }
  assert.equal(isPublicBlock(pointing(undefined)), false)
  assert.equal(mayHoldHiddenBlocks(json(pointing(undefined))), true)
  assert.equal(mayHoldHiddenBlocks(json(pointing({}))), true)
  assert.equal(isPublicBlock({ type: 'TEXT', settings: undefined }), true)
})

test('one hidden block among others is found, and no text passes for one', () => {
  const shown = pointing({ targetType: 'ENTRY' }, { label: 'a "quoted" \\ label', required: true })
  const text = toBlock({ id: 'a', type: 'TEXT' }, '"type":"RELATIONSHIP","settings":{"targetType":"PRODUCT"}')
  assert.equal(mayHoldHiddenBlocks(json(text, shown, shown)), false)
  assert.equal(mayHoldHiddenBlocks(json(shown, pointing({ targetType: 'USER' }), text)), true)
  const misleading = toBlock({ id: 'b', type: 'TEXT', settings: { targetType: 'PRODUCT' } }, 'x')
  assert.equal(mayHoldHiddenBlocks(json(pointing(undefined), misleading)), true)
  assert.equal(mayHoldHiddenBlocks(json(pointing({ options: ['{}'], targetType: 'USER' }), misleading)), true)
})
