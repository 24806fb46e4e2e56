import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { catalogJobs } from '#modules/catalog/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { holdClock } from '../../support/clock.ts'
import { eventsOf, faultsIn, importFile, toLines } from '../../support/imports.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const mailServer = await startMailServer()
const used = useWorld({ worker: 'catalog', own: true, env: mailServer.env })
after(() => mailServer.close())
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const job = catalogJobs.find(({ name }) => name === 'catalog.announce-low-stock')

/** What a worker does every minute, with all that comes of it. */
async function announce(db: Db) {
  assert.ok(job?.on === 'cell')
  await transaction(db, (tx) => enqueue(tx, job, {}))
  await until('the queue is empty', async () => {
    const { rows } = await sql`select 1 from graphile_worker.jobs where task_identifier like 'catalog.%'`.execute(db)
    return rows.length === 0
  })
}

let count = 0
type Variant = { id: string; name?: string; sku?: string; inventory: object }
const LOW = { tracked: true, quantity: 10, lowStockThreshold: 5 }

/** A shop that wants its mails at an address of its own; calls with a key, which lasts however the clock is moved. */
async function makeShop(options: { cell?: string; contactEmail?: string | null } = {}) {
  const shop = await used.make.shop(options)
  const address = `low${++count}@example.com`
  const { contactEmail = address } = options
  assert.equal((await shop.admin.put(shop.path, { contactEmail })).status, 200)
  const key = await used.make.apiKey(shop.admin.id)
  const mails = () => mailServer.mails.filter((mail) => mail.to?.[0]?.address === address)
  return {
    ...shop,
    key,
    mails,
    announce: () => announce(shop.db),
    news: async () => (await eventsOf(shop.db, shop.id, 'stock.low')).map(({ subject, data }) => ({ subject, data })),
    product: async (variants: Variant[] = [{ id: 'one', inventory: LOW }], body: object = {}) => {
      const made = await used.make.product(shop, { ...body, variants })
      return {
        ...made,
        move: async (delta: number, variantId = 'one') => {
          const moved = await key.post(`${made.path}/variants/${variantId}/stock`, { delta })
          assert.equal(moved.status, 201, moved.text)
        },
        put: async (changed: { id: string; inventory: object }[]) => {
          const put = await key.put(made.path, { variants: changed })
          assert.equal(put.status, 200, put.text)
        },
      }
    },
  }
}

test('stock that falls to its threshold is told once, by an event and a mail', async () => {
  const shop = await makeShop()
  const product = await shop.product()
  await product.move(-4)
  await shop.announce()
  assert.deepEqual([await shop.news(), shop.mails().length], [[], 0], '6 are more than 5')

  await product.move(-1)
  await shop.announce()
  const told = [{ subject: product.id, data: { variantId: 'one', quantity: 5, lowStockThreshold: 5 } }]
  assert.deepEqual([await shop.news(), shop.mails().length], [told, 1])

  await shop.announce()
  await product.move(-1)
  await shop.announce()
  assert.deepEqual([await shop.news(), shop.mails().length], [told, 1], 'it was below already')
})

test('a PUT and an import that set stock tell it, too', async () => {
  const shop = await makeShop({ cell: 'second' })
  const product = await shop.product()
  await product.put([{ id: 'one', inventory: { quantity: 3 } }])
  await shop.announce()
  assert.deepEqual([(await shop.news()).length, shop.mails().length], [1, 1])

  const other = await shop.product([{ id: 'two', inventory: LOW }], { slug: 'imported' })
  await importFile(shop, toLines([{ slug: 'imported', variants: [{ id: 'two', inventory: { quantity: 0 } }] }]))
  await shop.announce()
  assert.deepEqual((await shop.news()).at(-1), {
    subject: other.id,
    data: { variantId: 'two', quantity: 0, lowStockThreshold: 5 },
  })
  assert.equal(shop.mails().length, 2)
})

test('however many variants ran low, one mail a business and round tells it', async () => {
  const [first, second] = [await makeShop({ cell: 'main' }), await makeShop({ cell: 'main' })]
  const variants = ['one', 'two', 'three'].map((id) => ({ id, name: id.toUpperCase(), inventory: LOW }))
  const [mug, cup, bowl] = [
    await first.product(variants, { name: 'Mug' }),
    await first.product(undefined, { name: 'Cup' }),
    await second.product(undefined, { name: 'Bowl' }),
  ]
  await mug.put(variants.map(({ id }, index) => ({ id, inventory: { quantity: index } })))
  await cup.move(-9)
  await bowl.move(-10)
  await first.announce()

  assert.equal((await first.news()).length, 4)
  assert.equal((await second.news()).length, 1)
  const [mail, ...more] = first.mails()
  assert.deepEqual([mail?.subject, more.length], ['Low stock: 4 variants', 0])
  for (const text of ['Mug, ONE', 'Mug, TWO', 'Mug, THREE', 'Cup']) assert.ok(mail?.text?.includes(text), mail?.text)
  assert.doesNotMatch(mail?.text ?? '', /Bowl/)
  assert.deepEqual(
    second.mails().map(({ subject }) => subject),
    ['Low stock: Bowl'],
  )
})

