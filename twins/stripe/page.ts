import { Liquid } from 'liquidjs'
import type { Stripe } from 'stripe'
import { isEmail } from './form.ts'
import { formatMoney } from './money.ts'
import { decline, pay, sessionOf } from './payments.ts'
import type { World } from './world.ts'

const engine = new Liquid({
  root: import.meta.dirname,
  extname: '.liquid',
  outputEscape: 'escape',
  strictVariables: true,
  strictFilters: true,
  ownPropertyOnly: true,
  cache: true,
})

export type Shown = { status: number; html: string } | { redirect: string }

/** GET /pay/:id */
export async function showPage(world: World, id: string, problem?: { text: string; email?: string }): Promise<Shown> {
  const session = world.find('checkout.session', id)
  const values = session ? valuesOf(world, session) : NO_SESSION
  const html = await engine.renderFile('page', {
    ...values,
    email: problem?.email ?? values.email,
    problem: problem?.text ?? '',
  })
  return { status: session ? 200 : 404, html: String(html) }
}

/** POST /pay/:id: one of the buttons. */
export async function pressButton(world: World, id: string, form: URLSearchParams): Promise<Shown> {
  const session = world.find('checkout.session', id)
  if (session?.status !== 'open') return showPage(world, id)
  const email = session.customer_email ?? (form.get('email') ?? '').trim()
  switch (form.get('button')) {
    case 'pay':
      if (!isEmail(email)) return showPage(world, id, { text: 'Please enter a valid email address.', email })
      pay(world, id, { email })
      return { redirect: successUrl(session) }
    case 'decline':
      decline(world, id)
      return showPage(world, id, { text: 'Your card was declined. Please try again.', email })
    default:
      return session.cancel_url ? { redirect: session.cancel_url } : showPage(world, id)
  }
}

export const successUrl = (session: Stripe.Checkout.Session) =>
  (session.success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', session.id)

const NO_SESSION = {
  state: 'missing',
  business: '',
  total: '',
  every: '',
  lines: [],
  discount: null,
  email: '',
  isEmailFixed: false,
  back: '',
  until: '',
}

function valuesOf(world: World, session: Stripe.Checkout.Session) {
  const { lines = [], discount, business = '' } = world.drafts.get(session.id) ?? {}
  const currency = session.currency ?? 'usd'
  return {
    state: session.status,
    business: business || world.accountOf(session.id) || 'Your test business',
    total: formatMoney(session.amount_total ?? 0, currency),
    every: everyOf(lines),
    lines: lines.map((line) => ({
      name: line.description,
      quantity: line.quantity,
      each: formatMoney(line.price?.unit_amount ?? 0, currency),
      total: formatMoney(line.amount_total, currency),
    })),
    discount: discount ? { name: discount.name, amount: formatMoney(-discount.amount, currency) } : null,
    email: session.customer_email ?? '',
    isEmailFixed: session.customer_email !== null,
    back: (session.status === 'complete' ? successUrl(sessionOf(world, session.id)) : session.cancel_url) ?? '',
    until: new Date(session.expires_at * 1_000).toISOString(),
  }
}

function everyOf(lines: Stripe.LineItem[]): string {
  const recurring = lines.find(({ price }) => price?.recurring)?.price?.recurring
  if (!recurring) return ''
  const { interval, interval_count: count } = recurring
  return count === 1 ? `per ${interval}` : `every ${count} ${interval}s`
}
