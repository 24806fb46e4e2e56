import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inVisualOrder } from './visual-order.ts'

const wide = () => true
const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean)

test('a text that is read from the left stays as it is', () => {
  assert.equal(inVisualOrder('A  blue mug', wide), 'A  blue mug')
})

test('words that are read from the right stand the other way round on paper', () => {
  assert.deepEqual(wordsOf(inVisualOrder('אחת שתיים שלוש', wide)), ['שלוש', 'שתיים', 'אחת'])
})

test('words of the other direction stay in their own order', () => {
  assert.deepEqual(wordsOf(inVisualOrder('אחת big mug שתיים שלוש', wide)), ['שלוש', 'שתיים', 'big', 'mug', 'אחת'])
  assert.deepEqual(wordsOf(inVisualOrder('Our very best mug: אחת שתיים now', wide)), [
    'Our',
    'very',
    'best',
    'mug:',
    'שתיים',
    'אחת',
    'now',
  ])
})

test('a text that does not fit into one line is broken before it is turned around', () => {
  const text = inVisualOrder('אחת שתיים שלוש', (words) => words.length <= 2)
  assert.deepEqual(text.split('\n').map(wordsOf), [['שתיים', 'אחת'], ['שלוש']])
})
