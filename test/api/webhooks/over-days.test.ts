import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jobs } from '../../../src/apps/jobs.ts'
import { holdClock } from '../../support/clock.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { happen, useWebhooks } from '../../support/webhooks.ts'

const used = useWebhooks()
const clock = holdClock()
after(() => clock.release())
const DAY = 86_400

async function told() {
  const business = await used.make.business()
  const receiver = await startReceiver((_received, response) => void response.writeHead(500).end('down'))
  const { body } = await business.admin.post(`${business.path}/webhook-endpoints`, {
    url: receiver.url,
    types: ['order.*'],
  })
  const path = `${business.path}/webhook-endpoints/${body.id}`
  const key = await used.make.apiKey(business.admin.id, business.id) // tokens do not live for days
  const deliveries = async (status: string) => (await key.get(`${path}/deliveries?status=${status}`)).body.items
  /** Those that are noted: the clock must not be moved before, or the next one is that much later. */
  const noted = async () => {
    const rows: { attempts: unknown[] }[] = [...(await deliveries('PENDING')), ...(await deliveries('FAILED'))]
    return rows.reduce((sum, { attempts }) => sum + attempts.length, 0)
  }
  return {
    ...business,
    receiver,
    endpointId: body.id as string,
    read: async () => (await key.get(path)).body,
    deliveries,
    events: async (type: string) => (await key.get(`${business.path}/events?type=${type}`)).body.items,
    attempts: (count: number) =>
      until(`${count} attempts`, async () => {
        const { length } = receiver.received
        return length >= count && (await noted()) >= length
      }),
  }
}

test('an endpoint that only fails is mailed about after a day, and disabled after five; nothing is lost until then', async (t) => {
  const shop = await told()
  t.after(() => shop.receiver.close())
  const mail = await startMailServer()
  const worker = startTestWorker({ ...used.api.databases.env, ...mail.env }, jobs)
  t.after(async () => {
    await worker.stop()
    await mail.close()
  })
  await happen(used.api, shop.id, 1)
  await shop.attempts(1)
  const since = (await until('it fails', async () => (await shop.read()).failingSince)) as number
  clock.advance(DAY + 60)
  await shop.attempts(2)
  const warning = await mail.mailTo(shop.admin.email ?? '')
  assert.match(warning.subject ?? '', /^Webhooks to 127\.0\.0\.1 fail$/)
  assert.equal((await shop.read()).status, 'FAILING')
  // Tried for three days, then given up; the endpoint goes on, with what comes after.
  clock.advance(DAY)
  await shop.attempts(3)
  clock.advance(DAY)
  await shop.attempts(4)
  await until('it is given up', async () => (await shop.deliveries('FAILED')).length === 1)
  assert.equal((await shop.read()).failingSince, since)
  assert.equal(mail.mails.length, 1)
  clock.advance(2 * DAY)
  await happen(used.api, shop.id, 2)
  const disabled = await until('it is disabled', async () => {
    const read = await shop.read()
    return read.status === 'DISABLED' && read
  })
  assert.equal(disabled.disabledReason, 'FAILING')
  const last = await mail.mailTo(shop.admin.email ?? '', 2)
  assert.match(last.subject ?? '', /are disabled$/)
  const [event] = await until('it is told', async () => {
    const events = await shop.events('webhook_endpoint.disabled')
    return events.length > 0 && events
  })
  assert.deepEqual([event.subject, event.data], [shop.endpointId, { reason: 'FAILING', failingSince: since }])
})

test('an endpoint that was dead for days gets all that happened meanwhile, in its order, and costs few rows', async (t) => {
  const shop = await told()
  t.after(() => shop.receiver.close())
  await happen(used.api, shop.id, 500)
  await shop.attempts(5)
  for (let day = 1; day <= 3; day++) {
    const before = shop.receiver.received.length
    clock.advance(DAY)
    await shop.attempts(before + 1)
  }
  const rows = (await shop.deliveries('PENDING')).length + (await shop.deliveries('FAILED')).length
  assert.ok(rows < 20, `${rows} rows`)
  const { lastNumber } = await shop.read()
  shop.receiver.answer((_received, response) => void response.writeHead(200).end())
  shop.receiver.received.length = 0
  clock.advance(DAY)
  await until('it is up to date', async () => (await shop.read()).behind === 0)
  const numbers = shop.receiver.numbers().filter((number) => number > lastNumber + 1)
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    numbers.length > 400 ? Array.from({ length: numbers.length }, (_, index) => 501 - numbers.length + 1 + index) : [],
  )
  for (const [index, number] of numbers.entries())
    assert.ok(numbers.slice(0, index).filter((other) => other > number).length < 4)
})
