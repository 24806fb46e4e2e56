import assert from 'node:assert/strict'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Goods, Shop } from './shop.ts'

type Case = { goods: Goods; name: string; sku: string; sales: Promise<unknown>; stop: () => void; sold: () => number }

const STOCK = 40
const WHY = 'Photo samples'
let count = 0

/** Somebody took three and never brought them back; it sells all the while. */
async function prepare(shop: Shop): Promise<Case> {
  count += 1
  const name = `Pilot Mug ${count}`
  const goods = { ...(await shop.makeProduct(name, 1_800, STOCK)), quantity: 1 }
  await shop.write('POST', `/products/${goods.productId}/variants/one/stock`, { delta: -3, reason: WHY })
  const sku = name.toUpperCase().replaceAll(/\W+/g, '-')
  let sold = 0
  let isOver = false
  const sell = async () => {
    while (!isOver && sold < STOCK / 2) {
      await shop.buy({ name: 'Runa Lie', email: `runa${count}.${sold}@home.example` }, { goods: [goods] })
      sold += 1
    }
  }
  return {
    goods,
    name,
    sku,
    // What goes wrong is told where it is looked at: somebody who gives up leaves the shop selling.
    sales: sell().catch((error: unknown) => error),
    sold: () => sold,
    stop: () => {
      isOver = true
    },
  }
}

const found = ({ page }: Person, { name }: Case) => page.getByRole('link', { name })
const whyIn = ({ page }: Person) => page.locator('.statement').getByText(WHY)
const enter = ({ page }: Person) => page.getByRole('button', { name: 'Enter + 3' })
const entered = ({ page }: Person) => page.locator('.statement').getByText('The samples are back')
const proof = ({ page }: Person) => page.getByText('no number missing')

export const stock = journey<Case>({
  number: 8,
  name: 'stock of a variant is 3 too low: find out why, correct it with a reason, while it sells',
  bars: { seconds: 30, actions: 7 },
  runs: 5,
  isTriedWithLosses: true,
  prepare,
  place: '/stock',
  isReady: (page) => page.getByRole('heading', { name: 'Stock', level: 1 }).waitFor(),
  async byMouse(person, about) {
    const { page } = person
    await person.click(page.getByLabel('Find in stock'))
    await person.type(about.sku)
    await person.sees('the variant', found(person, about))
    await person.click(found(person, about))
    await person.sees('why it is too low', whyIn(person), proof(person))
    await person.click(page.getByRole('button', { name: 'Take back no. 2' }))
    await person.sees('what would be entered', enter(person))
    await person.type('The samples are back')
    await person.click(enter(person))
    await person.sees('that it is entered', entered(person))
  },
  async byKeyboard(person, about) {
    await person.press('/')
    await person.type(about.sku)
    await person.sees('the variant', found(person, about))
    await person.press('Enter')
    await person.sees('why it is too low', whyIn(person), proof(person))
    await person.press('z')
    await person.sees('what would be entered', enter(person))
    await person.type('The samples are back')
    await person.press('Enter')
    await person.sees('that it is entered', entered(person))
  },
  /** Entered once, and no sale was lost: what there was, less what was sold. */
  async check(shop, { goods, sales, stop, sold }) {
    stop()
    assert.equal(await sales, undefined)
    const { items } = await shop.read(`/products/${goods.productId}/variants/one/stock?limit=100`)
    const movements = items as { delta: number; kind: string; reason: string | null; quantity: number }[]
    assert.equal(movements.filter(({ reason }) => reason === 'The samples are back').length, 1)
    assert.ok(sold() > 0)
    assert.equal(movements.filter(({ kind }) => kind === 'ORDER').length, sold())
    assert.equal(movements[0]?.quantity, STOCK - sold())
  },
})
