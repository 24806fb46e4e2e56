import { fractionDigits } from '@kontor/sdk'
import { useFormat } from '../session/use-format.ts'

export function Amount({ amount, currency }: { amount: number; currency: string }) {
  const { currency: sign, figure, minus } = useFormat().moneyParts(amount, currency)
  return (
    <>
      {minus && '−'}
      <span className="cur">{sign}</span>
      {figure}
    </>
  )
}

/** In whole coins, as charts and files have it. */
export const unitsOf = (amount: number, currency: string) => amount / 10 ** fractionDigits(currency)

/** `1.5K` below an axis. */
export function useCompact() {
  const { locale } = useFormat()
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  return (value: number) => compact.format(value)
}
