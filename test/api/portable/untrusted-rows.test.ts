import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { indexOrders, ORDER_TOPIC } from '#modules/orders/index.ts'
import type { Cell } from '#platform/database/database.ts'
import { useFaults } from '#platform/faults.ts'
import { newBusinessId, newId } from '#vocabulary/ids.ts'
import { openArchive } from '../../../src/apps/portable/archive.ts'
import { importBusiness } from '../../../src/apps/portable/import-business.ts'
import type { Manifest } from '../../../src/apps/portable/manifest.ts'
import { runCli } from '../../support/cli.ts'
import { type Forgery, forgeArchive, type Row } from '../../support/forge-archive.ts'
import { openReports, type Shop } from '../../support/reports.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const folder = mkdtempSync(path.join(tmpdir(), 'kontor-untrusted-'))
after(() => {
  useFaults(undefined)
  rmSync(folder, { recursive: true, force: true })
})

let model: Shop

const databases = () => used.api.services.databases
const main = () => databases().cells.get('main') as Cell
const control = () => databases().control

async function openModel(): Promise<void> {
  model = await openReports(used.api, used.make, 'UTC', { cell: 'main' })
  const ada = await used.make.user()
  await model.sellAt(ada.id, '2026-03-02T10:00:00Z', {}, 2)
  await model.follow()
}

/** Tables whose rows another business of the same deployment may not have as well. */
const OF_ITS_OWN = ['access.audit_log', 'accounts.users', 'access.customers']

/** The model under another id, with rows as somebody wants them. */
async function forge({ rows = () => undefined, ...forgery }: Forgery): Promise<{ id: string; file: string }> {
  const id = newBusinessId()
  const file = await forgeArchive(databases(), model.id, folder, {
    ...forgery,
    id,
    rows: (table, lines) => {
      if (OF_ITS_OWN.includes(table)) return rows(table, []) ?? []
      const own = rows(table, lines)
      if (table !== 'access.businesses') return own
      return (own ?? lines).map((row) => ({
        ...(typeof row === 'string' ? read(row) : row),
        slug: `forged-${id.slice(4)}`,
      }))
    },
  })
  return { id, file }
}
const read = (line: string) => JSON.parse(line) as Row
const changed =
  (name: string, changes: Row): NonNullable<Forgery['rows']> =>
  (table, lines) =>
    table === name ? lines.map((line) => ({ ...read(line), ...changes })) : undefined
const added =
  (name: string, ...rows: (string | Row)[]): NonNullable<Forgery['rows']> =>
  (table, lines) =>
    table === name ? [...lines, ...rows] : undefined

async function bringIn(file: string) {
  const options = { cellName: 'main', storage: undefined, box: used.api.services.box }
  return importBusiness(databases(), await openArchive(file), options)
}

async function lastNumber(): Promise<string> {
  const { rows } = await sql<{
    last: string
  }>`select last_value::text as last from reports.subjects_number_seq`.execute(main())
  return rows[0]?.last ?? ''
}

/** Nothing is written: neither the row of the business, nor any in its cell. */
async function assertRefused(forgery: Forgery, says: RegExp): Promise<void> {
  const { id, file } = await forge(forgery)
  await assert.rejects(bringIn(file), (error: Error) => {
    assert.match(error.message, says)
    return true
  })
  const { rows } = await sql`select from access.businesses where id = ${id}`.execute(control())
  assert.equal(rows.length, 0, `${says.source}: the business is there`)
}

async function assertCounted(): Promise<void> {
  const shop = await openReports(used.api, used.make, 'UTC', { cell: 'main' })
  const bob = await used.make.user()
  await shop.sellAt(bob.id, '2026-03-02T10:00:00Z')
  await shop.follow()
  const { items } = await shop.report('sales', {
    from: Date.parse('2026-03-02T00:00:00Z') / 1_000,
    to: Date.parse('2026-03-03T00:00:00Z') / 1_000,
  })
  assert.deepEqual(
    items.map(({ orders }: { orders: number }) => orders),
    [1],
  )
}

test('numbers near the end of a sequence are rejected, and other businesses keep counting', async () => {
  await openModel()
  const before = await lastNumber()
  const subject = {
    business_id: model.id,
    kind: 'PRODUCT',
    key: 'p',
    variant_id: '',
    name: 'P',
    named_at: '2026-01-01T00:00:00Z',
  }
  const says =
    /reports\.subjects, tables\/reports\.subjects\/000001\.ndjson\.gz, line \d+: number is not a whole number/
  await assertRefused({ rows: added('reports.subjects', { ...subject, number: '9223372036854774807' }) }, says)
  const raw = JSON.stringify({ ...subject, number: 0 }).replace('"number":0', '"number":9223372036854774807')
  await assertRefused({ rows: added('reports.subjects', raw) }, says)
  assert.equal(await lastNumber(), before)
  await assertCounted()
})

