import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runKontor } from '../../support/child.ts'
import { onServer } from '../../support/database.ts'
import { makeProject, OWN_URL } from '../../support/extension-project.ts'
import { createTestDatabases, type TestDatabases } from '../../support/start-api.ts'

// What refuses to start says which file is wrong, and what to do.

let databases: TestDatabases
const project = makeProject()
before(async () => {
  databases = await createTestDatabases()
})
after(async () => {
  await databases.drop()
  project.remove()
})

let count = 0
/** A file that exports this extension. */
const fileOf = (body: string, imports = 'extension') =>
  project.write(
    `e${++count}.ts`,
    `import { ${imports} } from 'kontor/extension'\nexport const it = extension(${body})\n`,
  )

const run = (args: string[], files: readonly string[]) =>
  runKontor(args, { ...databases.env, KONTOR_EXTENSIONS: files.join(',') }, { isPacked: false })

async function refusalOf(...files: string[]): Promise<string> {
  const { code, output } = await run(['cli', 'migrate'], files)
  assert.equal(code, 1, output)
  assert.doesNotMatch(output, /^ {4}at /m)
  return output
}

test('a file that is not there', async () => {
  assert.match(
    await refusalOf('./nowhere.ts'),
    /^KONTOR_EXTENSIONS names \.\/nowhere\.ts, but there is no file \/.*nowhere\.ts\. Paths are relative/,
  )
})

