import { amountStep, type Body, fractionDigits, type Market } from '@kontor/sdk'
import { readFigure } from '../../promos/promo/form.ts'

export type Method = { id: string; name: string; price: string; freeFrom: string }
export type Rate = { taxClass: string; percent: string }

/** A market as it is typed. */
export type MarketForm = {
  id: string
  name: string
  currency: string
  pricesIncludeTax: boolean
  percent: string
  taxRates: Rate[]
  taxShipping: boolean
  shippingMethods: Method[]
  paymentMethods: Market['paymentMethods']
}
export type NewMarket = NonNullable<Body<'updateBusiness'>['markets']>[number]
export type Problem = 'missing' | 'code' | 'currency' | 'figure' | 'step' | 'percent' | 'twice' | 'class'
/** By place: `name`, `taxRates.0.percent`, `shippingMethods.1.price`. */
export type Problems = Record<string, Problem>

/** What each part of the form gets. */
export type FieldsProps = {
  form: MarketForm
  isNew?: boolean
  isChanged: (field: keyof MarketForm) => boolean
  problemOf: (place: string) => string | undefined
  onChange: (changes: Partial<MarketForm>) => void
}

const PERCENT_DIGITS = 2
const MOST_BPS = 10_000
const show = (value: number, digits: number) => (value / 10 ** digits).toFixed(digits)
const percentOf = (bps: number) => String(bps / 100)
export const isCurrency = (currency: string) => Intl.supportedValuesOf('currency').includes(currency)

export const emptyForm = (currency: string): MarketForm => ({
  id: '',
  name: '',
  currency,
  pricesIncludeTax: false,
  percent: '0',
  taxRates: [],
  taxShipping: false,
  shippingMethods: [],
  paymentMethods: ['CREDIT_CARD'],
})

export function toForm(market: Market): MarketForm {
  const digits = fractionDigits(market.currency)
  return {
    id: market.id,
    name: market.name,
    currency: market.currency,
    pricesIncludeTax: market.pricesIncludeTax,
    percent: percentOf(market.taxBps),
    taxRates: market.taxRates.map(({ taxClass, taxBps }) => ({ taxClass, percent: percentOf(taxBps) })),
    taxShipping: market.taxShipping,
    shippingMethods: market.shippingMethods.map(({ id, name, price, freeFrom }) => ({
      id,
      name,
      price: show(price, digits),
      freeFrom: freeFrom === undefined ? '' : show(freeFrom, digits),
    })),
    paymentMethods: market.paymentMethods,
  }
}

/** As the service takes it, with what is wrong. */
export function readForm(form: MarketForm, taken: readonly string[] = []): { market: NewMarket; problems: Problems } {
  const problems: Problems = {}
  const digits = fractionDigits(form.currency)
  const figure = (place: string, typed: string, of: number) => {
    const read = readFigure(typed, of)
    if (read === undefined) problems[place] = typed.trim() === '' ? 'missing' : 'figure'
    return read ?? 0
  }
  const rate = (place: string, typed: string) => {
    const bps = figure(place, typed, PERCENT_DIGITS)
    if (bps > MOST_BPS) problems[place] = 'percent'
    return Math.min(bps, MOST_BPS)
  }
  const id = form.id.trim()
  if (id === '') problems.id = 'missing'
  else if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) problems.id = 'code'
  else if (taken.includes(id)) problems.id = 'twice'
  if (form.name.trim() === '') problems.name = 'missing'
  if (!isCurrency(form.currency)) problems.currency = 'currency'
  const taxRates = form.taxRates.map(({ taxClass, percent }, index) => {
    const place = `taxRates.${index}`
    if (!/^[a-z0-9-]{1,40}$/.test(taxClass)) problems[`${place}.taxClass`] = taxClass === '' ? 'missing' : 'class'
    else if (form.taxRates.findIndex((one) => one.taxClass === taxClass) !== index)
      problems[`${place}.taxClass`] = 'twice'
    return { taxClass, taxBps: rate(`${place}.percent`, percent) }
  })
  const shippingMethods = form.shippingMethods.map(({ id, name, price, freeFrom }, index) => {
    const place = `shippingMethods.${index}`
    if (name.trim() === '') problems[`${place}.name`] = 'missing'
    const amount = figure(`${place}.price`, price, digits)
    if (amount % amountStep(form.currency) > 0) problems[`${place}.price`] = 'step'
    return {
      id,
      name: name.trim(),
      price: amount,
      ...(freeFrom.trim() !== '' && { freeFrom: figure(`${place}.freeFrom`, freeFrom, digits) }),
    }
  })
  const { currency, pricesIncludeTax, taxShipping, paymentMethods } = form
  const taxes = { taxBps: rate('percent', form.percent), taxRates, pricesIncludeTax, taxShipping }
  return { market: { id, name: form.name.trim(), currency, ...taxes, shippingMethods, paymentMethods }, problems }
}

/** A code for a name: `United States` is `united-states`, and if that is taken, `united-states-2`. */
export function codeOf(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 50)
  const base = plain || 'one'
  for (let number = 1; ; number++) {
    const code = number === 1 ? base : `${base}-${number}`
    if (!taken.includes(code)) return code
  }
}
