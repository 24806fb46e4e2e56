import { forEachCell } from '../database/cell-map.ts'
import type { Db } from '../database/database.ts'
import { type Bell, type Condition, type Rests, untilRung } from './rest.ts'

/** Several loops that share the work of all cells go round those that have some. */
export type Round = {
  /** Each cell once that may have something to do; true: one had. One that fails does not keep the others waiting. */
  go(signal: AbortSignal, work: (cell: Db) => Promise<boolean>): Promise<boolean>
  hasDue(): boolean
  onDue(ring: () => void): void
}

/** Without `rests`, every cell may have something to do at any time. */
export function createRound(
  cells: ReadonlyMap<string, Db>,
  rests: Rests | undefined,
  everyMs: number,
  condition: Condition,
): Round {
  const due = new Set<Db>()
  const rings = new Set<() => void>()
  forEachCell(cells, (_name, cell) => {
    const onDue = () => {
      due.add(cell)
      for (const ring of rings) ring()
    }
    const unwatch = rests?.of(cell).watch({ everyMs, condition, isWanted: () => !due.has(cell), onDue, isLoop: true })
    onDue()
    return {
      stop() {
        unwatch?.()
        due.delete(cell)
      },
    }
  })
  const mayHave = (cell: Db) => !rests?.of(cell).isAnswering() || due.has(cell)
  return {
    hasDue: () => [...cells.values()].some(mayHave),
    onDue: (ring) => void rings.add(ring),
    async go(signal, work) {
      let wasBusy = false
      const failures: unknown[] = []
      for (const cell of cells.values()) {
        if (signal.aborted || !mayHave(cell)) continue
        try {
          if (await work(cell)) wasBusy = true
          else due.delete(cell)
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0 && !wasBusy) throw failures[0]
      return wasBusy
    },
  }
}

/** Rings when there is something to do in one of these rounds. */
export function bellOf(...rounds: readonly Round[]): Bell {
  let answer: (() => void) | undefined
  const ring = () => answer?.()
  for (const round of rounds) round.onDue(ring)
  return {
    ring,
    async listen(signal) {
      if (signal.aborted || rounds.some((round) => round.hasDue())) return
      await untilRung(signal, (waiting) => {
        answer = waiting
      })
    },
  }
}
