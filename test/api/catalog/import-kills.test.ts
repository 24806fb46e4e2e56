import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { runKontor, startChild } from '../../support/child.ts'
import { countsOf, finishImport, toLines, uploadFile } from '../../support/imports.ts'
import { PACKED_FLAGS } from '../../support/packed.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const directory = mkdtempSync(path.join(tmpdir(), 'kontor-import-'))
after(() => rmSync(directory, { recursive: true }))
const ROOT = path.join(import.meta.dirname, '../../..')
const KILL_AT_COMMIT = {
  NODE_OPTIONS: `${PACKED_FLAGS.join(' ')} --import ${path.join(import.meta.dirname, '../../support/kill-at-fault.ts')}`,
  KILL_AT: 'import.before-commit',
}

type Shop = Awaited<ReturnType<typeof used.make.shop>>

// 2,000 lines: 1,862 products, 98 of them once more with other stock at the end, 40 lines that are wrong.
const row = (number: number, quantity: number) =>
  number % 50 === 0
    ? { name: '' }
    : { name: `Thing ${number}`, slug: `thing-${number}`, variants: [{ sku: `T-${number}`, inventory: { quantity } }] }
const numbers = Array.from({ length: 1_900 }, (_, index) => index + 1)
const FILE = toLines([
  ...numbers.map((number) => row(number, number)),
  ...numbers.slice(0, 100).map((number) => row(number, 5_000)),
])
const COUNTS = '1862/98/40 of 2000'

const progressOf = async ({ db }: Shop, importId: string) => {
  const found = await db
    .selectFrom('catalog.imports')
    .select(['position', 'status'])
    .where('id', '=', importId)
    .executeTakeFirst()
  return found ?? { position: 0, status: 'GONE' }
}

/** Every product once, every counter what the ledger adds up to, every event once, no row left but the wrong ones. */
async function assertWhole({ db, id }: Shop, importId: string) {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from catalog.products where business_id = ${id}) as products,
           (select count(distinct slug) from catalog.products where business_id = ${id}) as slugs,
           (select count(*) from catalog.variants where business_id = ${id}) as variants,
           (select count(*) from catalog.stock_movements where business_id = ${id} and reference = ${importId}) as movements,
           (select sum(quantity) from catalog.stock where business_id = ${id}) as stock,
           (select count(*) from catalog.stock
             where business_id = ${id}
               and quantity <> (select sum(delta) from catalog.stock_movements as ledger
                                 where ledger.business_id = ${id} and ledger.product_id = stock.product_id
                                   and ledger.variant_id = stock.variant_id)) as wrong,
           (select count(*) from catalog.search where business_id = ${id}) as searchable,
           (select count(*) from catalog.import_rows where business_id = ${id}) as left`.execute(db)
  const stock = numbers
    .filter((number) => number % 50 !== 0)
    .reduce((sum, number) => sum + (number <= 100 ? 5_000 : number), 0)
  assert.deepEqual(rows[0], {
    products: 1_862,
    slugs: 1_862,
    variants: 1_862,
    movements: 1_960,
    stock,
    wrong: 0,
    searchable: 1_862,
    left: 40,
  })
  const { rows: events } = await sql<{ type: string; count: number }>`
    select type, count(*)::integer as count
      from (select business_id, type from cell.event_outbox union all select business_id, type from cell.events) as told
     where business_id = ${id} and type ~ '^(product|import)'
     group by type order by type`.execute(db)
  assert.deepEqual(events, [
    { type: 'import.finished', count: 1 },
    { type: 'product.created', count: 1_862 },
    { type: 'product.updated', count: 98 },
  ])
}

describe('an import of 2,000 lines', { concurrency: true }, () => {
  test('whose workers are killed, before a commit and at random moments, is finished by the next ones', async (t) => {
    const shop = await used.make.shop({ cell: 'second' })
    const { env } = used.api.databases
    const uploaded = await uploadFile(shop, FILE)
    assert.equal(uploaded.status, 201, uploaded.text)
    const { id } = uploaded.body

    const doomed = await startChild('worker', env, { faults: { 'import.before-commit': 'kill' } })
    t.after(() => doomed.kill())
    assert.equal((await doomed.exited).signal, 'SIGKILL')
    assert.deepEqual(await progressOf(shop, id), { position: 0, status: 'RUNNING' }, 'nothing of the batch is there')

    const from = Math.random() * 1_500
    const worker = await startChild('worker', env)
    t.after(() => worker.kill())
    await until('it has gone on', async () => (await progressOf(shop, id)).position >= from, { everyMs: 5 })
    await sleep(Math.random() * 100)
    await worker.kill()
    t.diagnostic(`killed after the line ${(await progressOf(shop, id)).position}`)
    const last = await startChild('worker', env)
    t.after(() => last.kill())
    assert.equal(countsOf(await finishImport(shop, id)), COUNTS)
    await assertWhole(shop, id)
    assert.equal((await last.stop()).code, 0)
  })

  /** The CLI, killed when it has come that far. */
  async function killCli(t: TestContext, shop: Shop, args: string[], from: number) {
    const child = spawn(
      process.execPath,
      [...PACKED_FLAGS, path.join(ROOT, 'bin/kontor.js'), 'cli', 'import', 'products', ...args],
      {
        env: { PATH: process.env.PATH ?? '', NODE_ENV: 'test', ...used.api.databases.env },
        stdio: 'ignore',
      },
    )
    t.after(() => child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    await until(
      'it has gone on',
      async () => {
        const { rows } = await sql<{
          position: number
        }>`select position from catalog.imports where business_id = ${shop.id}`.execute(shop.db)
        return (rows[0]?.position ?? 0) >= from || child.exitCode !== null
      },
      { everyMs: 5 },
    )
    await sleep(Math.random() * 100)
    child.kill('SIGKILL')
    await exited
  }

  test('from the command line, killed again and again, is finished by --resume', async (t) => {
    const shop = await used.make.shop({ cell: 'main' })
    const file = path.join(directory, 'things.ndjson')
    writeFileSync(file, FILE)
    const doomed = await runKontor(['cli', 'import', 'products', shop.id, file], {
      ...used.api.databases.env,
      ...KILL_AT_COMMIT,
    })
    assert.equal(doomed.signal, 'SIGKILL', doomed.output)
    const id = /--resume (imp_\w+)/.exec(doomed.output)?.[1] ?? ''
    assert.deepEqual(await progressOf(shop, id), { position: 0, status: 'RUNNING' })

    await killCli(t, shop, [shop.id, '--resume', id], 400)
    t.diagnostic(`killed after the line ${(await progressOf(shop, id)).position}`)
    const last = await runKontor(['cli', 'import', 'products', shop.id, '--resume', id], used.api.databases.env)
    assert.equal(last.code, 1, last.output)
    assert.match(last.output, /^1862 created, 98 updated, 40 failed$/m)
    await assertWhole(shop, id)
  })
})
