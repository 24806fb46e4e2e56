import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { startSession } from '#modules/accounts/index.ts'
import { keepStockList, STOCK_LIST_TOPIC } from '#modules/catalog/index.ts'
import { CUSTOMER_TOPICS, followOrders } from '#modules/customers/index.ts'
import { COMMITTED_TOPIC, followCommitted, indexOrders, ORDER_TOPIC } from '#modules/orders/index.ts'
import { followReports, REPORT_TOPICS } from '#modules/reports/index.ts'
import type { Cell } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { useFaults } from '#platform/faults.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { askControl } from '../../../src/apps/people.ts'
import { openArchive } from '../../../src/apps/portable/archive.ts'
import { exportBusiness } from '../../../src/apps/portable/export-business.ts'
import { importBusiness } from '../../../src/apps/portable/import-business.ts'
import { removalJobs } from '../../../src/apps/portable/remove-business.ts'
import { businessTables } from '../../../src/apps/portable/tables.ts'
import { findWords, readBusiness } from '../../support/business-rows.ts'
import { runCli } from '../../support/cli.ts'
import { createClient } from '../../support/client.ts'
import { createMake, type Make } from '../../support/make.ts'
import { type MediaStore, openStore } from '../../support/media-stores.ts'
import { type SeededBusiness, seedBusiness } from '../../support/seed-business.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

const CANARY = 'Kiefernharz'
const OTHER_KEY = Buffer.alloc(32, 7).toString('base64')
// Letters are planned only where there is a mail server. None is needed: nothing is sent.
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'hello@kontor.example' }
const LOG = pino({ level: 'silent' })

let home: StartedWorld<'stripe'>
/** Another deployment: databases, store and SECRET_KEY of its own. */
let away: TestApi
let stores: { home: MediaStore; away: MediaStore }
let folder: string
let shop: SeededBusiness
let fileKeys: string[]

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'kontor-portable-'))
  stores = { home: await openStore('folder'), away: await openStore('folder') }
  home = await startWorld({ providers: ['stripe'], env: { ...MAIL, ...stores.home.env } })
  away = await startApi({ env: { ...stores.away.env, SECRET_KEY: OTHER_KEY } })
  shop = await seedBusiness(home.make, { canary: CANARY, cell: 'second' })
  await fillUp(shop)
})
after(async () => {
  useFaults(undefined)
  await home.close()
  await away.close()
  await stores.home.close()
  await stores.away.close()
  rmSync(folder, { recursive: true, force: true })
})

const at = (name: string) => path.join(folder, name)
const homeEnv = () => ({ ...home.api.databases.env, ...stores.home.env })
const awayEnv = () => ({ ...away.databases.env, ...stores.away.env, SECRET_KEY: OTHER_KEY })
const secondCell = () => home.api.services.databases.cells.get('second') as Cell

/** What workers make of it, endpoints with secrets, the file in the store, and an event of last year. */
async function fillUp({ id, admin, path: url }: SeededBusiness): Promise<void> {
  const db = secondCell()
  const endpoint = { url: 'https://93.184.216.34/kontor', types: ['order.paid'], description: CANARY }
  assert.equal((await admin.post(`${url}/webhook-endpoints`, endpoint)).status, 201)
  const topics = [ORDER_TOPIC, ...CUSTOMER_TOPICS, COMMITTED_TOPIC, STOCK_LIST_TOPIC, ...REPORT_TOPICS]
  await sequenceEvents(db, topics)
  await indexOrders(db, LOG)
  await followCommitted(db, LOG)
  await keepStockList(db, LOG)
  await followReports(db, LOG)
  await followOrders(db, askControl(home.api.services.databases.control), LOG)
  await sql`
    update cell.events set sequenced_at = now() - interval '3 months' where business_id = ${id} and number = 1`.execute(
    db,
  )
  // As after a letter under a limit a day.
  await sql`insert into newsletter.rates (key, second, used) values (${`${id}/day`}, 1, 1)`.execute(db)
  const sha = 'a'.repeat(64)
  const { rows } = await sql<{ id: string }>`select id from media.files where business_id = ${id}`.execute(db)
  const storage = createStorage(home.api.config)
  for (const file of rows) {
    const about = { mimeType: 'application/pdf', isAttachment: true, isImmutable: true, size: 9 }
    await storage?.put(`public/${id}/${sha}/${file.id}-file.pdf`, Buffer.from('%PDF-1.4\n'), about)
  }
  fileKeys = await stores.home.keys(id)
}