test('numbers that all businesses of a cell share are given anew, with what refers to them', async () => {
  const far = (number: unknown) => Number.MAX_SAFE_INTEGER - 1_000 + Number(number)
  const { id, file } = await forge({
    rows: (table, lines) => {
      if (table === 'reports.subjects') return lines.map((line) => ({ ...read(line), number: far(read(line).number) }))
      if (table !== 'reports.sums') return undefined
      return lines.map((line) =>
        read(line).kind === 'SALES' ? line : { ...read(line), subject: far(read(line).subject) },
      )
    },
  })
  await bringIn(file)
  assert.ok(Number(await lastNumber()) < 100_000, await lastNumber())
  const sumsOf = async (businessId: string) => {
    const { rows } = await sql<{ key: string | null }>`
      select sums.kind, grain, at, key, case when sums.kind = 'SALES' then subject end as total, units, sums.total as amount
        from reports.sums
        left join reports.subjects
          on subjects.business_id = sums.business_id and subjects.kind = sums.kind and number = subject
       where sums.business_id = ${businessId}
       order by 1, 2, 3, 4, 5`.execute(main())
    return rows
  }
  const [copied, own] = [await sumsOf(id), await sumsOf(model.id)]
  assert.ok(own.some(({ key }) => key !== null))
  assert.deepEqual(copied, own)
  await assertCounted()
})

test('a sum of a subject that the archive does not have is refused', async () => {
  const { id, file } = await forge({
    rows: (table, lines) =>
      table === 'reports.sums'
        ? lines.map((line) => (read(line).kind === 'PRODUCT' ? { ...read(line), subject: 999_999 } : line))
        : undefined,
  })
  await assert.rejects(bringIn(file), /reports\.sums, tables\/reports\.sums\/000001\.ndjson\.gz, line \d+: .*subject/)
  const { rows } = await sql`select from reports.subjects where business_id = ${id}`.execute(main())
  assert.equal(rows.length, 0)
})

test('the row of a business is refused where a request or a response would be, with its field', async () => {
  const business = (changes: Row, field: RegExp) =>
    assertRefused(
      { rows: changed('access.businesses', changes) },
      new RegExp(`access\\.businesses, tables/access\\.businesses/000001\\.ndjson\\.gz, line 1: ${field.source}`),
    )
  await business({ markets: { a: 1 } }, /markets must be array/)
  await business({ markets: [{ id: 'us' }] }, /markets\.0/)
  await business({ storefront: 'x' }, /storefront must be object/)
  await business({ logo: [1] }, /logo/)
  await business({ order_url: ['javascript', 'alert(1)'].join(':') }, /orderUrl/)
  await business({ contact_email: 'not an address' }, /contactEmail/)
  await business({ created_at: 'infinity' }, /created_at is not a time/)
  await business({ time_zone: 'Mars/Olympus' }, /timeZone/)
  await business({ version: -1 }, /version/)
  await business({ name: 'x'.repeat(100_000) }, /name/)
  await business({ locales: ['\u0000'] }, /locales contains a NUL character/)
  await business(
    { contact_email: 'not an address', contactEmail: 'ada@example.com' },
    /the row has a field "contactEmail", which is no column/,
  )
})

test('roles, members and invitations are refused where a request would be', async () => {
  await assertRefused(
    { rows: changed('access.roles', { permissions: ['OPERATOR'] }) },
    /access\.roles, .*line 1: permissions\.0/,
  )
  await assertRefused({ rows: changed('access.roles', { permissions: ['__proto__'] }) }, /permissions\.0/)
  await assertRefused({ rows: changed('access.roles', { name: 'x'.repeat(100_000) }) }, /access\.roles, .*line 1: name/)
  await assertRefused({ rows: changed('access.memberships', { user_id: 'a/b' }) }, /access\.memberships, .*userId/)
  const invitation = {
    id: newId('inv'),
    email: 'ada@example.com, bob@example.com',
    role_id: 'role_1',
    invited_by: 'usr_1',
    expires_at: '2100-01-01T00:00:00Z',
    created_at: '2026-01-01T00:00:00Z',
  }
  await assertRefused(
    { rows: added('access.invitations', { ...invitation, user_id: null }) },
    /access\.invitations, .*line 1: email/,
  )
  const guest = { id: newId('usr'), is_guest: false, name: '', email: null }
  await assertRefused({ rows: added('accounts.users', guest) }, /accounts\.users, .*line 1: is_guest/)
})

