/** Pure: what a cart's tax is, in minor units. */

export type Rate = { country: string; region: string; taxClass: string; taxBps: number }

export type Cart = {
  pricesIncludeTax: boolean
  shipping: number
  lines: readonly { id: string; totalPrice: number; discount: number; taxClass: string }[]
}

export type Place = { country: string; region: string }

type Taxed = { taxBps: number; taxClass: string; paid: number; tax: number }

/** That of the region before that of the country, that of the class before the standard one. Undefined: nobody has said. */
export function findRate(rates: readonly Rate[], { country, region }: Place, taxClass: string): number | undefined {
  const find = (inRegion: string, ofClass: string) =>
    rates.find((rate) => rate.country === country && rate.region === inRegion && rate.taxClass === ofClass)?.taxBps
  return find(region, taxClass) ?? find('', taxClass) ?? find(region, 'standard') ?? find('', 'standard')
}

/** On top of the price, or inside of it. */
const taxOf = (paid: number, taxBps: number, isInside: boolean) =>
  isInside ? paid - Math.round((paid * 10_000) / (10_000 + taxBps)) : Math.round((paid * taxBps) / 10_000)

/** Undefined when there is no rate for a line: an unknown tax is no tax of zero. */
export function calculateTax(rates: readonly Rate[], place: Place, cart: Cart) {
  const isInside = cart.pricesIncludeTax
  const tax = (paid: number, taxClass: string): Taxed | undefined => {
    const taxBps = findRate(rates, place, taxClass)
    return taxBps === undefined ? undefined : { taxBps, taxClass, paid, tax: taxOf(paid, taxBps, isInside) }
  }
  const lines = cart.lines.map(({ id, totalPrice, discount, taxClass }) => ({
    id,
    taxed: tax(totalPrice - discount, taxClass),
  }))
  const shipping = tax(cart.shipping, 'standard')
  const all = [...lines.map(({ taxed }) => taxed), shipping]
  if (!all.every((taxed) => taxed !== undefined)) return undefined
  return {
    lines: lines.map(({ id, taxed }) => ({ id, taxBps: taxed?.taxBps ?? 0, tax: taxed?.tax ?? 0 })),
    shippingTax: shipping?.tax ?? 0,
    taxes: [...Map.groupBy(all, ({ taxBps }) => taxBps)]
      .map(([taxBps, group]) => toGroup(taxBps, group, isInside))
      .filter(({ base }) => base > 0)
      .sort((a, b) => b.taxBps - a.taxBps),
  }
}

function toGroup(taxBps: number, group: readonly Taxed[], isInside: boolean) {
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
  const amount = sum(group.map(({ tax }) => tax))
  const paid = sum(group.map((each) => each.paid))
  return {
    taxBps,
    taxClasses: [...new Set(group.map(({ taxClass }) => taxClass))].sort(),
    base: isInside ? paid - amount : paid,
    amount,
    included: isInside,
  }
}
