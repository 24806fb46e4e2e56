import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { RULES } from '#apps/rules.ts'
import { cannotBeChecked, findWithin } from '#modules/checks/find-broken.ts'
import { type ChecksState, checkJobs, checkNext, openNight, type Rule, startChecks } from '#modules/checks/index.ts'
import { takeTurn } from '#modules/checks/turn.ts'
import { now } from '#platform/clock.ts'
import { loadConfig } from '#platform/config.ts'
import { type Db, openDatabases } from '#platform/database/database.ts'
import { createMailer } from '#platform/mail/mailer.ts'
import { assertError } from '../../support/assert-error.ts'
import { checkAll, checkOnce } from '../../support/checks.ts'
import { holdClock } from '../../support/clock.ts'
import { follow } from '../../support/customers.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { createMake, type Make } from '../../support/make.ts'
import { openShop } from '../../support/shop.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

let api: TestApi
let make: Make
let mails: Awaited<ReturnType<typeof startMailServer>>

before(async () => {
  mails = await startMailServer()
  api = await startApi({})
  make = createMake(api)
})
after(async () => {
  await api.close()
  await mails.close()
})

type CheckedRule = {
  rule: string
  holds: boolean | null
  count: number
  examples: Record<string, unknown>[]
  since: number | null
}
type Answer = {
  finishedAt: number | null
  items: CheckedRule[]
  run: Record<string, unknown> | null
  canRunAt: number | null
}
type Shop = Awaited<ReturnType<typeof makeShop>>
type Said = { businessId?: string; rules: string[]; err: { message: string } }

/** A shop with a product and an order by hand, in a cell that has nothing else to check. */
async function makeShop(cell = 'second') {
  const opened = await openShop(make, { cell })
  // A key, because tokens end before the next night.
  const shop = { ...opened, admin: await make.apiKey(opened.admin.id) }
  const goods = await shop.priced(1_000)
  await shop.admin.post(`${shop.path}/stock`, { items: [{ productId: goods.id, variantId: 'one', delta: -1 }] })
  await follow(api, shop.db)
  const path = `${shop.path}/checks`
  const read = async () => {
    const answer = await shop.admin.get(path)
    assert.equal(answer.status, 200, answer.text)
    return answer.body as Answer
  }
  return {
    ...shop,
    goods,
    checks: path,
    read,
    broken: async () => (await read()).items.filter(({ holds }) => holds === false),
    ask: () => shop.admin.post(path, undefined),
    /** Asks, and lets the worker do it. */
    check: async () => {
      const asked = await shop.admin.post(path, undefined)
      assert.equal(asked.status, 202, asked.text)
      await checkAll(shop.db)
      return read()
    },
    /** What nothing in the service would do. */
    spoil: (by: number) =>
      sql`update catalog.stock set quantity = quantity + ${by} where business_id = ${shop.id}`.execute(shop.db),
    events: async () => {
      await follow(api, shop.db)
      const { body } = await shop.admin.get(`${shop.path}/events?limit=100`)
      return (body.items as { type: string; subject: string; data: unknown }[]).filter(
        ({ type }) => type === 'check.failed',
      )
    },
  }
}

beforeEach(async () => {
  // Each test has a cell in which nothing waits.
  for (const db of api.services.databases.cells.values())
    await sql`truncate checks.runs, checks.nights, checks.turns, checks.broken, checks.businesses`.execute(db)
})

async function mailNow(shop: Shop) {
  const [job] = checkJobs(RULES).filter(({ name }) => name === 'checks.mail-operator')
  assert.ok(job)
  const services = {
    mail: createMailer(mails.env.SMTP_URL, mails.env.MAIL_FROM),
    operatorEmail: 'operator@example.com',
    publicUrl: 'https://kontor.example',
  }
  await job.run({}, { db: shop.db, services, log: pino({ level: 'silent' }) } as never)
  services.mail.close()
}

test('before the first check every rule is listed, and of none is anything known', async () => {
  const shop = await makeShop()
  const { finishedAt, items, run, canRunAt } = await shop.read()
  assert.deepEqual([finishedAt, run, canRunAt], [null, null, null])
  assert.deepEqual(
    items.map(({ rule }) => rule),
    RULES.map(({ name }) => name),
  )
  assert.ok(items.every(({ holds, count, examples }) => holds === null && count === 0 && examples.length === 0))
})

