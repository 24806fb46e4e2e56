import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { handle, operation } from '#platform/http/operation.ts'
import { sendFile } from '#platform/transfer/routes.ts'
import { createMake, type Make } from '../../support/make.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

const list = operation({
  method: 'GET',
  url: '/v1/businesses/:businessId/test-list',
  config: { access: 'ORDERS_READ', business: 'path', downloads: ['text/csv'] },
  schema: { operationId: 'testList' },
})

let api: TestApi
let make: Make
let whileRead: (businessId: string) => Promise<unknown>

before(async () => {
  api = await startApi({
    routes(app) {
      handle(app, list, ({ business }, reply) => sendFile(reply, 'list', 'csv', lines(business.id)))
    },
  })
  make = createMake(api)
})
after(() => api.close())

async function* lines(businessId: string): AsyncGenerator<string> {
  yield 'one\n'
  await whileRead(businessId)
  yield 'two\n'
}

test('a list of a business that moves while it is read is broken off, and does not look whole', async () => {
  const { id, admin, path } = await make.business({ cell: 'second' })
  whileRead = async () => {}
  assert.equal((await admin.get(`${path}/test-list`)).text, 'one\ntwo\n')
  whileRead = () =>
    transaction(api.services.databases.control, async (tx) => {
      await tx
        .updateTable('access.businesses')
        .set({ cell: 'main', movedAt: new Date() })
        .where('id', '=', id)
        .execute()
      await notify(tx, 'business', id)
    })
  await assert.rejects(admin.get(`${path}/test-list`), /terminated|other side closed|fetch failed/)
})
