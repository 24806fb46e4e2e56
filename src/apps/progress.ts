import { styleText } from 'node:util'
import { nowMs } from '#platform/clock.ts'

const WIDTH = 28
const LINE_EVERY_MS = 2_000
const DRAW_EVERY_MS = 100

/**
 * Shows progress on standard error: a moving bar in a terminal, elsewhere a line every other second. `doneBefore`: by
 * an earlier run. Without a total, it only counts.
 */
export function showProgress(label: string, unit: string, doneBefore = 0) {
  const start = nowMs()
  const isTerminal = process.stderr.isTTY
  let shownAt = Number.NEGATIVE_INFINITY

  function draw(done: number, total: number | undefined) {
    const seconds = Math.max(0.001, (nowMs() - start) / 1000)
    const rate = `${Math.round((done - doneBefore) / seconds).toLocaleString('en')}/s`
    const count = done.toLocaleString('en')
    const share = total === undefined ? undefined : total > 0 ? Math.min(1, done / total) : 1
    const figures =
      share === undefined || total === undefined
        ? `${count} ${unit}  ${rate}`
        : `${String(Math.floor(share * 100)).padStart(3)} %  ${count} of ${total.toLocaleString('en')} ${unit}  ${rate}`
    if (!isTerminal) return process.stderr.write(`${label} ${figures}\n`)
    const bar = share === undefined ? '' : `${drawBar(share)} `
    return process.stderr.write(`\r\u001b[2K${label} ${bar}${figures}`)
  }

  return {
    update(done: number, total?: number) {
      if (nowMs() - shownAt < (isTerminal ? DRAW_EVERY_MS : LINE_EVERY_MS)) return
      shownAt = nowMs()
      draw(done, total)
    },
    end(done: number, total?: number) {
      draw(done, total)
      if (isTerminal) process.stderr.write('\n')
    },
  }
}

export function drawBar(share: number): string {
  const full = Math.round(share * WIDTH)
  const style = { stream: process.stderr }
  return styleText('green', '█'.repeat(full), style) + styleText('dim', '░'.repeat(WIDTH - full), style)
}