test('a check that was asked for waits, goes on rule by rule, and says that everything holds', async () => {
  const shop = await makeShop()
  const asked = await shop.ask()
  assert.equal(asked.status, 202, asked.text)
  assert.deepEqual(asked.body.run, {
    status: 'WAITING',
    isNightly: false,
    startedAt: null,
    rulesDone: 0,
    rulesTotal: RULES.length,
    rowsLookedAt: 0,
  })
  assert.equal(await checkOnce(shop.db), true)
  const { run, finishedAt } = await shop.read()
  assert.equal(run?.status, 'RUNNING')
  assert.ok(Number(run?.rulesDone) > 0 && Number(run?.rulesDone) < RULES.length)
  assert.equal(finishedAt, null)
  await checkAll(shop.db)
  const done = await shop.read()
  assert.equal(done.run, null)
  assert.ok(done.finishedAt)
  assert.deepEqual(
    done.items.filter(({ holds }) => holds !== true),
    [],
  )
})

test('a business can ask once an hour, and asking while one is under way answers that one', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const shop = await makeShop()
  assert.equal((await shop.ask()).status, 202)
  assert.equal((await shop.ask()).status, 202)
  await checkAll(shop.db)
  const refused = await shop.ask()
  const { message } = assertError(refused, 429, 'RATE_LIMITED')
  assert.match(message, /once an hour.*60 minutes/)
  assert.equal(refused.headers.get('retry-after'), '3600')
  assert.ok((await shop.read()).canRunAt)
  clock.advance(3_600)
  assert.equal((await shop.read()).canRunAt, null)
  assert.equal((await shop.ask()).status, 202)
})

test('only an ADMIN sees and asks', async () => {
  const shop = await makeShop()
  const clerk = await make.member(shop.id, 'ORDERS_READ', 'SETTINGS_WRITE')
  for (const answer of [
    await clerk.get(shop.checks),
    await clerk.post(shop.checks, undefined),
    await clerk.delete(shop.checks),
  ])
    assertError(answer, 403, 'FORBIDDEN')
})

test('a rule that is broken names its rows, is told once, and is forgotten when it holds again', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const [shop, other] = [await makeShop(), await makeShop()]
  await shop.spoil(1)
  await shop.check()
  const [found, ...more] = await shop.broken()
  assert.deepEqual(more, [])
  assert.equal(found?.rule, 'stock-ledger')
  assert.equal(found?.count, 1)
  const [example] = found?.examples ?? []
  assert.deepEqual([example?.productId, example?.variantId], [shop.goods.id, 'one'])
  assert.equal(Number(example?.quantity), Number(example?.ledger) + 1)
  const told = await shop.events()
  assert.deepEqual(
    told.map(({ subject, data }) => [subject, data]),
    [[shop.id, { rule: 'stock-ledger', count: 1 }]],
  )
  await other.check()
  assert.deepEqual(await other.broken(), [])

  const before = mails.mails.length
  await mailNow(shop)
  const mail = await mails.mailTo('operator@example.com')
  assert.match(mail.text ?? '', new RegExp(`${shop.id}: stock is the sum of its ledger`))
  await mailNow(shop)
  assert.equal(mails.mails.length, before + 1)

  clock.advance(7_200)
  await shop.check()
  assert.equal((await shop.broken())[0]?.since, found?.since)
  assert.equal((await shop.events()).length, 1)
  await mailNow(shop)
  assert.equal(mails.mails.length, before + 1)

  await shop.spoil(-1)
  clock.advance(7_200)
  await shop.check()
  assert.deepEqual(await shop.broken(), [])

  await shop.spoil(1)
  clock.advance(7_200)
  await shop.check()
  assert.equal((await shop.events()).length, 2)
  await mailNow(shop)
  assert.equal(mails.mails.length, before + 2)
})

test('a value that a rule cannot compute with leaves that rule unchecked, and keeps no other business waiting', async () => {
  const [shop, other] = [await makeShop(), await makeShop()]
  const poisoned = RULES.map((rule) =>
    rule.name === 'stock-ledger'
      ? {
          ...rule,
          query: `select business_id, id as product_id, name::integer as no_number from catalog.products`,
          pieces: undefined,
        }
      : rule,
  )
  for (const { db, id } of [shop, other])
    await sql`update catalog.products set name = ${id === shop.id ? 'no number' : '7'} where business_id = ${id}`.execute(
      db,
    )
  await openNight(shop.db)
  assert.equal((await shop.ask()).status, 202)
  await checkAll(shop.db, { rules: poisoned })
  const holdsOf = async ({ read }: Shop) => (await read()).items.find(({ rule }) => rule === 'stock-ledger')?.holds
  assert.equal(await holdsOf(shop), null)
  assert.equal(await holdsOf(other), false, 'checked in the same night')
  assert.equal((await shop.read()).run, null)
})

