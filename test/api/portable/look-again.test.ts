import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { findBusiness } from '#modules/access/index.ts'
import type { Cell } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { useFaults } from '#platform/faults.ts'
import { openArchive } from '../../../src/apps/portable/archive.ts'
import { claim } from '../../../src/apps/portable/claim.ts'
import { importBusiness } from '../../../src/apps/portable/import-business.ts'
import { removalJobs } from '../../../src/apps/portable/remove-business.ts'
import { readBusiness } from '../../support/business-rows.ts'
import { runCli } from '../../support/cli.ts'
import { openFreeShop } from '../../support/moving-shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const folder = mkdtempSync(path.join(tmpdir(), 'kontor-look-again-'))
after(() => {
  useFaults(undefined)
  rmSync(folder, { recursive: true, force: true })
})

const databases = () => used.api.services.databases
const second = () => databases().cells.get('second') as Cell
const cli = (...args: string[]) => runCli([...args, '--json'], used.api.databases.env)

/** Taken out and deleted. Answers how to bring it in again. */
async function takeOut(): Promise<{ id: string; bringIn: () => Promise<unknown> }> {
  const { shop } = await openFreeShop(used.make, { cell: 'second' })
  const { id } = shop
  const file = path.join(folder, `${id}.tar`)
  for (const command of [
    ['export', id, file],
    ['delete', id],
    ['delete', id, '--now'],
  ]) {
    const { code, err } = await cli('business', ...command)
    assert.equal(code, 0, err)
  }
  const archive = await openArchive(file)
  const options = { cellName: 'second', storage: undefined, box: used.api.services.box }
  return { id, bringIn: () => importBusiness(databases(), archive, options) }
}

/** What a worker writes that was at work on it. */
const writeLate = (id: string) =>
  sql`insert into cell.usage (business_id, since, requests) values (${id}, now(), 1)`.execute(second())

function lookAgain(businessId: string) {
  const { control, cells } = databases()
  const context = {
    db: control,
    control,
    cells,
    log: pino({ level: 'silent' }),
    services: { storage: undefined },
    signal: new AbortController().signal,
  }
  const job = removalJobs.find(({ name }) => name === 'business.look-again')
  return job?.run({ businessId, cell: 'second' }, context as never)
}

test('a business that is imported while a worker looks for what was left of the old one keeps every row', async () => {
  const { id, bringIn } = await takeOut()
  await writeLate(id)
  let imported: Map<string, string[]> | undefined
  useFaults(async (name) => {
    if (name !== 'remove.batch' || imported) return
    const { rows } = await sql`select from cell.usage where business_id = ${id}`.execute(second())
    if (rows.length > 0) return
    await bringIn()
    imported = await readBusiness(databases(), id)
  })
  await lookAgain(id)
  useFaults(undefined)
  assert.ok(imported)
  assert.deepEqual(await readBusiness(databases(), id), imported)
})

test('an import waits for the step that a worker is taking', async () => {
  const { id, bringIn } = await takeOut()
  const { control } = databases()
  let importing: Promise<unknown> | undefined
  await transaction(control, async (tx) => {
    await claim(tx, id)
    importing = bringIn()
    importing.catch(() => {})
    await sleep(1_000)
    assert.equal(await findBusiness(control, id), undefined)
  })
  await importing
  assert.ok(await findBusiness(control, id))
})
