import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inVisualOrder, levelsOf } from './visual-order.ts'

/** The runs from the left, each as it is read. */
const runsOf = (text: string) =>
  inVisualOrder(
    text,
    Array.from(text, () => 'font'),
    levelsOf(text),
  ).map((run) => run.text)

test('a text that is read from the left stays as it is', () => {
  assert.deepEqual(runsOf('A  blue mug (big)'), ['A  blue mug (big)'])
})

test('a run that is read from the right is left to the font, which turns it around', () => {
  assert.deepEqual(runsOf('אחת שתיים שלוש'), ['אחת שתיים שלוש'])
})

test('runs of both directions stand as they do on paper', () => {
  assert.deepEqual(runsOf('אחת big mug שתיים'), [' שתיים', 'big mug', 'אחת '])
  assert.deepEqual(runsOf('Our mug: אחת שתיים now'), ['Our mug: ', 'אחת שתיים', ' now'])
})

test('numbers keep their direction, and brackets open towards what is in them', () => {
  assert.deepEqual(runsOf('רחוב 12א'), ['א', '12', 'רחוב '])
  assert.deepEqual(runsOf('אחת (3)'), ['(', '3', 'אחת )'])
})

test('a change of font ends a run', () => {
  const fonts = ['latin', 'latin', 'cjk', 'cjk']
  assert.deepEqual(inVisualOrder('A 東京', fonts), [
    { text: 'A ', font: 'latin', isRightToLeft: false },
    { text: '東京', font: 'cjk', isRightToLeft: false },
  ])
})