test('whatever PostgreSQL cannot do for one business leaves those rules unchecked, says why, and keeps no other waiting', async () => {
  const [shop, other] = [await makeShop(), await makeShop()]
  const { db } = shop
  await sql`
    create or replace function public.fails(code text, name text) returns boolean stable language plpgsql as $$
      begin
        if name = 'damaged' then raise exception 'it is %', name using errcode = code; end if;
        return false;
      end $$`.execute(db)
  await sql`update catalog.products set name = 'damaged' where business_id = ${shop.id}`.execute(db)
  // Too much in temporary files, a full disk, a damaged page, two rows where there is one.
  const failing = new Map([
    ['order-total', '53400'],
    ['order-lines', '53100'],
    ['stock-steps', 'XX001'],
    ['order-once', '21000'],
  ])
  const rules = RULES.map((rule): Rule => {
    const code = failing.get(rule.name)
    if (code)
      return {
        ...rule,
        query: `select business_id, id as product_id from catalog.products where public.fails('${code}', name)`,
        pieces: undefined,
      }
    // And where the ranges of its pieces come from.
    const table = 'catalog.products'
    const where = "not public.fails('XX001', name)"
    return rule.name === 'stock-ledger'
      ? { ...rule, pieces: rule.pieces && { ...rule.pieces, table, column: 'id', where } }
      : rule
  })
  await openNight(db)
  const lines: string[] = []
  await checkAll(db, { rules, lines })
  const unknown = async ({ read }: Shop) =>
    (await read()).items.flatMap(({ rule, holds }) => (holds === null ? [rule] : [])).sort()
  const names = [...failing.keys(), 'stock-ledger'].sort()
  assert.deepEqual(await unknown(shop), names)
  assert.deepEqual(await unknown(other), [], 'checked in the same night')
  assert.equal((await shop.read()).run, null)
  const said = lines.map((line): Said => JSON.parse(line)).filter(({ businessId }) => businessId === shop.id)
  assert.deepEqual(said.flatMap(({ rules }) => rules).sort(), names)
  assert.ok(said.every(({ err }) => err.message === 'it is damaged'))
})

test('a check that fails is followed by the rest that its time asks for', async () => {
  const shop = await makeShop()
  await shop.ask()
  const away = async () => {
    await sleep(200)
    throw new Error('the database is away')
  }
  const worker = { db: shop.db, worker: 'one', rules: RULES, log: pino({ level: 'silent' }), readerOf: away }
  const limits = { pieceMs: 20_000, wholeMs: 20_000 }
  const begun = performance.now()
  await assert.rejects(
    checkNext({ ...worker, limits }, new AbortController().signal, { night: 0.25, person: 0.25 }),
    /the database is away/,
  )
  assert.ok(performance.now() - begun > 750, 'three times as long as it took')
})

test('the mail to the operator leaves ten minutes after the first rule that broke, whatever breaks meanwhile', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const [first, second, third] = [await makeShop(), await makeShop(), await makeShop()]
  const { db } = first
  await sql`select graphile_worker.remove_job('checks.mail-operator')`.execute(db)
  const mailAt = async () => {
    const { rows } = await sql<{ runAt: Date }>`
      select run_at from graphile_worker.jobs where key = 'checks.mail-operator'`.execute(db)
    return rows.map(({ runAt }) => runAt)
  }
  const due = new Date(now().getTime() + 600_000)
  for (const shop of [first, second, third]) {
    await shop.spoil(1)
    await shop.check()
    assert.deepEqual(await mailAt(), [due])
    clock.advance(240)
  }
})

test('a check can be stopped: the one before counts, and there is nothing left to stop', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const shop = await makeShop()
  const { finishedAt } = await shop.check()
  assertError(await shop.admin.delete(shop.checks), 409, 'CONFLICT')
  clock.advance(7_200)
  await shop.spoil(1)
  await shop.ask()
  await checkOnce(shop.db)
  const stopped = await shop.admin.delete(shop.checks)
  assert.equal(stopped.status, 200, stopped.text)
  assert.equal(stopped.body.run, null)
  assert.equal(stopped.body.finishedAt, finishedAt)
  assert.equal(await checkAll(shop.db), 0)
  assert.deepEqual(await shop.broken(), [])
})

/** The rules, with pieces so small that even this shop has several. */
const inSmallPieces: readonly Rule[] = RULES.map((rule) => ({
  ...rule,
  pieces: rule.pieces && { ...rule.pieces, size: 2 },
}))

