import { useFormat } from '../../session/use-format.ts'

const BPS = 10_000

/** Figures of one currency as they stand in a calculation: without its sign. */
export function useFigures(currency: string) {
  const format = useFormat()
  const percent = new Intl.NumberFormat(format.locale, { style: 'percent', maximumFractionDigits: 2 })
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat(format.locale, {
    style: 'currency',
    currency,
  }).resolvedOptions()
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
    /** What was typed as an amount, in minor units; undefined where it is none. */
    read: (typed: string): number | undefined => {
      const plain = typed.trim().replaceAll(/\s/g, '').replace(',', '.')
      if (!/^\d+(\.\d+)?$/.test(plain)) return undefined
      return Math.round(Number(plain) * 10 ** digits)
    },
  }
}
