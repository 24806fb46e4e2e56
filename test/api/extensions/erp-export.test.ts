import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { exampleOf, startExtendedApi } from '../../support/extended-api.ts'
import { item, openShop } from '../../support/shop.ts'
import { until } from '../../support/until.ts'

type Got = { key: string; order: { id: string; total: number; lines: unknown[] } }

const got: Got[] = []
let failures = 0
const erp = createServer((request, response) => {
  void json(request).then((order) => {
    if (failures-- > 0) return response.writeHead(500).end()
    got.push({ key: String(request.headers['idempotency-key']), order: order as Got['order'] })
    return response.writeHead(204).end()
  })
})

let used: Awaited<ReturnType<typeof startExtendedApi>>
let worker: Awaited<ReturnType<typeof used.startWorker>>
before(async () => {
  erp.listen(0, '127.0.0.1')
  await once(erp, 'listening')
  const { port } = erp.address() as AddressInfo
  used = await startExtendedApi([exampleOf('erp-export')], { ERP_URL: `http://127.0.0.1:${port}/orders` })
  worker = await used.startWorker()
})
after(async () => {
  await worker.stop()
  await used.close()
  erp.close()
})

const sentOf = (orderId: string) => got.filter(({ order }) => order.id === orderId)

async function openFreeShop(cell?: string) {
  const shop = await openShop(used.make, cell ? { cell } : {})
  const product = await shop.priced(0)
  const buyer = await used.make.user()
  const buy = async () => {
    const { status, body, text } = await shop.checkout(buyer, { items: [item(product)] })
    assert.equal(status, 200, text)
    return body.orderId as string
  }
  return { ...shop, buy, exportOf: (orderId: string) => `${shop.path}/extensions/erp-export/orders/${orderId}` }
}

test('each paid order is sent once, with its lines, from every cell', async () => {
  for (const cell of ['main', 'second']) {
    const { buy, admin, exportOf } = await openFreeShop(cell)
    const orders = [await buy(), await buy()]
    for (const id of orders) {
      await until('the order was exported', async () => (await admin.get(exportOf(id))).body.exportedAt)
      assert.equal(sentOf(id).length, 1)
      assert.equal(sentOf(id)[0]?.key, id)
      assert.equal(sentOf(id)[0]?.order.lines.length, 1)
    }
  }
})

test('an order that the ERP does not take is sent again', async () => {
  failures = 1
  const { buy, admin, exportOf } = await openFreeShop()
  const id = await buy()
  await until('the order was exported', async () => (await admin.get(exportOf(id))).body.exportedAt)
  assert.equal(sentOf(id).length, 1)
})

test('staff may send it once more', async () => {
  const { buy, admin, exportOf } = await openFreeShop()
  const id = await buy()
  await until('the order was exported', async () => (await admin.get(exportOf(id))).body.exportedAt)
  const { status } = await admin.post(`${exportOf(id)}/again`, undefined)
  assert.equal(status, 202)
  await until('it came again', () => sentOf(id).length === 2)
  assert.equal((await admin.post(`${exportOf('ord_none')}/again`, undefined)).status, 404)
})
