import { makeCategories } from './categories.ts'
import { makeCustomers } from './customers.ts'
import { type Demo, type DemoOptions, openDemo } from './demo.ts'
import { makeJournal } from './journal.ts'
import { makeNewsletter } from './newsletter.ts'
import { makeOrders } from './orders.ts'
import { makeProducts } from './products.ts'
import { makePromos } from './promos.ts'

const PARTS = ['categories', 'products', 'promoCodes', 'customers', 'orders', 'entries', 'subscribers'] as const
export type Part = (typeof PARTS)[number]

/** How many records a part has, and how many of them this run made. */
export type Outcome = { count: number; made: number }
/** Called while a part is being made. */
export type OnProgress = (done: number, total: number) => void
type Make = (demo: Demo, onProgress: OnProgress) => Promise<Outcome>

export type Made = { businessId: string; slug: string; counts: Record<Part, number>; made: Record<Part, number> }

/** In this order, because orders need the rest. Each checks what exists and adds what is missing. */
const makers: Record<Part, Make> = {
  categories: makeCategories,
  products: makeProducts,
  promoCodes: makePromos,
  customers: makeCustomers,
  orders: makeOrders,
  entries: makeJournal,
  subscribers: makeNewsletter,
}

export async function makeDemo(
  options: DemoOptions,
  progress: (part: Part, done: number, total: number) => void = () => {},
): Promise<Made> {
  const demo = await openDemo(options)
  const outcomes: [Part, Outcome][] = []
  for (const part of PARTS) {
    outcomes.push([part, await makers[part](demo, (done, total) => progress(part, done, total))])
  }
  const pick = (name: keyof Outcome) =>
    Object.fromEntries(outcomes.map(([part, outcome]) => [part, outcome[name]])) as Record<Part, number>
  return { businessId: demo.business.id, slug: demo.business.slug, counts: pick('count'), made: pick('made') }
}
