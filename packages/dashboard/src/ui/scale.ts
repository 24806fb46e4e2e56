const NICE = [1, 2, 2.5, 5, 10]
const MOST_STEPS = 4

/** Where an axis ends, and its lines between: round figures, four at most, the last at or above what is shown. */
export function scaleOf(highest: number, isWhole = false): { top: number; steps: number[] } {
  if (highest <= 0) return { top: 1, steps: [] }
  const size = 10 ** Math.floor(Math.log10(highest / MOST_STEPS))
  const step = NICE.map((nice) => nice * size).find((one) => one * MOST_STEPS >= highest) ?? 10 * size
  const each = isWhole ? Math.max(Math.ceil(step), 1) : step
  const count = Math.ceil(highest / each - 1e-9)
  return { top: each * count, steps: Array.from({ length: count }, (_, index) => each * (index + 1)) }
}
