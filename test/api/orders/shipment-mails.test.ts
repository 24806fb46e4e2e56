import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from 'kysely'
import { orderJobs } from '#modules/orders/index.ts'
import { useFaults } from '#platform/faults.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { createMake, type Make } from '../../support/make.ts'
import { openShippable, type Shippable } from '../../support/shippable.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { startTestWorker, type TestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

const used = {} as { api: TestApi; make: Make }
let mailServer: Awaited<ReturnType<typeof startMailServer>>
let worker: TestWorker
const startJobs = () => startTestWorker({ ...used.api.databases.env, ...mailServer.env }, orderJobs)

before(async () => {
  mailServer = await startMailServer()
  used.api = await startApi({ env: mailServer.env })
  used.make = createMake(used.api)
  worker = startJobs()
})
after(async () => {
  await worker.stop()
  await used.api.close()
  await mailServer.close()
})
afterEach(() => useFaults(undefined))

let count = 0
const address = () => `shopper${++count}-${process.pid}@example.com`
const mailsTo = (to: string) => mailServer.mails.filter((mail) => mail.to?.[0]?.address === to)

async function idle({ db }: Shippable) {
  await until('no mail waits', async () => {
    const { rows } = await sql`
      select from graphile_worker._private_jobs as job
        join graphile_worker._private_tasks as task on task.id = job.task_id
       where task.identifier = 'orders.send-shipment'`.execute(db)
    return rows.length === 0
  })
}

test('the customer is mailed what is in this parcel and how to follow it, in the name of the business', async () => {
  const shop = await openShippable(used.make, { name: 'Harbour & Sons', contactEmail: 'hello@harbour.example' })
  const contactEmail = address()
  const order = await shop.makeOrder([3, 1], { contactEmail })
  const { body } = await shop.admin.post(`${order.path}/shipments`, {
    lines: [{ lineId: order.lines[0]?.id, quantity: 2 }],
    carrier: 'DHL',
    trackingNumber: '0034',
    trackingUrl: 'https://dhl.example/track?n=0034&l=en',
  })
  assert.equal(body.notified, true)
  const mail = await mailServer.mailTo(contactEmail)
  const { number } = await shop.row(order.id)
  assert.deepEqual([mail.from?.name, mail.from?.address], ['Harbour & Sons', 'hello@kontor.example'])
  assert.deepEqual(
    mail.replyTo?.map((to) => to.address),
    ['hello@harbour.example'],
  )
  assert.equal(mail.subject, `Your order ${number} is on its way`)
  assert.match(mail.messageId ?? '', new RegExp(`^<shipment\\.${body.id}@`))
  for (const text of [mail.text ?? '', mail.html ?? '']) {
    assert.match(text, /2 × Mug/)
    assert.doesNotMatch(text, /Teapot/)
    assert.match(text, /DHL/)
    assert.match(text, /0034/)
    assert.match(text, new RegExp(number))
  }
  assert.match(mail.text ?? '', /Harbour & Sons has shipped[\s\S]*https:\/\/dhl\.example\/track\?n=0034&l=en/)
  assert.match(mail.html ?? '', /href="https:\/\/dhl\.example\/track\?n=0034&amp;l=en"/)
  await idle(shop)
  const told = (await shop.events(order.id)).filter(({ type }) => type === 'order.mail_sent')
  assert.deepEqual(
    told.map(({ data, actorKind }) => [data, actorKind]),
    [[{ number, mail: 'shipment', to: 'CUSTOMER' }, 'system']],
  )
})

test('each shipment has one mail: none when it is not wanted, one when it is asked for later', async () => {
  const shop = await openShippable(used.make)
  const contactEmail = address()
  const order = await shop.makeOrder([2], { contactEmail })
  const one = { lines: [{ lineId: order.lines[0]?.id, quantity: 1 }], notify: false }
  const { body } = await shop.admin.post(`${order.path}/shipments`, one)
  const at = `${order.path}/shipments/${body.id}`
  await shop.admin.put(at, { trackingNumber: '1' })
  await idle(shop)
  assert.deepEqual([body.notified, mailsTo(contactEmail).length], [false, 0])

  const asked = await shop.admin.put(at, { trackingNumber: '2', notify: true })
  await shop.admin.put(at, { trackingNumber: '3', notify: true })
  await idle(shop)
  assert.deepEqual([asked.body.notified, mailsTo(contactEmail).length], [true, 1])

  await shop.admin.post(`${order.path}/shipments`, {})
  await idle(shop)
  assert.equal(mailsTo(contactEmail).length, 2)
})

