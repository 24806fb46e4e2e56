import { type Business, fractionDigits, type Input } from '@kontor/sdk'

type Market = Business['markets'][number]
type SentChange = Input<'createBulkEdit'>['body']['changes'][number]

/** One line of the form, as it was typed. `price:us` is the price in a market. */
export type Rule = { field: string; op: 'percent' | 'set' | 'add' | 'remove'; value: string; round: string }

export const FIELDS = ['tags', 'category', 'status', 'taxClass', 'lowStockThreshold', 'name'] as const

export const emptyRule = (markets: readonly Market[]): Rule =>
  markets[0] ? { field: `price:${markets[0].id}`, op: 'percent', value: '', round: '' } : ruleFor('tags')

/** What a field begins with. */
export const ruleFor = (field: string): Rule => ({
  field,
  op: field.startsWith('price:') ? 'percent' : field === 'tags' ? 'add' : 'set',
  value: field === 'status' ? 'ACTIVE' : '',
  round: '',
})

const numberOf = (text: string) => {
  const plain = text.replace(/[\s%]/g, '').replace('−', '-').replace(',', '.')
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(plain) ? Number(plain) : undefined
}

/** `.90`: to the next price that ends so. `9.90`: to the next that ends in 9.90. */
function roundingOf(text: string, digits: number): { to: number; ending: number } | undefined {
  const match = /^(\d{0,4})(?:[.,](\d+))?$/.exec(text.trim())
  if (!match || text.trim() === '') return undefined
  const [, whole = '', part = ''] = match
  if (part.length > digits) return undefined
  const unit = 10 ** digits
  return {
    to: unit * 10 ** whole.length,
    ending: Number(whole || '0') * unit + Number(part.padEnd(digits, '0') || '0'),
  }
}

/** The changes that this line says; undefined while it does not say one. */
export function changesOf({ field, op, value, round }: Rule, markets: readonly Market[]): SentChange[] | undefined {
  const marketId = field.startsWith('price:') ? field.slice('price:'.length) : undefined
  if (marketId === undefined) return plainOf(field, op, value.trim())
  const market = markets.find(({ id }) => id === marketId)
  const amount = numberOf(value)
  if (!market) return undefined
  const digits = fractionDigits(market.currency)
  const rounding = roundingOf(round, digits)
  const changes: SentChange[] = []
  if (op === 'set') {
    if (amount === undefined || amount < 0) return undefined
    return [{ field: 'price', marketId, op: 'set', value: Math.round(amount * 10 ** digits) }]
  }
  if (value.trim() !== '') {
    const bps = amount === undefined ? Number.NaN : Math.round(amount * 100)
    if (!(bps >= -10_000 && bps <= 100_000)) return undefined
    if (bps !== 0) changes.push({ field: 'price', marketId, op: 'percent', bps })
  }
  if (round.trim() !== '' && !rounding) return undefined
  if (rounding) changes.push({ field: 'price', marketId, op: 'round', ...rounding })
  return changes.length > 0 ? changes : undefined
}

function plainOf(field: string, op: Rule['op'], value: string): SentChange[] | undefined {
  if (field === 'lowStockThreshold') {
    if (value === '') return [{ field, op: 'set', value: null }]
    return /^\d{1,9}$/.test(value) ? [{ field, op: 'set', value: Number(value) }] : undefined
  }
  if (value === '' && field !== 'category') return undefined
  return [{ field, op, value } as SentChange]
}