test('files are refused whose keys, media types or hashes no upload could have', async () => {
  const file = {
    id: newId('med'),
    status: 'PENDING',
    file_name: 'mug.png',
    sort_name: 'mug.png',
    mime_type: 'image/png',
    kind: 'image',
    size: 100,
    sha256: 'a'.repeat(64),
    alt: {},
    focal_point: null,
    tags: [],
    words: [],
    upload_expires_at: '2026-01-01T00:00:00Z',
    attempts: 0,
    version: 1,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  }
  const refused = (changes: Row, says: RegExp) =>
    assertRefused({ rows: added('media.files', { ...file, ...changes }) }, says)
  await refused({ sha256: '../../x' }, /media\.files, .*line 1: sha256/)
  await refused({ id: '../x' }, /media\.files, .*line 1: id/)
  await refused({ mime_type: 'image/png\r\nset-cookie: a=b' }, /media\.files, .*line 1: mime_type/)
  for (const prefix of [
    'incoming/*/../x',
    'incoming/biz_other/x',
    'incoming/',
    'public',
    `public/*/${'x/'.repeat(600)}`,
  ])
    await assertRefused(
      {
        rows: (table) =>
          table === 'media.leftovers'
            ? [{ prefix: prefix.replace('*', model.id), due_at: '1971-01-01T00:00:00Z' }]
            : undefined,
      },
      /media\.leftovers, .*line 1: prefix/,
    )
})

test('a row that the database refuses is named by its line, not by its error', async () => {
  const product = (lines: readonly string[]) => lines[0] ?? ''
  const products = (rows: (lines: readonly string[]) => readonly (string | Row)[]): Forgery => ({
    rows: (table, lines) => (table === 'catalog.products' ? rows(lines) : undefined),
  })
  const says = async (forgery: Forgery, expected: RegExp) => {
    const { file } = await forge(forgery)
    await assert.rejects(bringIn(file), (error: Error) => {
      assert.match(error.message, expected)
      assert.doesNotMatch(error.message, /duplicate key value|violates|invalid input/)
      return true
    })
  }
  await says(
    products((lines) => [...lines, product(lines)]),
    /catalog\.products, tables\/catalog\.products\/000001\.ndjson\.gz, line 2: the row duplicates another row \(products_pkey\)/,
  )
  await says(
    products((lines) => [...lines, '{"id":']),
    /catalog\.products, .*line 2: the row is not a JSON object/,
  )
  await says(
    products((lines) => [...lines, '{}], [{}']),
    /catalog\.products, .*line 2: the row is not a JSON object/,
  )
  await says(
    products((lines) => [{ ...read(product(lines)), name: 'a\u0000b' }]),
    /catalog\.products, .*line 1: \w+ contains a NUL character/,
  )
  await says(
    products((lines) => [{ ...read(product(lines)), id: null }]),
    /catalog\.products, .*line 1: the row has no id/,
  )
  await says(
    { rows: added('catalog.stock', { product_id: 'no', variant_id: 'no' }) },
    /catalog\.stock, .*line \d+: the row (refers to a row that does not exist|has no \w+)/,
  )
})

test('event counters that would overflow are rejected', async () => {
  const last_number = Number.MAX_SAFE_INTEGER
  await assertRefused({ rows: changed('cell.event_counters', { last_number }) }, /cell\.event_counters, .*last_number/)
})

test('subjects that a projection has skipped are tried afresh, so that their attempts never overflow', async () => {
  let subject = ''
  const { id, file } = await forge({
    rows: (table, lines) => {
      if (table === 'orders.orders')
        return lines.map((line) => {
          const row = read(line) as Row & { id: string; lines: Row[] }
          subject = row.id
          return { ...row, version: 99, lines: row.lines.map((each) => ({ ...each, productId: 'x'.repeat(3_000) })) }
        })
      if (table !== 'cell.skipped_subjects') return undefined
      return [{ topic: ORDER_TOPIC, subject, attempts: 2 ** 31 - 1, retry_at: '1971-01-01T00:00:00Z' }]
    },
  })
  await bringIn(file)
  await indexOrders(main(), pino({ level: 'silent' }))
  const { rows } = await sql<{ subject: string; attempts: number }>`
    select subject, attempts from cell.skipped_subjects where business_id = ${id}`.execute(main())
  assert.deepEqual(rows, [{ subject, attempts: 1 }])
})

const opened = (id: string) => runCli(['business', 'suspend', id, '--resume'], used.api.databases.env)

async function mailsTo(id: string): Promise<number> {
  const { rows } = await sql`
    select from graphile_worker._private_jobs as jobs join graphile_worker._private_tasks as tasks on tasks.id = task_id
     where identifier = 'accounts.send-invitation' and payload ->> 'businessId' = ${id}`.execute(control())
  return rows.length
}

