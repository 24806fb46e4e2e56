import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openPaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { usePaymentsApi } from '../../support/payments-api.ts'

// While processes are replaced, some of the version before still run on the new schema.

const service = usePaymentsApi()

test('a refund that the version before asks for is carried out by this one', async () => {
  const paidShop = await openPaidShop(service)
  const order = await paidShop.buy()
  service.twin.pay(order.pageId)
  await waitUntilIdle(service, paidShop.db)
  await sql`
    insert into payments.refunds (business_id, id, payment_id, amount, status, due_at, created_at, updated_at)
    select business_id, 'ref_former', id, 300, 'ASKED', now(), now(), now()
      from payments.payments where subject = ${`order:${order.id}`}`.execute(paidShop.db)
  const words = async () => (await order.refunds()).map(({ status }) => status)
  assert.deepEqual(await words(), ['PENDING'])
  await service.sweep(paidShop.db)
  assert.deepEqual(await words(), ['SUCCEEDED'])
})

test('the account of a business is the same under its former name, whoever sets it', async () => {
  const { id } = await service.make.business()
  const { control } = service.api.services.databases
  const accounts = async () => {
    const row = await control.selectFrom('access.businesses').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    return [row.paymentAccount, row.stripeAccountId]
  }
  const set = (values: object) => control.updateTable('access.businesses').set(values).where('id', '=', id).execute()
  await set({ stripeAccountId: 'acct_former' })
  assert.deepEqual(await accounts(), ['acct_former', 'acct_former'])
  await set({ paymentAccount: 'acct_now' })
  assert.deepEqual(await accounts(), ['acct_now', 'acct_now'])
  await set({ stripeAccountId: null })
  assert.deepEqual(await accounts(), [null, null])
})
