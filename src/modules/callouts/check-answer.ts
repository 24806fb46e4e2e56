import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import type { CalloutPoint } from '#vocabulary/business.ts'
import { findOffStep } from '#vocabulary/money.ts'
import { amountOffStep } from '#vocabulary/refusals.ts'
import { type Answers, type Cart, type Problem, RatesAnswer, TaxAnswer, ValidityAnswer } from './schemas.ts'

const SHAPES: Record<CalloutPoint, TSchema> = {
  'tax.calculate': TaxAnswer,
  'shipping.rates': RatesAnswer,
  'cart.validate': ValidityAnswer,
}
const MAX_PROBLEMS = 20
/** Names of a service's own are told and logged, but not a mebibyte of them. */
const MAX_MESSAGE = 300

/** What is wrong with an answer; nothing: it is one of `Answers`. */
export function problemsOf(point: CalloutPoint, answer: unknown, cart: Cart): Problem[] {
  const shape = SHAPES[point]
  if (!Check(shape, answer)) return shapeProblems(shape, answer)
  const found: Problem[] = []
  const note = (field: string, message: string) => void found.push({ field, message })
  if (point === 'tax.calculate') checkTaxes(answer as Answers['tax.calculate'], cart, note)
  if (point === 'shipping.rates') checkRates(answer as Answers['shipping.rates'], cart, note)
  if (point === 'cart.validate') checkValidity(answer as Answers['cart.validate'], cart, note)
  return found.slice(0, MAX_PROBLEMS)
}

function shapeProblems(shape: TSchema, answer: unknown): Problem[] {
  const problems = Errors(shape, answer).map(({ instancePath, message, keyword, params }) => {
    const { additionalProperties = [] } = params as { additionalProperties?: string[] }
    const said = keyword === 'additionalProperties' ? `does not know ${additionalProperties.join(', ')}` : message
    return { field: instancePath.slice(1).replaceAll('/', '.'), message: said.slice(0, MAX_MESSAGE) }
  })
  return problems.slice(0, MAX_PROBLEMS)
}

type Note = (field: string, message: string) => void

/** Checks an amount that is charged. The base of a tax is not. */
function checkStep(field: string, amount: number, { currency }: Cart, note: Note): void {
  const off = findOffStep(amount, currency)
  if (off) note(field, amountOffStep.asDetail({ field, ...off }).message)
}

function checkTaxes({ lines, shippingTax, taxes }: Answers['tax.calculate'], cart: Cart, note: Note): void {
  const { pricesIncludeTax } = cart
  // Where prices include the tax, what is left of them without it is the base.
  const isAbove = (tax: number, price: number) => tax > (pricesIncludeTax ? price - tax : price)
  const asked = new Map(cart.lines.map((line) => [line.id, line.totalPrice - line.discount]))
  const seen = new Set<string>()
  for (const [index, { id, tax }] of lines.entries()) {
    const price = asked.get(id)
    if (price === undefined) note(`lines.${index}.id`, `Line ${id} is not in the cart.`)
    else if (seen.has(id)) note(`lines.${index}.id`, `Line ${id} is there twice.`)
    else if (isAbove(tax, price)) note(`lines.${index}.tax`, `The tax of line ${id} is above what is taxed.`)
    checkStep(`lines.${index}.tax`, tax, cart, note)
    seen.add(id)
  }
  for (const id of asked.keys()) if (!seen.has(id)) note('lines', `Line ${id} is missing.`)
  if (isAbove(shippingTax, cart.shipping)) note('shippingTax', 'The tax of shipping is above what is taxed.')
  checkStep('shippingTax', shippingTax, cart, note)

  const tax = lines.reduce((sum, line) => sum + line.tax, shippingTax)
  const amount = taxes.reduce((sum, group) => sum + group.amount, 0)
  const whole = [...asked.values()].reduce((sum, price) => sum + price, cart.shipping)
  if (amount !== tax) note('taxes', `The taxes add up to ${amount}, those of lines and shipping to ${tax}.`)
  for (const [index, group] of taxes.entries()) {
    checkStep(`taxes.${index}.amount`, group.amount, cart, note)
    if (group.amount > group.base) note(`taxes.${index}.amount`, 'The tax is above its base.')
    if (group.base > whole) note(`taxes.${index}.base`, 'The base is above the whole cart.')
    if ((group.included ?? pricesIncludeTax) !== pricesIncludeTax)
      note(`taxes.${index}.included`, `In this market it is ${pricesIncludeTax}.`)
  }
}

function checkRates({ rates }: Answers['shipping.rates'], cart: Cart, note: Note): void {
  const seen = new Set<string>()
  for (const [index, { id, name, price }] of rates.entries()) {
    checkStep(`rates.${index}.price`, price, cart, note)
    if (seen.has(id)) note(`rates.${index}.id`, `The rate ${id} is there twice.`)
    if (!name.isWellFormed()) note(`rates.${index}.name`, 'The name holds half a surrogate pair.')
    seen.add(id)
  }
}

function checkValidity({ isValid, problems }: Answers['cart.validate'], cart: Cart, note: Note): void {
  if (isValid && problems.length > 0) note('problems', 'A cart that is valid has no problems.')
  if (!isValid && problems.length === 0) note('problems', 'Say why the cart is not valid.')
  const ids = new Set(cart.lines.map(({ id }) => id))
  for (const [index, { lineId, code, message }] of problems.entries()) {
    if (lineId !== null && !ids.has(lineId)) note(`problems.${index}.lineId`, `Line ${lineId} is not in the cart.`)
    if (!`${code}${message}`.isWellFormed()) note(`problems.${index}`, 'It holds half a surrogate pair.')
  }
}