test('in pieces the same is found, and a worker that takes over goes on where the other died', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const shop = await makeShop()
  for (let count = 0; count < 6; count++) await shop.priced(1_000)
  await follow(api, shop.db)
  await shop.spoil(1)
  await shop.check()
  const whole = await shop.broken()
  assert.equal(whole[0]?.count, 7)

  clock.advance(7_200)
  await shop.ask()
  const mine = { worker: 'one', rules: inSmallPieces }
  for (let steps = 0; steps < 3; steps++) assert.equal(await checkOnce(shop.db, mine), true)
  const { rows: before } = await sql<{ done: string[]; rows: number }>`
    select done, rows from checks.runs where business_id = ${shop.id}`.execute(shop.db)
  assert.ok((before[0]?.rows ?? 0) > 0)

  const theirs = { worker: 'another', rules: inSmallPieces }
  assert.equal(await checkOnce(shop.db, theirs), false, 'it is the turn of the first')
  clock.advance(60)
  assert.ok((await checkAll(shop.db, theirs)) > 10)
  const pieces = await shop.broken()
  assert.deepEqual(
    pieces.map(({ rule, count, since }) => [rule, count, since]),
    whole.map(({ rule, count, since }) => [rule, count, since]),
  )
  assert.equal(pieces[0]?.examples.length, 7)
})

test('a release with other rules in the middle of a check looks for them at everything, and counts nothing twice', async () => {
  const shop = await makeShop()
  for (let count = 0; count < 6; count++) await shop.priced(1_000)
  await follow(api, shop.db)
  await shop.spoil(1)
  const ledger = inSmallPieces.find(({ name }) => name === 'stock-ledger')
  assert.ok(ledger)
  // The same as `stock-ledger`, under names that come with the release: one beside it, one with pieces of its own before it.
  const beside: Rule = { ...ledger, name: 'beside' }
  const ahead: Rule = { ...ledger, name: 'ahead', pieces: ledger.pieces && { ...ledger.pieces, size: 3 } }
  await shop.ask()
  for (let steps = 0; steps < 3; steps++) await checkOnce(shop.db, { rules: [ledger] })
  const { rows } = await sql<{ after: string | null }>`
    select after from checks.runs where business_id = ${shop.id}`.execute(shop.db)
  assert.ok(rows[0]?.after, 'it is in the middle')
  await checkAll(shop.db, { rules: [ahead, ledger, beside] })
  const { rows: found } = await sql<{ rule: string; count: number }>`
    select rule, count from checks.broken where business_id = ${shop.id} order by rule`.execute(shop.db)
  assert.deepEqual(found, [
    { rule: 'ahead', count: 7 },
    { rule: 'beside', count: 7 },
    { rule: 'stock-ledger', count: 7 },
  ])
})

test('of a rule that takes too long nothing is known, and what it was before stays', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const shop = await makeShop()
  await shop.spoil(1)
  await shop.check()
  clock.advance(7_200)
  await shop.ask()
  const slow = RULES.map((rule) =>
    ['stock-ledger', 'order-total'].includes(rule.name)
      ? { ...rule, query: `select business_id, pg_sleep(60)::text as product_id, '' as order_id from catalog.stock` }
      : rule,
  )
  await checkAll(shop.db, { rules: slow, limits: { pieceMs: 300, wholeMs: 20_000 } })
  const { items } = await shop.read()
  assert.equal(items.find(({ rule }) => rule === 'stock-ledger')?.holds, false)
  assert.equal(items.find(({ rule }) => rule === 'order-total')?.holds, null)
  assert.equal(items.find(({ rule }) => rule === 'stock-steps')?.holds, true)
})

test('of a rule that came with a release nothing is known, until the next night, which looks at everybody for it', async () => {
  const [shop, other] = [await makeShop(), await makeShop()]
  const before = RULES.filter(({ name }) => name !== 'stock-ledger')
  await openNight(shop.db)
  await checkAll(shop.db, { rules: before })
  await shop.spoil(1)
  const holdsOf = async ({ read }: Shop) => {
    const { items, finishedAt } = await read()
    assert.ok(finishedAt)
    assert.ok(items.every(({ rule, holds }) => holds || rule === 'stock-ledger'))
    return items.find(({ rule }) => rule === 'stock-ledger')?.holds
  }
  assert.deepEqual([await holdsOf(shop), await holdsOf(other)], [null, null])

  await openNight(shop.db)
  await checkAll(shop.db)
  assert.deepEqual([await holdsOf(shop), await holdsOf(other)], [false, true])
})