test('a member of an archive whose account here has another id is invited, and mailed when the business opens', async () => {
  const bob = await used.make.user()
  const stranger = `${newId('x')}@example.com`
  const people = [
    { id: newId('usr'), email: bob.email ?? '', name: 'Bob' },
    { id: newId('usr'), email: stranger, name: 'Stranger' },
  ]
  const { id, file } = await forge({
    rows: (table, lines) =>
      table === 'access.memberships'
        ? [...lines, ...people.map((person) => ({ ...read(lines[0] ?? ''), user_id: person.id }))]
        : undefined,
    manifest: (manifest: Manifest) => ({ people: [...manifest.people, ...people] }),
  })
  const done = await runCli(['business', 'import', file, '--cell', 'main', '--json'], used.api.databases.env)
  assert.deepEqual(new Set(done.json.invited), new Set([bob.email, stranger]), done.err)

  const idsOf = async (client: typeof bob) =>
    (await client.get('/v1/businesses')).body.items.map((each: { id: string }) => each.id)
  assert.deepEqual(await idsOf(bob), [])
  assert.ok((await idsOf(model.admin)).includes(id), 'the same account is a member as before')
  const { rows: made } = await sql`select from accounts.users where email_key = ${stranger}`.execute(control())
  assert.equal(made.length, 0, 'no account is made')
  assert.equal(await mailsTo(id), 0)

  const { code, err } = await opened(id)
  assert.equal(code, 0, err)
  assert.equal(await mailsTo(id), 2)
  const [invitation] = (await bob.get('/v1/users/invitations')).body.items
  assert.equal(invitation.business.id, id)
  const accepted = await bob.post('/v1/users/invitations/accept', { id: invitation.id })
  assert.equal(accepted.status, 200, accepted.text)
  assert.deepEqual(await idsOf(bob), [id])
})

test('people of an archive with email addresses that requests reject are refused', async () => {
  for (const email of ['"q q"@x', '"bob@example.com"@e.test', 'a@[127.0.0.1]', 'a@localhost', 'a@b', ''])
    await assertRefused(
      { manifest: ({ people }: Manifest) => ({ people: [...people, { id: newId('usr'), email, name: 'Ada' }] }) },
      /manifest\.json .*people\.\d+\.email/,
    )
})

test('an archive that would invite too many people is refused', async () => {
  const people = Array.from({ length: 501 }, (_, n) => ({ id: newId('usr'), email: `p${n}@example.com`, name: 'Ada' }))
  await assertRefused({ manifest: () => ({ people }) }, /manifest\.json .*people/)
})

test('an import that was killed at its very end says the same when it is repeated', async () => {
  const { id, file } = await forge({})
  useFaults((name) => {
    if (name === 'import.finished') throw new Error('killed')
  })
  await assert.rejects(bringIn(file), /killed/)
  useFaults(undefined)
  const again = await runCli(['business', 'import', file, '--json'], used.api.databases.env)
  assert.equal(again.code, 0, again.err)
  assert.equal(again.json.wasDone, true)
  assert.deepEqual(again.json.problems, [])
  const shown = await runCli(['business', 'import', file], used.api.databases.env)
  assert.equal(shown.code, 0, shown.err)
  assert.match(shown.out, new RegExp(`^${id}  already imported: \\d+ rows`))
  assert.match(shown.out, new RegExp(`open it: cli business suspend ${id} --resume`))
  const other = await forgeArchive(databases(), model.id, folder, { id })
  const refused = await runCli(['business', 'import', other], used.api.databases.env)
  assert.deepEqual([refused.code, /There is a business/.test(refused.err)], [1, true], refused.err)
})

test('a damaged business is left out of the lists of its members, and can be deleted', async () => {
  const { admin, id } = await used.make.business()
  const second = await admin.post('/v1/businesses', { name: 'Sound' })
  assert.equal(second.status, 201, second.text)
  for (const damage of [
    sql`markets = '{"a": 1}'`,
    sql`markets = '[]', storefront = '"x"'`,
    sql`storefront = '{"isPublic": false, "showQuantity": false}', created_at = 'infinity'`,
  ]) {
    await sql`update access.businesses set ${damage} where id = ${id}`.execute(control())
    const { status, text, body } = await admin.get('/v1/businesses')
    assert.equal(status, 200, text)
    assert.deepEqual(
      body.items.map((each: { id: string }) => each.id),
      [second.body.id],
    )
  }
  await sql`update access.businesses set markets = '{"a": 1}', created_at = 'infinity' where id = ${id}`.execute(
    control(),
  )
  for (const args of [[], ['--undo'], [], ['--now']]) {
    const { code, err } = await runCli(['business', 'delete', id, ...args], used.api.databases.env)
    assert.equal(code, 0, err)
  }
  const { rows } = await sql`select from access.businesses where id = ${id}`.execute(control())
  assert.equal(rows.length, 0)
})
