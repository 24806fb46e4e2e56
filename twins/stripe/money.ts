const NO_DECIMALS = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' '))
const THREE_DECIMALS = new Set('BHD JOD KWD OMR TND'.split(' '))

/** Formats minor units. The number of decimals is from Stripe's own list, not from Intl. */
export function formatMoney(amount: number, currency: string): string {
  const code = currency.toUpperCase()
  const decimals = NO_DECIMALS.has(code) ? 0 : THREE_DECIMALS.has(code) ? 3 : 2
  const style = { style: 'currency', currency: code, minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat('en', style as Intl.NumberFormatOptions).format(amount / 10 ** decimals)
}