/** As `lines`, without what is another deployment's to say: new values, numbers, and the ids of accounts. */
function comparable(rows: Map<string, string[]>): Map<string, unknown[]> {
  return new Map(
    [...rows].map(([name, lines]) => {
      const table = businessTables.find((each) => each.table === name)
      const { set = {}, people = [], numbered, refersTo } = table ?? {}
      const numbers = [numbered, refersTo].flatMap((each) => each?.column ?? [])
      const hidden = [...Object.keys(set), ...people, ...numbers]
      const rows = lines.map((line) => without(JSON.parse(line) as Record<string, unknown>, hidden))
      // Numbers are part of the key that rows are read by.
      return [
        name,
        numbers.length > 0 ? rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : rows,
      ]
    }),
  )
}
const without = (row: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

describe('a business on its way', { concurrency: 1 }, () => {
  let before: Map<string, string[]>

  test('it is exported while it is closed; the archive holds no secret', async () => {
    const suspended = await runCli(['business', 'suspend', shop.id], homeEnv())
    assert.equal(suspended.code, 0, suspended.err)
    before = await readBusiness(home.api.services.databases, shop.id)
    const done = await runCli(['business', 'export', shop.id, at('shop.tar'), '--media', '--json'], homeEnv())
    assert.equal(done.code, 0, done.err)
    const rows = [...before.values()].reduce((sum, lines) => sum + lines.length, 0)
    assert.equal(done.json.rows, rows)
    assert.ok(rows > 80, `${rows} rows`)
    assert.equal(done.json.files, fileKeys.length)
    assert.match(done.json.toSetAgain.join(), /webhook endpoints/)

    const { manifest, lines } = await openArchive(at('shop.tar'))
    for (const { table, parts } of manifest.tables) {
      for await (const some of lines(parts))
        for (const { text } of some)
          assert.doesNotMatch(text, /"(secret|sealed_\w+|password_hash|token_hash|callouts)":/, table)
    }
  })

  test('an archive that is damaged, cut off or of a business that is there is refused, and nothing is written', async () => {
    const bytes = readFileSync(at('shop.tar'))
    const place = bytes.indexOf(Buffer.from([0x1f, 0x8b])) + 40 // inside of the first part
    bytes[place] = (bytes[place] ?? 0) ^ 1
    writeFileSync(at('damaged.tar'), bytes)
    copyFileSync(at('shop.tar'), at('cut.tar'))
    truncateSync(at('cut.tar'), Math.floor(bytes.length / 2))
    const damaged = await runCli(['business', 'import', at('damaged.tar')], awayEnv())
    assert.deepEqual([damaged.code, /is not what was packed/.test(damaged.err)], [1, true], damaged.err)
    const cut = await runCli(['business', 'import', at('cut.tar')], awayEnv())
    assert.deepEqual([cut.code, /cut off/.test(cut.err)], [1, true], cut.err)
    const there = await runCli(['business', 'import', at('shop.tar')], homeEnv())
    assert.deepEqual([there.code, /There is a business/.test(there.err)], [1, true], there.err)
    const { control, cells } = away.services.databases
    for (const db of [control, ...cells.values()]) assert.deepEqual(await findWords(db, [shop.id, CANARY]), [])
  })

  test('an import that is cut off shows nothing, and goes on with the same archive', async () => {
    const { databases, box } = away.services
    const storage = createStorage(away.config)
    const archive = await openArchive(at('shop.tar'))
    const options = { cellName: 'main', box, storage }
    const make: Make = createMake(away)
    const known = await make.user() // has the address of the admin over there
    const email = shop.admin.email ?? ''
    await databases.control
      .updateTable('accounts.users')
      .set({ email, emailKey: email })
      .where('id', '=', known.id)
      .execute()

    let tables = 0
    useFaults((name) => {
      if (name === 'import.table' && ++tables === 30) throw new Error('cut off')
    })
    await assert.rejects(importBusiness(databases, archive, options), /cut off/)
    useFaults(undefined)
    const cell = databases.cells.get('main') as Cell
    const { rows } = await sql`select from orders.orders where business_id = ${shop.id}`.execute(cell)
    assert.equal(rows.length, 0)
    assert.deepEqual((await known.get('/v1/businesses')).body.items, [])
    const opened = await runCli(['business', 'suspend', shop.id, '--resume'], awayEnv())
    assert.equal(opened.code, 1, 'half of a business cannot be opened')

    const done = await runCli(['business', 'import', at('shop.tar'), '--json'], awayEnv())
    // The seed writes some rows past the service: what does not add up here did not add up there.
    const { json: seen } = await runCli(['verify', '--business', shop.id, '--json'], homeEnv())
    const wrong = seen.cells[0].findings.filter((each: { violations: unknown[] }) => each.violations.length > 0)
    assert.deepEqual(done.json.problems, wrong)
    const there = comparable(await readBusiness(databases, shop.id))
    for (const [table, lines] of comparable(before)) {
      const found = there.get(table) ?? []
      // The log goes on, customers whom this deployment does not know are guests here, and members are invited.
      const isLonger = ['access.audit_log', 'accounts.users', 'access.invitations'].includes(table)
      if (table === 'access.memberships') {
        assert.deepEqual(found, [])
        const invited = (there.get('access.invitations') ?? []).length - (before.get('access.invitations') ?? []).length
        assert.equal(invited, lines.length)
        continue
      }
      assert.deepEqual(isLonger ? found.slice(0, lines.length) : found, lines, table)
    }
    assert.deepEqual(await stores.away.keys(shop.id), fileKeys)
    assert.deepEqual(await stores.away.about(fileKeys[0] ?? ''), await stores.home.about(fileKeys[0] ?? ''))
  })

  test('once it is open, its members are invited and work in it as before, and its customers are not taken for erased', async () => {
    const opened = await runCli(['business', 'suspend', shop.id, '--resume'], awayEnv())
    assert.equal(opened.code, 0, opened.err)
    const { control } = away.services.databases
    const { id, email } = await control
      .selectFrom('accounts.users')
      .select(['id', 'email'])
      .where('emailKey', '=', shop.admin.email ?? '')
      .executeTakeFirstOrThrow()
    assert.notEqual(id, shop.admin.id)
    const session = await transaction(control, (tx) => startSession(tx, { userId: id, provider: 'EMAIL' }))
    const claims = { sub: id, sid: session.id, provider: 'EMAIL' as const, email: email ?? '' }
    const { token } = await away.services.tokens.issue('access', claims)
    const member = createClient(away.url, { authorization: `Bearer ${token}` })
    assert.equal((await member.get(`${shop.path}/webhook-endpoints`)).status, 403)
    for (const invitation of (await member.get('/v1/users/invitations')).body.items) {
      const accepted = await member.post('/v1/users/invitations/accept', { id: invitation.id })
      assert.equal(accepted.status, 200, accepted.text)
    }
    const orders = await member.get(`${shop.path}/orders`)
    assert.equal(orders.status, 200, orders.text)
    assert.equal(orders.body.items.length, 3)
    const [endpoint] = (await member.get(`${shop.path}/webhook-endpoints`)).body.items
    assert.equal(endpoint.isEnabled, false)
    const customers = before.get('access.customers') ?? []
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from accounts.users join access.customers on user_id = users.id
       where business_id = ${shop.id}`.execute(control)
    assert.equal(rows[0]?.count, customers.length)
  })
})

describe('a business that is deleted', { concurrency: 1 }, () => {
  test('an archive of a business that moves while its files are read is not taken for whole', async () => {
    const { databases } = home.api.services
    const moved = async () => {
      await sql`update access.businesses set moved_at = now() where id = ${shop.id}`.execute(databases.control)
    }
    let isFinished = false
    const sink = { write: moved, finish: async () => ((isFinished = true), 0), abandon: async () => {} }
    const exporting = exportBusiness(databases, shop.id, {
      openSink: () => sink,
      media: createStorage(home.api.config),
    })
    await assert.rejects(exporting, /has moved to the cell second meanwhile\. Export it once more\./)
    assert.equal(isFinished, false)
  })

  test('of a business without files nobody is told to copy any', async () => {
    const { id } = await home.make.business()
    assert.equal((await runCli(['business', 'export', id, at('no-files.tar')], homeEnv())).code, 0)
    const { code, out, err } = await runCli(['business', 'import', at('no-files.tar')], awayEnv())
    assert.equal(code, 0, err)
    assert.match(out, / 0 files,/)
    assert.doesNotMatch(out, /copy its files/)
  })

  test('it is closed for 30 days, and as it was when somebody changes their mind', async () => {
    assert.equal((await runCli(['business', 'suspend', shop.id, '--resume'], homeEnv())).code, 0)
    const rash = await runCli(['business', 'delete', shop.id, '--now'], homeEnv())
    assert.deepEqual([rash.code, /First: cli business delete/.test(rash.err)], [1, true], rash.err)
    const asked = await runCli(['business', 'delete', shop.id, '--json'], homeEnv())
    assert.equal(asked.code, 0, asked.err)
    const days = (Date.parse(asked.json.deleteAt) - Date.now()) / 86_400_000
    assert.ok(days > 29.9 && days <= 30, `${days} days`)
    assert.equal((await shop.admin.get(`${shop.path}/products`)).status, 404)
    assert.equal((await runCli(['business', 'suspend', shop.id, '--resume'], homeEnv())).code, 1)
    const undone = await runCli(['business', 'delete', shop.id, '--undo', '--json'], homeEnv())
    assert.deepEqual(undone.json, { id: shop.id, undone: true })
    assert.equal((await shop.admin.get(`${shop.path}/products`)).status, 200)
  })

  test('when its time is up, nothing of it is left in any table, queue or store, whenever a worker dies over it', async () => {
    const { databases } = home.api.services
    const storage = createStorage(home.api.config)
    const { control, cells } = databases
    const words = [shop.id, CANARY]
    // Counts of invitations are by business, and go within a day; what operators did stays for 25 months.
    const goesByAge = (row: string) => /^(accounts\.attempts|access\.operator_log\w*):/.test(row)
    const everywhere = async () => [
      ...(await findWords(control, words)).filter((row) => !goesByAge(row)),
      ...(await findWords(cells.get('second') as Cell, words)),
    ]
    assert.ok((await everywhere()).length > 80)
    assert.equal((await runCli(['business', 'delete', shop.id], homeEnv())).code, 0)
    const [remove, look] = removalJobs
    const context = {
      db: control,
      control,
      cells,
      log: LOG,
      services: { storage },
      signal: new AbortController().signal,
    }
    const run = (job: typeof remove, payload: object) => job?.run(payload as never, context as never)

    await run(remove, { businessId: shop.id })
    assert.ok((await everywhere()).length > 80, 'its time is not up')
    await sql`update access.businesses set delete_at = now() - interval '1 second' where id = ${shop.id}`.execute(
      control,
    )
    for (const stop of [1, 20, 60]) {
      let batches = 0
      useFaults((name) => {
        if (name === 'remove.batch' && ++batches === stop) throw new Error('the worker died')
      })
      await assert.rejects(async () => run(remove, { businessId: shop.id }), /the worker died/)
    }
    useFaults(undefined)
    const late = await runCli(['business', 'delete', shop.id, '--undo'], homeEnv())
    assert.deepEqual([late.code, /its time is up/.test(late.err)], [1, true], 'half of it is gone')
    await run(remove, { businessId: shop.id })

    // What a process has counted for it is written within ten seconds: the look in an hour takes it away.
    const left = (await everywhere()).filter((row) => !row.startsWith('cell.usage:')).sort()
    assert.equal(left.length, 2, left.join('\n'))
    assert.match(left[0] ?? '', /^access\.audit_log\w*: .*business\.deleted/, 'that it was deleted is known')
    assert.match(left[1] ?? '', /^graphile_worker\._private_jobs: /, 'somebody looks once more in an hour')
    const operators = (await findWords(control, words)).filter((row) => row.startsWith('access.operator_log'))
    assert.ok(
      operators.some((row) => row.includes('business.deletion-asked')),
      operators.join('\n'),
    )
    assert.ok(!operators.some((row) => row.includes(CANARY)), operators.join('\n'))
    assert.deepEqual(await stores.home.keys(shop.id), [])
    await run(look, { businessId: shop.id, cell: 'second' })
    assert.equal((await everywhere()).filter((row) => !row.startsWith('access.audit_log')).length, 0)
    const gone = await shop.admin.get(`${shop.path}/products`)
    assert.ok([403, 404].includes(gone.status), gone.text)
  })
})
