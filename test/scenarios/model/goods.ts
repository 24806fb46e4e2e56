import assert from 'node:assert/strict'
import fc from 'fast-check'
import { refusal } from '../../support/refusal.ts'
import { ask, index, withOrder } from './command.ts'
import { askedOf, isPaidFor, leftOf, type ModelOrder } from './model.ts'
import { bringBack, fulfillmentOf, leftToShip, type Origin, refundPieces } from './pieces.ts'
import { nameOf, troubleAt } from './troubles.ts'

const pieces = fc.integer({ min: 1, max: 3 })
const isShippable = ({ status }: ModelOrder) => status === 'PROCESSING' || status === 'SHIPPED'

export const ship = fc
  .tuple(index, fc.oneof(fc.constant(undefined), pieces), troubleAt('ship'))
  .map(([wanted, some, trouble]) =>
    withOrder(
      wanted,
      `ship ${some ?? 'all'}${nameOf(trouble)} of`,
      async (_model, real, order) => {
        const left = leftToShip(order)
        const isTooMany = some === undefined ? left === 0 : some > left
        const expected = !isShippable(order)
          ? '409 CONFLICT id WRONG_STATE'
          : isTooMany
            ? some === undefined
              ? '409 CONFLICT lines NOTHING_TO_SHIP'
              : '422 VALIDATION_FAILED lines.0.quantity TOO_MANY'
            : '201'
        const answer = await ask(real, trouble, await real.newShipment(order, some))
        assert.equal(refusal(answer), expected)
        if (answer.status !== 201) return
        order.shipments.push(some ?? left)
        assert.equal(answer.body.lines[0].quantity, some ?? left)
        if (order.status !== 'PROCESSING' || fulfillmentOf(order) !== 'FULFILLED') return
        order.status = 'SHIPPED'
        order.isMovedByShipment = true
      },
      undefined,
      (order) => isShippable(order) && leftToShip(order) > 0,
    ),
  )

export const takeBackShipment = index.map((wanted) =>
  withOrder(
    wanted,
    'delete the last shipment of',
    async (_model, real, order) => {
      const answer = await real.deleteLastShipment(order)
      assert.equal(refusal(answer), isShippable(order) ? '200' : '409 CONFLICT id WRONG_STATE')
      if (answer.status !== 200) return
      order.shipments.pop()
      if (order.isMovedByShipment) order.status = 'PROCESSING'
      order.isMovedByShipment = false
    },
    ({ shipments }) => shipments.length > 0,
  ),
)

/** A person says so, with or without a shipment. */
export const handOver = index.map((wanted) =>
  withOrder(
    wanted,
    'set SHIPPED for',
    async (_model, real, order) => {
      assert.equal(refusal(await real.setStatus(order, 'SHIPPED')), '200')
      order.status = 'SHIPPED'
      order.isMovedByShipment = false
    },
    ({ status }) => status === 'PROCESSING',
  ),
)

export const sendBack = fc.tuple(index, pieces, troubleAt('return')).map(([wanted, some, trouble]) =>
  withOrder(
    wanted,
    `return ${some}${nameOf(trouble)} of`,
    async (_model, real, order) => {
      const isTooMany = some > order.quantity - order.returned
      const answer = await ask(real, trouble, await real.newReturn(order, some))
      assert.equal(refusal(answer), isTooMany ? '422 VALIDATION_FAILED lines.0.quantity TOO_MANY' : '201')
      if (answer.status === 201) assert.equal(answer.body.lines[0].restocked, bringBack(order, some))
    },
    undefined,
    ({ shipments }) => shipments.length > 0,
  ),
)

export const refundLines = fc
  .tuple(
    index,
    pieces,
    fc.constantFrom<Origin | undefined>(undefined, undefined, 'UNSHIPPED', 'SHIPPED'),
    fc.boolean(),
    troubleAt('refund'),
  )
  .map(([wanted, some, from, restock, trouble]) =>
    withOrder(
      wanted,
      `refund ${some} pieces (${from ?? 'any'}${restock ? ', into stock' : ''})${nameOf(trouble)} of`,
      async (_model, real, order) => {
        const expected = refundPieces(order, some, from)
        const quoted = await real.quoteRefund(order, some, from)
        const answer = await ask(real, trouble, await real.newLineRefund(order, some, from, restock))
        if (typeof expected === 'string') {
          assert.deepEqual([refusal(quoted), refusal(answer)], [expected, expected])
          return
        }
        const { amount, unshipped } = expected
        assert.deepEqual([refusal(quoted), refusal(answer)], ['200', '201'])
        assert.deepEqual([quoted.body.amount, quoted.body.left], [amount, leftOf(order) - amount], 'the quote')
        const parts = [
          { quantity: unshipped, from: 'UNSHIPPED' as const },
          { quantity: some - unshipped, from: 'SHIPPED' as const },
        ].filter(({ quantity }) => quantity > 0)
        const { lines } = answer.body as { lines: { quantity: number; from: Origin; amount: number }[] }
        assert.deepEqual(
          { amount: answer.body.amount, parts: lines.map(({ quantity, from }) => ({ quantity, from })) },
          { amount, parts },
          'the refund',
        )
        assert.deepEqual(lines, quoted.body.lines)
        order.refunds.push(expected)
        if (restock) for (const part of parts) bringBack(order, part.quantity, part.from)
      },
      (order) => order.refundedThere === order.refundedHere || askedOf(order).length === 0,
      isPaidFor,
    ),
  )