test('an order without an address is shipped without a mail, and so is one of a bulk with `notify: false`', async () => {
  const shop = await openShippable(used.make)
  const contactEmail = address()
  const [without, quiet] = [await shop.makeOrder([1]), await shop.makeOrder([1], { contactEmail })]
  const items = [{ orderId: without.id }, { orderId: quiet.id }]
  await shop.admin.post(`${shop.orders}/shipments`, { items, notify: false })
  await idle(shop)
  assert.equal((await shop.shipments(without))[0].notified, false)
  assert.equal(mailsTo(contactEmail).length, 0)
})

test('a shipment that is deleted before its mail goes out is not mailed', async () => {
  const shop = await openShippable(used.make)
  const contactEmail = address()
  const order = await shop.makeOrder([1], { contactEmail })
  await worker.stop()
  const { body } = await shop.admin.post(`${order.path}/shipments`, {})
  await shop.admin.delete(`${order.path}/shipments/${body.id}`)
  worker = startJobs()
  await idle(shop)
  assert.equal(mailsTo(contactEmail).length, 0)
})

test('a worker that dies after sending, before it could note that, sends the same mail again, under the same id', async () => {
  const shop = await openShippable(used.make)
  const contactEmail = address()
  const order = await shop.makeOrder([1], { contactEmail })
  let deaths = 0
  useFaults((name) => {
    if (name === 'shipment.mailed' && deaths++ === 0) throw new Error('killed')
  })
  await shop.admin.post(`${order.path}/shipments`, {})
  await idle(shop)
  const ids = mailsTo(contactEmail).map(({ messageId }) => messageId)
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
  const told = (await shop.events(order.id)).filter(({ type }) => type === 'order.mail_sent')
  assert.equal(told.length, 1)
})

test('texts of people are only text, in the mail and in its sender', async () => {
  const name = 'Evil "Shop" <b>x</b> =?utf-8?q?a?= https://evil.example win@evil.example'
  const shop = await openShippable(used.make, { name })
  const contactEmail = address()
  const order = await shop.makeOrder([1], { contactEmail })
  const carrier = '<img src=x onerror=alert(1)> {{ business }}'
  await shop.admin.post(`${order.path}/shipments`, {
    carrier,
    trackingNumber: '</p><script>1</script>',
    trackingUrl: "https://dhl.example/?'onclick='x",
  })
  const mail = await mailServer.mailTo(contactEmail)
  assert.equal(mail.from?.address, 'hello@kontor.example')
  assert.doesNotMatch(mail.from?.name ?? '', /evil\.example/)
  assert.doesNotMatch(mail.html ?? '', /<img|<script|<b>/)
  assert.ok(mail.text?.includes(carrier))
  assert.match(mail.html ?? '', /&#39;onclick=&#39;x/)
})

test('the mail links to the order where the shop shows it, as long as that origin is allowed', async () => {
  const shop = await openShippable(used.make, {
    allowedOrigins: ['https://harbour.example'],
    orderUrl: 'https://harbour.example/orders?id={orderId}&from="mail"',
  })
  const ship = async () => {
    const contactEmail = address()
    const order = await shop.makeOrder([1], { contactEmail })
    assert.equal((await shop.admin.post(`${order.path}/shipments`, {})).status, 201)
    return { order, mail: await mailServer.mailTo(contactEmail) }
  }
  const { order, mail } = await ship()
  const link = `https://harbour.example/orders?id=${order.id}&from=%22mail%22`
  assert.ok(mail.text?.includes(link), mail.text)
  assert.ok(mail.html?.includes(`href="${link.replace('&', '&amp;')}"`), mail.html)

  // The origin is no longer allowed.
  await used.api.services.databases.control
    .updateTable('access.businesses')
    .set({ allowedOrigins: [] })
    .where('id', '=', shop.id)
    .execute()
  assert.doesNotMatch((await ship()).mail.text ?? '', /harbour\.example/)
})