test('a file that exports no extension, and one that cannot be loaded', async () => {
  const empty = project.write('empty.ts', 'export const nothing = 1\n')
  assert.match(await refusalOf(empty), /empty\.ts exports 0 extensions\. Let it export exactly one/)
  const broken = project.write('broken.ts', "throw new Error('ERP_URL is required')\n")
  assert.match(await refusalOf(broken), /The extension .*broken\.ts cannot be loaded: ERP_URL is required \(file:/)
})

test('an extension that was made by another copy of Kontor', async () => {
  const foreign = project.write('foreign.ts', "export const it = { [Symbol.for('kontor.extension')]: {}, name: 'x' }\n")
  assert.match(await refusalOf(foreign), /foreign\.ts imports kontor\/extension from another copy of Kontor/)
})

test('wrong names of extensions, jobs and events', async () => {
  assert.match(await refusalOf(fileOf("{ name: 'Tax Rates' }")), /its name must be lower-case words joined by hyphens/)
  assert.match(
    await refusalOf(fileOf("{ name: 'a', on: { 'order.payed': async () => {} } } as never")),
    /there is no event order\.payed\. docs\/events\.md lists them all/,
  )
  const job = "defineJob({ name: 'send', on: 'cell', payload: Type.Object({}), run: async () => {} })"
  assert.match(
    await refusalOf(fileOf(`{ name: 'a', jobs: [${job}] }`, 'extension, defineJob, Type')),
    /its job send must be named after it: a\.send/,
  )
  const [one, two] = [fileOf("{ name: 'twin' }"), fileOf("{ name: 'twin' }")]
  assert.match(await refusalOf(one, two), /e\d+\.ts is named twin as well/)
})

test('a route that says nothing about who may call it, or that has the name of another', async () => {
  const routeOf = (config: string, id: string) =>
    fileOf(
      `{ name: 'routes', routes: () => [route(operation({ method: 'GET', url: '/x', config: ${config},
         schema: { operationId: '${id}', response: { 200: Type.Object({}) } } }), async () => ({}))] }`,
      'extension, route, operation, Type',
    )
  const open = await run(['api'], [routeOf('{}', 'x')])
  assert.equal(open.code, 1)
  assert.match(open.output, /The extension .*\.ts: GET \/x does not say who may call it\. Give the route config/)
  const typo = await run(['api'], [routeOf("{ access: 'ORDERS_RAED' as never, business: 'path' }", 'x')])
  assert.equal(typo.code, 1)
  assert.match(
    typo.output,
    /The extension .*\.ts: GET \/x has an unknown access, "ORDERS_RAED"\. Use one of public, guest,/,
  )
  const taken = routeOf("{ access: 'public', business: 'none' }", 'getOrder')
  await run(['cli', 'migrate'], [taken])
  const twice = await run(['api'], [taken])
  assert.equal(twice.code, 1)
  assert.match(twice.output, /Two operations are named getOrder\. Rename that of the extension/)
})

/** An extension of this name with one migration. */
function migrating(name: string, sql: string, file = '0001_first.sql') {
  project.write(`${name}/migrations/${file}`, sql)
  return project.write(
    `${name}/${name}.ts`,
    `import { extension } from 'kontor/extension'
export const it = extension({ name: '${name}', migrations: new URL('./migrations/', ${OWN_URL}) })\n`,
  )
}

test('a service whose database lacks a migration of an extension', async () => {
  const file = migrating('late', 'create table ext_late.things (id text);')
  for (const app of ['api', 'worker']) {
    const { code, output } = await run([app], [file])
    assert.equal(code, 1)
    assert.match(
      output,
      /The database is behind this version of Kontor: it lacks ext_late\/0001_first\.sql\.\nRun: npm run db:migrate/,
    )
  }
})

test('a migration that was changed after it had been applied', async () => {
  const file = migrating('changed', 'create table ext_changed.things (id text);')
  assert.equal((await run(['cli', 'migrate'], [file])).code, 0)
  migrating('changed', 'create table ext_changed.things (id text, name text);')
  assert.match(await refusalOf(file), /Migration ext_changed\/0001_first\.sql was changed after it had been applied/)
})

const OUTSIDE: Record<string, string> = {
  'makes a table without naming its schema': 'create table things (id text);',
  'makes a table in a schema of ours': 'create table orders.things (id text);',
  'forgets our migrations': "delete from cell.migrations where name like '0001%';",
  'changes a table of ours': 'alter table catalog.products add column colour text;',
  'drops a table of ours': 'drop table cell.followed;',
  'empties a table of ours': 'truncate cell.event_outbox;',
  'writes to a table of ours': 'update orders.orders set total = 0;',
  'points at a table of ours':
    'create table ext_outside.things (id text, topic text, position bigint, foreign key (topic, position) references cell.followed);',
  'replaces a function of ours':
    "create or replace function cell.may_write(business text, who text) returns boolean language sql as 'select true';",
  'touches another extension': 'create table ext_changed.more (id text);',
}

test('a migration that reaches out of its schema, however it does it; nothing of it stays', async () => {
  for (const [what, sql] of Object.entries(OUTSIDE)) {
    const output = await refusalOf(migrating('outside', `create table ext_outside.mine (id text);\n${sql}`))
    assert.match(
      output,
      /A migration of ext_outside changes \w+\.\w+, outside of its schema\. Nothing was changed\./,
      what,
    )
  }
  for (const sql of ['commit;\ndrop table cell.followed;', '-- no transaction\ndrop table cell.followed;'])
    assert.match(
      await refusalOf(migrating('outside', sql)),
      /Migration ext_outside\/0001_first\.sql (begins or ends|may do only one)/,
    )
  const { rows } = await onServer(
    (client) =>
      client.query(
        "select to_regclass('ext_outside.mine') as mine, to_regclass('cell.followed')::text as followed, (select count(*)::int from cell.migrations where name like '0001%') as first",
      ),
    databases.main.url,
  )
  assert.deepEqual(rows, [{ mine: null, followed: 'cell.followed', first: 1 }])
})

test('an index may be built beside its writers, and our tables may be read', async () => {
  const file = migrating('inside', 'create table ext_inside.seen as select business_id from cell.event_counters;')
  project.write(
    'inside/migrations/0002_index.sql',
    '-- no transaction\ncreate index concurrently seen_by_business on ext_inside.seen (business_id);\n',
  )
  const { code, output } = await run(['cli', 'migrate'], [file])
  assert.equal(code, 0, output)
  assert.match(output, /main: applied ext_inside\/0001_first\.sql\nmain: applied ext_inside\/0002_index\.sql/)
})
