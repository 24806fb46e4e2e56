import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

type Entry = { id: string; status: string; changedBy: string; userId?: string; timestamp: number }

async function makeHistory(statuses: object[] = [{ id: 'a', status: 'DRAFT' }]) {
  const shop = await used.make.shop()
  const product = await used.make.product(shop, { statuses })
  const put = (statuses: object[]) => shop.admin.put(product.path, { statuses })
  const read = async () => (await shop.admin.get(product.path)).body.statuses as Entry[]
  return {
    ...shop,
    product,
    put,
    read,
    isSeen: async () => (await (await used.make.guest()).get(product.path)).status === 200,
  }
}

const shortOf = (entries: Entry[]) => entries.map(({ id, status }) => `${id} ${status}`)
const statusesOf = (entries: Entry[]) => entries.map(({ status }) => status)

test('a product without statuses is a DRAFT', async () => {
  const { admin, products } = await used.make.shop()
  for (const body of [{ name: 'None' }, { name: 'Empty', statuses: [] }]) {
    const { statuses } = (await admin.post(products, body)).body
    assert.deepEqual(statusesOf(statuses), ['DRAFT'])
    assert.match(statuses[0].id, /^sts_[0-9a-z]{26}$/)
  }
})

test('what an entry does not say is filled in: who, when and an id', async () => {
  const { admin, products } = await used.make.shop()
  const clock = holdClock()
  try {
    const { body } = await admin.post(products, { name: 'Filled', statuses: [{ status: 'ACTIVE' }] })
    const [entry] = body.statuses
    const filled = { id: entry.id, status: 'ACTIVE', changedBy: 'USER', userId: admin.id, timestamp: body.createdAt }
    assert.deepEqual(body.statuses, [filled])
    clock.advance(30)
    const changed = await admin.put(`${products}/${body.id}`, { statuses: [{ id: 'mine', status: 'DRAFT' }] })
    const added = { id: 'mine', status: 'DRAFT', changedBy: 'USER', userId: admin.id, timestamp: body.createdAt + 30 }
    assert.deepEqual(changed.body.statuses, [filled, added])
  } finally {
    clock.release()
  }
})

test('who may write there is believed: changedBy, userId and timestamp stay as sent', async () => {
  const sent = { id: 'a', status: 'ACTIVE', changedBy: 'USER', userId: 'usr_other', timestamp: 0 }
  const system = { id: 'b', status: 'DRAFT', changedBy: 'SYSTEM', timestamp: 253 }
  const { read } = await makeHistory([sent, system])
  assert.deepEqual(await read(), [sent, system])
})

test('a timestamp may be five minutes ahead, not more', async () => {
  const clock = holdClock()
  try {
    const { put, read, admin, products } = await makeHistory()
    const at = Math.floor(Date.now() / 1000)
    const ahead = (seconds: number) => ({ id: 'b', status: 'ACTIVE', timestamp: at + seconds })
    const refused = '422 VALIDATION_FAILED statuses.1.timestamp INVALID'
    assert.equal(refusal(await put([{ status: 'DRAFT' }, ahead(400)])), refused)
    assert.equal(
      refusal(await admin.post(products, { name: 'Ahead', statuses: [{ status: 'DRAFT' }, ahead(400)] })),
      refused,
    )
    assert.deepEqual(statusesOf(await read()), ['DRAFT'])
    assert.equal((await put([ahead(290)])).status, 200)
    assert.equal((await read()).at(-1)?.timestamp, at + 290)
  } finally {
    clock.release()
  }
})

test('the last element is the current status', async () => {
  const { put, isSeen } = await makeHistory([{ status: 'ACTIVE' }, { status: 'DRAFT' }])
  assert.equal(await isSeen(), false)
  await put([{ status: 'ACTIVE' }])
  assert.equal(await isSeen(), true)
  await put([{ status: 'ARCHIVED' }])
  assert.equal(await isSeen(), false)
  await put([{ status: 'DRAFT' }, { status: 'ACTIVE' }])
  assert.equal(await isSeen(), true)
})

test('a history only grows: nothing that is left out, reordered or altered goes away', async () => {
  const { put, read } = await makeHistory()
  const first = await read()
  await put([{ id: 'b', status: 'ACTIVE' }])
  const second = await read()
  assert.deepEqual(second.slice(0, 1), first)
  assert.deepEqual(shortOf(second), ['a DRAFT', 'b ACTIVE'])

  for (const statuses of [
    [],
    second,
    second.toReversed(),
    [second[1]],
    [{ id: 'a', status: 'DRAFT', timestamp: 1, userId: 'usr_forged', changedBy: 'SYSTEM' }],
  ]) {
    const { status, text } = await put(statuses as object[])
    assert.equal(status, 200, text)
    assert.deepEqual(await read(), second)
  }
  await put([...second, { id: 'c', status: 'ARCHIVED' }])
  assert.deepEqual(shortOf(await read()), ['a DRAFT', 'b ACTIVE', 'c ARCHIVED'])
})

