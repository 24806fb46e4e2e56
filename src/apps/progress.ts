import { styleText } from 'node:util'
import { nowMs } from '#platform/clock.ts'

const WIDTH = 28
const LINE_EVERY_MS = 2_000
const DRAW_EVERY_MS = 100

/** A bar that moves in a terminal; elsewhere (a log, a pipe) a line every other second. `doneBefore`: by an earlier run. */
export function showProgress(label: string, unit: string, doneBefore = 0) {
  const start = nowMs()
  const isTerminal = process.stderr.isTTY
  let shownAt = Number.NEGATIVE_INFINITY

  function draw(done: number, total: number) {
    const seconds = Math.max(0.001, (nowMs() - start) / 1000)
    const rate = Math.round((done - doneBefore) / seconds).toLocaleString('en')
    const share = total > 0 ? Math.min(1, done / total) : 1
    const numbers = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit}`
    const figures = `${String(Math.floor(share * 100)).padStart(3)} %  ${numbers}  ${rate}/s`
    if (!isTerminal) return process.stderr.write(`${label} ${figures}\n`)
    const full = Math.round(share * WIDTH)
    const bar = styleText('green', '█'.repeat(full)) + styleText('dim', '░'.repeat(WIDTH - full))
    return process.stderr.write(`\r\u001b[2K${label} ${bar} ${figures}`)
  }

  return {
    update(done: number, total: number) {
      if (nowMs() - shownAt < (isTerminal ? DRAW_EVERY_MS : LINE_EVERY_MS)) return
      shownAt = nowMs()
      draw(done, total)
    },
    end(done: number, total: number) {
      draw(done, total)
      if (isTerminal) process.stderr.write('\n')
    },
  }
}