test('a variant is told at most once a day', async () => {
  const shop = await makeShop()
  const product = await shop.product()
  const dip = async () => {
    await product.move(-6)
    await product.move(6)
    await product.move(-6)
    await shop.announce()
    await product.move(6)
    return (await shop.news()).length
  }
  assert.equal(await dip(), 1)
  clock.advance(23 * 3_600)
  assert.equal(await dip(), 1, 'within a day')
  clock.advance(2 * 3_600)
  assert.equal(await dip(), 2, 'a day later')
  assert.equal(shop.mails().length, 2)
})

test('neither rising stock, nor what is not tracked or has no threshold, nor a refused change is news', async () => {
  const shop = await makeShop()
  const product = await shop.product([
    { id: 'rising', inventory: { tracked: true, quantity: 1, lowStockThreshold: 5 } },
    { id: 'untracked', inventory: { tracked: false, quantity: 10, lowStockThreshold: 5 } },
    { id: 'unwatched', inventory: { tracked: true, quantity: 10 } },
    { id: 'refused', inventory: LOW },
    { id: 'raised', inventory: LOW },
  ])
  await product.move(2, 'rising')
  await product.move(50, 'rising')
  await product.move(-10, 'untracked')
  await product.move(-10, 'unwatched')
  const refused = await shop.key.post(`${product.path}/variants/refused/stock`, { delta: -11 })
  assert.equal(refused.status, 409)
  const kept = ['rising', 'untracked', 'unwatched', 'refused'].map((id) => ({ id, inventory: {} }))
  await product.put([...kept, { id: 'raised', inventory: { lowStockThreshold: 50 } }])
  await shop.announce()
  assert.deepEqual([await shop.news(), shop.mails().length], [[], 0])
})

test('what has risen again before the mail is written is not in it', async () => {
  const shop = await makeShop()
  const [product, other] = [await shop.product(), await shop.product(undefined, { name: 'Still low' })]
  await product.move(-8)
  await product.move(500)
  await other.move(-8)
  await shop.announce()
  assert.deepEqual(
    shop.mails().map(({ subject }) => subject),
    ['Low stock: Still low'],
  )
})

test('a business without a contact address gets the event only', async () => {
  const shop = await makeShop({ contactEmail: null })
  const before = mailServer.mails.length
  const product = await shop.product()
  await product.move(-7)
  await shop.announce()
  assert.equal((await shop.news()).length, 1)
  assert.equal(mailServer.mails.length, before)
})

test('a product that was deleted meanwhile is in no mail', async () => {
  const shop = await makeShop()
  const product = await shop.product()
  await product.move(-7)
  assert.equal((await shop.key.delete(product.path)).status, 200)
  await shop.announce()
  assert.equal(shop.mails().length, 0)
})

test('names are text in the mail, whatever they look like', async () => {
  const shop = await makeShop()
  const name = `<b>Tom & "Jerry"</b>\r\nBcc: evil@example.com {{ low }}`
  const product = await shop.product([{ id: 'one', name: '<i>Red</i>', sku: 'A<B', inventory: LOW }], { name })
  await product.move(-7)
  await shop.announce()
  const [mail] = shop.mails()
  assert.equal(mail?.subject?.replaceAll(/\s+/g, ' '), `Low stock: ${name.replaceAll(/\s+/g, ' ')}`)
  assert.deepEqual([mail?.bcc, mail?.cc, mail?.to?.length], [undefined, undefined, 1])
  const html = mail?.html ?? ''
  assert.ok(html.includes('&lt;b&gt;Tom &amp; &#34;Jerry&#34;&lt;/b&gt;'), html)
  assert.ok(html.includes('&lt;i&gt;Red&lt;/i&gt;') && html.includes('A&lt;B') && html.includes('3 left'))
  assert.doesNotMatch(html, /<b>|<i>/)
  assert.match(mail?.text ?? '', /<b>Tom & "Jerry"<\/b>/)
  assert.match(mail?.text ?? '', /3 left/)
  assert.match(mail?.text ?? '', /Stock is running low/)
})