test('an id that is there with another status is a conflict, and nothing is changed', async () => {
  const { put, read, admin, product, products } = await makeHistory()
  assert.equal(
    refusal(await put([{ status: 'ACTIVE' }, { id: 'a', status: 'ACTIVE' }])),
    '409 CONFLICT statuses.1.id STATUS_EXISTS',
  )
  const whole = await admin.put(product.path, { name: 'Lost', statuses: [{ id: 'a', status: 'ARCHIVED' }] })
  assert.equal(refusal(whole), '409 CONFLICT statuses.0.id STATUS_EXISTS')
  assert.deepEqual(shortOf(await read()), ['a DRAFT'])
  assert.equal((await admin.get(product.path)).body.name, product.name)

  const twice = [
    { id: 'x', status: 'DRAFT' },
    { id: 'x', status: 'ACTIVE' },
  ]
  assert.equal(
    refusal(await admin.post(products, { name: 'Twice', statuses: twice })),
    '409 CONFLICT statuses.1.id STATUS_EXISTS',
  )
})

test('an entry without an id that repeats the current status is not added; one with a new id is', async () => {
  const { put, read } = await makeHistory([{ id: 'a', status: 'ACTIVE' }])
  await put([{ status: 'ACTIVE' }])
  await put([{ status: 'ACTIVE', timestamp: 5, changedBy: 'SYSTEM' }])
  assert.deepEqual(shortOf(await read()), ['a ACTIVE'])
  await put([{ id: 'b', status: 'ACTIVE' }])
  assert.deepEqual(shortOf(await read()), ['a ACTIVE', 'b ACTIVE'])
  await put([{ status: 'DRAFT' }, { status: 'DRAFT' }, { status: 'ACTIVE' }, { status: 'ACTIVE' }])
  assert.deepEqual(statusesOf(await read()), ['ACTIVE', 'ACTIVE', 'DRAFT', 'ACTIVE'])
})

test('the same id twice in one body is one entry', async () => {
  const twice = [
    { id: 'x', status: 'ACTIVE' },
    { id: 'x', status: 'ACTIVE' },
  ]
  const { read } = await makeHistory(twice)
  assert.deepEqual(shortOf(await read()), ['x ACTIVE'])
})

test('status ids are a product’s own', async () => {
  const shop = await used.make.shop()
  const body = { statuses: [{ id: 'same', status: 'ACTIVE' }] }
  const [first, second] = [
    await used.make.product(shop, body),
    await used.make.product(shop, { statuses: [{ id: 'same', status: 'DRAFT' }] }),
  ]
  assert.deepEqual([shortOf(first.body.statuses), shortOf(second.body.statuses)], [['same ACTIVE'], ['same DRAFT']])
})

test('many status changes at once are all kept, each once', async () => {
  const { put, read } = await makeHistory()
  const statuses = ['ACTIVE', 'ARCHIVED', 'DRAFT']
  const changes = Array.from({ length: 12 }, (_, n) => put([{ id: `n${n % 6}`, status: statuses[n % 3] }]))
  for (const { status, text } of await Promise.all(changes)) assert.equal(status, 200, text)
  assert.deepEqual(shortOf(await read()).sort(), [
    'a DRAFT',
    'n0 ACTIVE',
    'n1 ARCHIVED',
    'n2 DRAFT',
    'n3 ACTIVE',
    'n4 ARCHIVED',
    'n5 DRAFT',
  ])
})

test('a thousand entries are kept, and no more', async () => {
  const entries = (round: number) => Array.from({ length: 100 }, (_, n) => ({ id: `r${round}-${n}`, status: 'ACTIVE' }))
  const { put, read } = await makeHistory(entries(0))
  for (let round = 1; round < 10; round++) assert.equal((await put(entries(round))).status, 200)
  assert.equal((await read()).length, 1_000)
  assert.equal(refusal(await put([{ id: 'more', status: 'DRAFT' }])), '422 VALIDATION_FAILED statuses TOO_MANY')
  assert.equal(refusal(await put([...entries(10), { status: 'DRAFT' }])), '422 VALIDATION_FAILED statuses TOO_MANY')
  assert.equal((await put(entries(3))).status, 200)
  assert.equal((await read()).length, 1_000)
})

test('a history of any length can be sent back as it was read', async () => {
  const entries = (round: number) => Array.from({ length: 100 }, (_, n) => ({ id: `r${round}-${n}`, status: 'ACTIVE' }))
  const { put, read, admin, product } = await makeHistory(entries(0))
  await put([{ status: 'DRAFT' }])
  const { body } = await admin.get(product.path)
  const sentBack = await admin.put(product.path, body)
  assert.equal(sentBack.status, 200, sentBack.text)
  assert.deepEqual(await read(), body.statuses)
})
