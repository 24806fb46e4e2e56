import { fractionDigits } from '@kontor/sdk'
import { useFormat } from '../../session/use-format.ts'
import { readAmount } from '../amounts.ts'

const BPS = 10_000

/** Figures of one currency as they stand in a calculation: without its sign. */
export function useFigures(currency: string) {
  const format = useFormat()
  const percent = new Intl.NumberFormat(format.locale, { style: 'percent', maximumFractionDigits: 2 })
  const digits = fractionDigits(currency)
  return {
    bare: (amount: number) => format.moneyParts(amount, currency).figure,
    money: (amount: number) => format.money(amount, currency),
    percent: (bps: number) => percent.format(bps / BPS),
    /** Before it was rounded; empty where there was nothing to round. */
    exact: (base: number, bps: number) => {
      const product = base * bps
      if (product % BPS === 0) return ''
      const figure = new Intl.NumberFormat(format.locale, {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits + 4,
      })
      return figure.format(product / BPS / 10 ** digits)
    },
    read: (typed: string) => readAmount(typed, currency),
  }
}
