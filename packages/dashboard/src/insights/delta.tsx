import { useFormat } from '../session/use-format.ts'
import { changeOf } from './sums.ts'

/** How much more or less it is than before: a sign and a figure, the colour says nothing that these do not. */
export function Delta({ now, before, isBad = false }: { now: number; before: number; isBad?: boolean }) {
  const said = useDelta()(now, before)
  const isUp = now > before
  const look = said === '' || before === 0 || now === before ? '' : isUp === isBad ? 'down' : 'up'
  return (
    <span className={`delta ${look}`}>
      <b>{said}</b>
    </span>
  )
}

export function useDelta() {
  const { percent } = useFormat()
  return (now: number, before: number): string => {
    const change = changeOf(now, before)
    if (change === undefined) return now === 0 ? '' : '–'
    return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${percent(Math.abs(change))}`
  }
}