test('a night looks at every business in which something happened, at many in one go', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const [fine, spoilt, large] = [await makeShop('main'), await makeShop('main'), await makeShop('main')]
  const { db } = fine
  for (let count = 0; count < 3; count++) await large.priced(1_000)
  await follow(api, db)
  await spoilt.spoil(1)
  await large.spoil(1)
  // With four products one is large.
  const rules = RULES.map((rule) => ({
    ...rule,
    pieces: rule.pieces && { ...rule.pieces, size: rule.pieces.table === 'catalog.stock' ? 3 : 1_000 },
  }))
  await openNight(db)
  await openNight(db) // one at a time
  assert.equal(await checkOnce(db, { rules }), true)
  assert.deepEqual([(await fine.broken()).length, (await spoilt.broken()).length], [0, 1])
  assert.ok((await fine.read()).finishedAt)
  assert.equal((await large.read()).run?.isNightly, true)
  await checkAll(db, { rules })
  assert.equal((await large.broken())[0]?.count, 4)
  const nights = async () =>
    (
      await sql<{ finishedAt: Date | null; businesses: number; large: number }>`
        select finished_at, businesses, large from checks.nights order by started_at`.execute(db)
    ).rows
  const [first] = await nights()
  assert.ok(first?.finishedAt)
  assert.equal(first.large, 1)

  // Nothing happened since: only what is broken is looked at again.
  clock.advance(86_400)
  const checkedAt = (await fine.read()).finishedAt
  await follow(api, db)
  await openNight(db)
  await checkAll(db, { rules })
  assert.equal((await fine.read()).finishedAt, checkedAt)
  assert.deepEqual((await nights()).at(-1)?.businesses, 1)
  const added = await fine.admin.post(`${fine.path}/categories`, { name: 'Lamps' })
  assert.equal(added.status, 201, added.text)
  await follow(api, db)
  clock.advance(86_400)
  await openNight(db)
  await checkAll(db, { rules })
  assert.ok(Number((await fine.read()).finishedAt) > Number(checkedAt))

  // And everything once a month.
  const again = (await fine.read()).finishedAt
  clock.advance(31 * 86_400)
  await openNight(db)
  await checkAll(db, { rules })
  assert.ok(Number((await fine.read()).finishedAt) > Number(again))
})

/** What the worker's metrics are told of a cell. */
async function readState(db: Db): Promise<ChecksState> {
  const { promise, resolve } = Promise.withResolvers<ChecksState>()
  const checks = startChecks(new Map([['second', db]]), {
    rules: RULES,
    log: pino({ level: 'silent' }),
    tell: (_cell, state) => resolve(state),
  })
  try {
    return await promise
  } finally {
    await checks.stop()
  }
}

test('a night that does not end is noticed, whether it is the first of its cell or an earlier one did, months ago', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const { db } = await makeShop()
  assert.equal((await readState(db)).finishedAt, null)
  await takeTurn(db, 'a worker that hangs')
  await openNight(db)
  const firstAt = now()
  clock.advance(40 * 86_400)
  await takeTurn(db, 'a worker that hangs')
  await openNight(db)
  assert.deepEqual((await readState(db)).finishedAt, firstAt)

  await checkAll(db, { worker: 'a worker that hangs' })
  const finishedAt = now()
  assert.deepEqual((await readState(db)).finishedAt, finishedAt)
  for (let months = 0; months < 2; months++) {
    clock.advance(40 * 86_400)
    await takeTurn(db, 'a worker that hangs')
    await openNight(db)
  }
  assert.deepEqual((await readState(db)).finishedAt, finishedAt)
  await checkAll(db, { worker: 'a worker that hangs' })
  assert.deepEqual((await readState(db)).finishedAt, now())
  await openNight(db)
  const { rows } = await sql`select from checks.nights where finished_at is not null`.execute(db)
  assert.equal(rows.length, 1, 'older ones are forgotten')
})

test('a rule may take as long as it is given, on our side of the line, too', async () => {
  const { databases } = loadConfig({ NODE_ENV: 'test', ...api.databases.env })
  const hasty = openDatabases(databases, { max: 1, statementTimeoutMs: 50 })
  try {
    const cell = hasty.cells.get('main')
    assert.ok(cell)
    await findWithin(cell, 10_000, (tx) => sql`select pg_sleep(2.5)`.execute(tx))
    await assert.rejects(
      findWithin(cell, 100, (tx) => sql`select pg_sleep(2.5)`.execute(tx)),
      cannotBeChecked,
    )
  } finally {
    await hasty.close()
  }
})
