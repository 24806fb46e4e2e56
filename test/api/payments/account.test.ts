import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setPaymentAccount } from '#modules/access/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })

test('whoever sets up a business sees by four characters where its money goes', async () => {
  const { id, admin, path } = await used.make.business()
  const read = async () => (await admin.get(`${path}/payment-account`)).body
  assert.deepEqual(await read(), { status: 'SHARED', provider: 'stripe', lastFour: null })
  const { control } = used.api.services.databases
  await transaction(control, (tx) => setPaymentAccount(tx, id, `acct_secret${id.slice(-6)}x7q2`))
  await until('its own account is known', async () => (await read()).status === 'OWN')
  assert.deepEqual(await read(), { status: 'OWN', provider: 'stripe', lastFour: 'x7q2' })
  const clerk = await used.make.member(id, 'ORDERS_READ')
  assert.equal(refusal(await clerk.get(`${path}/payment-account`)), '403 FORBIDDEN')
  assert.equal(refusal(await (await used.make.business()).admin.get(`${path}/payment-account`)), '403 FORBIDDEN')
})
