import { type DemoProduct, type DemoVariant, PRODUCTS } from './goods/goods.ts'
import { PEOPLE, type Person } from './people.ts'
import { createRandom, type Random } from './random.ts'

/** What becomes of an order in the end, if there has been time enough. */
export type Fate = 'DELIVERED' | 'PAID' | 'UNPAID' | 'CANCELLED' | 'REFUNDED' | 'PARTIALLY_REFUNDED' | 'PENDING'

export type PlannedOrder = {
  /** Under which it is found again. */
  key: string
  person: Person
  lines: { product: DemoProduct; variant: DemoVariant; quantity: number }[]
  shippingMethodId: string
  promoCode: string | undefined
  fate: Fate
}

const COUNT = 200
/** The last few nobody has paid yet. */
const PENDING = 3
/** Those before them are paid and wait to be packed, on whatever day the demo is made. */
const TO_PACK = 5
/** The next last ones are on their way, nothing has gone wrong with them. */
const FRESH = 25
/** What is cancelled takes only what there is enough of: it must never be what makes another order fail. */
const PLENTY = 9

type Choice = { product: DemoProduct; variant: DemoVariant; weight: number }

const CHOICES: readonly Choice[] = PRODUCTS.flatMap((product) =>
  product.variants.map((variant) => ({
    product,
    variant,
    weight: (product.item.demand ?? 1) / product.variants.length,
  })),
)

function fateOf(index: number, random: Random): Fate {
  const share = random.next()
  if (index >= COUNT - PENDING) return 'PENDING'
  if (index >= COUNT - PENDING - TO_PACK) return 'PAID'
  if (index >= COUNT - FRESH) return 'DELIVERED'
  if (share < 0.04) return 'UNPAID'
  if (share < 0.07) return 'CANCELLED'
  if (share < 0.11) return 'REFUNDED'
  return share < 0.135 ? 'PARTIALLY_REFUNDED' : 'DELIVERED'
}

function planOne(index: number): PlannedOrder {
  const random = createRandom(`order ${index}`)
  const person = random.weighted(PEOPLE, ({ loyalty }) => loyalty)
  const fate = fateOf(index, random)
  const isKept = fate !== 'UNPAID' && fate !== 'CANCELLED'
  const choices = CHOICES.filter(({ variant: { left } }) => isKept || left === undefined || left >= PLENTY)
  const lines = new Map<string, PlannedOrder['lines'][number]>()
  const count = random.weighted([1, 2, 3, 4], (lines) => 5 - lines)
  while (lines.size < count) {
    const { product, variant } = random.weighted(choices, ({ weight }) => weight)
    const quantity = variant.prices.us < 3_000 && isKept ? random.weighted([1, 2, 3], (many) => 4 - many) : 1
    lines.set(`${product.slug} ${variant.id}`, { product, variant, quantity })
  }
  const shipping =
    person.market === 'us'
      ? ['standard', 'standard', 'standard', 'express', 'pickup']
      : ['standard', 'standard', 'standard', 'express']
  return {
    key: `demo-${String(index + 1).padStart(3, '0')}`,
    person,
    lines: [...lines.values()],
    shippingMethodId: random.pick(shipping),
    promoCode: random.chance(0.3)
      ? random.pick(['WELCOME10', 'WELCOME10', person.market === 'us' ? 'FREESHIP' : 'FREIHAFEN', 'ANCHOR15', 'CREW25'])
      : undefined,
    fate,
  }
}

/** The same every time; only when they are placed depends on the day on which the demo is made. */
export const ORDERS: readonly PlannedOrder[] = Array.from({ length: COUNT }, (_, index) => planOne(index))

/** How many of each variant leave the house for good, by `slug id`. */
export const SOLD: ReadonlyMap<string, number> = ORDERS.reduce((sold, { lines, fate }) => {
  if (fate === 'UNPAID' || fate === 'CANCELLED') return sold
  for (const { product, variant, quantity } of lines) {
    const key = `${product.slug} ${variant.id}`
    sold.set(key, (sold.get(key) ?? 0) + quantity)
  }
  return sold
}, new Map<string, number>())
