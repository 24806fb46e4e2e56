import assert from 'node:assert/strict'
import { test } from 'node:test'
import { avifRungs, ladderOf, plainRung, webpRungs } from './ladder.ts'

const still = { isTransparent: false, isAnimated: false }

test('a large picture has every step, each as high as its width wants', () => {
  const rungs = webpRungs({ ...still, width: 3000, height: 2000 })
  assert.deepEqual(
    rungs.map(({ width, height }) => [width, height]),
    [
      [320, 213],
      [640, 427],
      [960, 640],
      [1280, 853],
      [1920, 1280],
      [2560, 1707],
    ],
  )
})

test('nothing is enlarged: the last step is the picture’s own width', () => {
  const widths = (width: number) => webpRungs({ ...still, width, height: 100 }).map((rung) => rung.width)
  assert.deepEqual(widths(1000), [320, 640, 960, 1000])
  assert.deepEqual(widths(640), [320, 640])
  assert.deepEqual(widths(1), [1])
})

test('a picture that shows something through is a PNG where one address must do', () => {
  assert.equal(plainRung({ ...still, width: 3000, height: 3000 }).name, '1280.jpg')
  assert.equal(plainRung({ ...still, isTransparent: true, width: 500, height: 3 }).name, '500.png')
})

test('moving pictures have no AVIF', () => {
  assert.deepEqual(avifRungs({ ...still, isAnimated: true, width: 640, height: 480 }), [])
  assert.equal(ladderOf({ ...still, width: 640, height: 480 }).length, 5)
})

test('a very flat picture is at least one pixel high', () => {
  assert.equal(webpRungs({ ...still, width: 10_000, height: 1 })[0]?.height, 1)
})
