import assert from 'node:assert/strict'
import type { Make } from './make.ts'
import { market, openShop } from './shop.ts'

/** Taxed at 10 % by its own rates, with a method of shipping of its own. */
export const OWN = market({
  taxShipping: true,
  shippingMethods: [{ id: 'own', name: 'Own van', price: 500 }],
})

/** A shop whose services are asked at `url`. */
export async function openCalloutShop(make: Make, url: string, markets: object[] = [OWN]) {
  const shop = await openShop(make)
  await shop.configure({ markets })
  const at = (point: string) => `${shop.path}/callouts/${point}`
  const attach = async (point: string, settings: object = {}) => {
    const answer = await shop.admin.put(at(point), { url, timeoutMs: 1_000, ...settings })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  return { ...shop, at, attach, guest: await make.guest() }
}
