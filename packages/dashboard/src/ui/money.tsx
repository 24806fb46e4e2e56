import { useFormat } from '../session/use-format.ts'

/** Figures right, currency small and soft before it, the minus first. Amounts are in minor units. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  const { minus, currency: sign, figure } = useFormat().moneyParts(amount, currency)
  return (
    <span className="nowrap">
      {minus && '−'}
      <span className="cur">{sign}</span>
      {figure}
    </span>
  )
}
