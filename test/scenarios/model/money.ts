import assert from 'node:assert/strict'
import fc from 'fast-check'
import { refusal } from '../../support/refusal.ts'
import { ask, index, withOrder } from './command.ts'
import { askedOf, closeThere, end, isPaidFor, learn, leftOf, type ModelOrder } from './model.ts'
import { refundOf } from './pieces.ts'
import type { Real } from './real.ts'
import { nameOf, troubleAt } from './troubles.ts'

const EVENTS = ['once', 'twice', 'lost'] as const
const events = fc.constantFrom(...EVENTS, 'once' as const)

/** Somebody does something at the provider; it works if, and only if, the page is in the state that the model says. */
async function doThere(
  real: Real,
  order: ModelOrder,
  fate: (typeof EVENTS)[number],
  works: boolean,
  what: () => unknown,
) {
  const { twin } = real
  twin.mischief({ shuffle: true, ...(fate === 'twice' && { duplicate: 1 }), ...(fate === 'lost' && { drop: 1 }) })
  try {
    if (works) what()
    else assert.throws(what)
  } finally {
    twin.mischief({ shuffle: true })
  }
  if (works && fate !== 'lost') order.hasNews = true
}

export const pay = fc.tuple(index, events).map(([wanted, fate]) =>
  withOrder(
    wanted,
    `pay (events ${fate})`,
    async (_model, real, order) => {
      const works = order.there === 'OPEN'
      await doThere(real, order, fate, works, () => real.twin.pay(order.pageId ?? ''))
      if (works) order.there = 'PAID'
    },
    ({ pageId }) => pageId !== undefined,
    ({ there }) => there === 'OPEN',
  ),
)

export const endPage = fc.tuple(index, events).map(([wanted, fate]) =>
  withOrder(
    wanted,
    `end the page (events ${fate}) of`,
    async (_model, real, order) => {
      const works = order.there === 'OPEN'
      await doThere(real, order, fate, works, () => real.twin.expire(order.pageId ?? ''))
      if (works) order.there = 'ENDED'
    },
    ({ pageId }) => pageId !== undefined,
    ({ there }) => there === 'OPEN',
  ),
)

export const refundThere = fc.tuple(index, events, fc.boolean()).map(([wanted, fate, isAll]) =>
  withOrder(
    wanted,
    `refund ${isAll ? 'all' : 'a part'} at the provider (events ${fate}) of`,
    async (_model, real, order) => {
      const left = order.total - order.refundedThere
      const amount = isAll ? left : Math.min(left, 100)
      await doThere(real, order, fate, left > 0, () => real.twin.refund(real.intentOf(order), amount))
      order.refundedThere += amount
    },
    // With refunds of ours on the way it would be chance for which of them there is money left.
    (order) => order.there === 'PAID' && askedOf(order).length === 0,
  ),
)

export const cancel = fc.tuple(index, troubleAt('cancel')).map(([wanted, trouble]) =>
  withOrder(wanted, `cancel${nameOf(trouble)}`, async (model, real, order) => {
    const isPaidMeanwhile = order.status === 'PENDING' && order.there === 'PAID'
    const answer = await ask(real, trouble, () => real.setStatus(order, 'CANCELLED'))
    if (isPaidMeanwhile) {
      learn(model, order)
      // Whoever did not get that answer and asks again, cancels an order that is known to be paid.
      if (trouble === undefined || answer.status === 409) {
        assert.equal(refusal(answer), '409 CONFLICT status ORDER_PAID')
        return
      }
    }
    assert.equal(refusal(answer), '200')
    closeThere(order)
    order.here = order.there
    end(order)
  }),
)

/** By its own customer, or by somebody whom it does not concern. */
export const cancelOwn = fc
  .tuple(index, fc.constantFrom(true, true, true, true, true, false), troubleAt('own cancel'))
  .map(([wanted, isOwn, trouble]) =>
    withOrder(
      wanted,
      `cancel as ${isOwn ? 'its' : 'another'} customer${nameOf(trouble)}`,
      async (model, real, order) => {
        const answer = await ask(real, trouble, () => real.cancelAs(isOwn ? order.buyer : 1 - order.buyer, order))
        if (!isOwn) return assert.equal(refusal(answer), '404 NOT_FOUND')
        if (order.status === 'CANCELLED') return assert.equal(refusal(answer), '200')
        if (order.status !== 'PENDING') {
          const isPaid = order.status === 'PROCESSING' && order.payment === 'PAID'
          return assert.equal(refusal(answer), `409 CONFLICT id ${isPaid ? 'ORDER_PAID' : 'WRONG_STATE'}`)
        }
        if (order.there === 'PAID') {
          learn(model, order)
          const isRefunded = order.payment !== 'PAID' && trouble !== undefined // found out by the second try
          assert.ok(
            ['409 CONFLICT id ORDER_PAID', isRefunded && '409 CONFLICT id WRONG_STATE'].includes(refusal(answer)),
          )
          return
        }
        assert.equal(refusal(answer), '200')
        closeThere(order)
        order.here = order.there
        end(order)
      },
      undefined,
      ({ status }) => status === 'PENDING',
    ),
  )

export const refund = fc
  .tuple(index, fc.constantFrom('all', 'a part', 'too much'), troubleAt('refund'))
  .map(([wanted, how, trouble]) =>
    withOrder(
      wanted,
      `refund ${how}${nameOf(trouble)} of`,
      async (_model, real, order) => {
        const left = leftOf(order)
        const amount = how === 'all' ? undefined : how === 'a part' ? Math.min(100, left || 100) : left + 1
        const send = real.newRefund(order, amount)
        const expected =
          left === 0
            ? `409 CONFLICT ${order.pageId === undefined ? 'id' : 'amount'} NOTHING_TO_REFUND`
            : how === 'too much'
              ? '422 VALIDATION_FAILED amount TOO_LARGE'
              : '201'
        const answer = await ask(real, trouble, send)
        assert.equal(refusal(answer), expected)
        if (answer.status === 201) order.refunds.push(refundOf(order, amount))
      },
      (order) => order.refundedThere === order.refundedHere || askedOf(order).length === 0,
      isPaidFor,
    ),
  )
