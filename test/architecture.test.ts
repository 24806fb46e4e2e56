import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'

const RANKS: Record<string, number> = { vocabulary: 0, platform: 1, modules: 2, apps: 3 }
/** Besides these, every module may use access. A new arrow is a decision. */
const ARROWS: Record<string, string[]> = {
  orders: ['catalog'],
  checkout: ['catalog', 'orders', 'payments'],
  newsletter: ['content', 'payments'],
}
const PLATFORM_SCHEMAS = ['control', 'cell', 'graphile_worker']

/** Paths and texts: given, not read, so that the rules can be tried on wrong ones. */
type Sources = Record<string, string>

/** `src/modules/orders/status.ts` belongs to the layer `modules` and, being there, to the module `orders`. */
function placeOf(file: string) {
  const [, layer = '', module = ''] = file.split('/')
  return { layer, module: layer === 'modules' ? module : '' }
}

function importProblem(file: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.') && !specifier.startsWith('#')) return undefined
  const isRelative = specifier.startsWith('.')
  const target = isRelative ? path.posix.join(path.posix.dirname(file), specifier) : `src/${specifier.slice(1)}`
  const [from, to] = [placeOf(file), placeOf(target)]
  const isInside = target.startsWith('src/') && from.layer === to.layer && from.module === to.module
  if (isRelative) return isInside || target === 'package.json' ? undefined : `${specifier} leaves its part`
  if (isInside) return `${specifier} is in its own part: import it relatively`
  const [rank = -1, targetRank = 9] = [RANKS[from.layer], RANKS[to.layer]]
  if (targetRank > rank) return `${specifier} goes against apps → modules → platform → vocabulary`
  if (to.layer !== 'modules') return undefined
  if (target !== `src/modules/${to.module}/index.ts`) return `${specifier} enters a module past its index.ts`
  const isArrow = from.layer === 'apps' || to.module === 'access' || ARROWS[from.module]?.includes(to.module)
  return isArrow ? undefined : `there is no arrow from ${from.module} to ${to.module}`
}

/** `schema.table` as the migrations make them, in SQL's spelling and in Kysely's. */
function tablesOf(sources: Sources): Set<string> {
  const migrations = Object.keys(sources).filter((file) => file.endsWith('.sql'))
  const names = migrations.flatMap((file) =>
    [...(sources[file] ?? '').matchAll(/create table (?:if not exists )?(\w+\.\w+)/g)].map(([, name = '']) => name),
  )
  return new Set([...names, ...names.map((name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()))])
}

/** A known table anywhere in a text, or anything of a known schema where SQL expects a table. */
function schemaProblems(file: string, text: string, tables: ReadonlySet<string>): string[] {
  const { layer, module } = placeOf(file)
  const own = { modules: [module], vocabulary: [] }[layer] ?? PLATFORM_SCHEMAS
  const schemas = new Set([...PLATFORM_SCHEMAS, ...[...tables].map((name) => name.split('.')[0] ?? '')])
  return [...text.matchAll(/(\b(?:from|join|into|update|table|references)\s+)?"?\b([a-z_]+)"?\."?(\w+)/gi)]
    .filter(([, clause, schema = '', name]) => (clause && schemas.has(schema)) || tables.has(`${schema}.${name}`))
    .filter(([, , schema = '']) => !own.includes(schema))
    .map(([, , schema, name]) => `names ${schema}.${name}, a table of another part`)
}

function importedBy(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier)
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal)
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isCall ? textOf(node.arguments[0]) : undefined
}
const textOf = (node: ts.Node | undefined) => (node && ts.isStringLiteralLike(node) ? node.text : undefined)

function problemsOf(file: string, node: ts.Node, tables: ReadonlySet<string>): (string | undefined)[] {
  const imported = importedBy(node)
  if (imported !== undefined) return [importProblem(file, imported)]
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return schemaProblems(file, node.getText(), tables)
  const text = ts.isPropertyAccessExpression(node) || ts.isNewExpression(node) ? node.getText() : ''
  if (text === 'process.env' && placeOf(file).layer !== 'apps') return ['only apps read process.env']
  const isClock = text === 'Date.now' || /^new Date(\(\s*\))?$/.test(text)
  return [isClock && file !== 'src/platform/clock.ts' ? `${text}: ask platform/clock.ts for the time` : undefined]
}

function violations(sources: Sources): string[] {
  const found = new Set<string>()
  const tables = tablesOf(sources)
  for (const [file, text] of Object.entries(sources)) {
    if (!file.endsWith('.ts') || file.endsWith('-tables.ts')) continue // those are made from the database
    const visit = (node: ts.Node): void => {
      for (const problem of problemsOf(file, node, tables)) if (problem) found.add(`${file}: ${problem}`)
      if (importedBy(node) === undefined) ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  }
  return [...found]
}

test('the sources keep to the architecture', () => {
  const root = path.join(import.meta.dirname, '..')
  const files = globSync(['src/**/*.ts', 'migrations/**/*.sql'], { cwd: root })
  assert.ok(files.length > 50)
  assert.deepEqual(
    violations(Object.fromEntries(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]))),
    [],
  )
})

const RIGHT: [file: string, text: string][] = [
  ['src/apps/api.ts', "import { a } from '#modules/orders/index.ts'; process.env.PORT"],
  ['src/apps/cli.ts', "import './boot.ts'; sql`select id from graphile_worker.jobs join cell.events using (id)`"],
  ['src/modules/orders/a.ts', "import { a } from '#modules/catalog/index.ts'; import b from './b.ts'"],
  ['src/modules/content/a.ts', "import { a } from '#modules/access/index.ts'; import b from '#vocabulary/b.ts'"],
  ['src/modules/orders/a.ts', "db.selectFrom('orders.orderLines').select('orders.orderLines.id')"],
  ['src/modules/payments/a.ts', "if (type === 'checkout.session.completed') return new Date(nowMs() + 1)"],
  ['src/platform/a.ts', 'sql`select * from cell.events where id = ${orders.length}`; import pg from "pg"'],
  ['src/platform/clock.ts', 'export const now = () => new Date(); Date.now()'],
  ['src/platform/cell-tables.ts', "interface DB { 'orders.orderLines': OrderLines }"],
  ['src/platform/version.ts', "import json from '../../package.json'"],
  ['src/modules/orders/a.ts', '// never process.env, never select * from catalog.products, never new Date()'],
]
const WRONG: [file: string, text: string, problem: RegExp][] = [
  ['src/vocabulary/a.ts', "import { a } from '#platform/a.ts'", /against/],
  ['src/platform/a.ts', "import { a } from '#modules/access/index.ts'", /against/],
  ['src/platform/a.ts', "import type { A } from '#apps/a.ts'", /against/],
  ['src/modules/orders/a.ts', "import { a } from '#apps/a.ts'", /against/],
  ['src/modules/orders/a.ts', "import { a } from '#elsewhere/a.ts'", /against/],
  ['src/modules/orders/a.ts', "import { a } from '../catalog/index.ts'", /leaves its part/],
  ['src/modules/orders/a.ts', "export { a } from '../../platform/a.ts'", /leaves its part/],
  ['src/platform/http/a.ts', "const a = await import('../../vocabulary/a.ts')", /leaves its part/],
  ['src/platform/a.ts', "import a from '../../test/a.ts'", /leaves its part/],
  ['src/modules/orders/a.ts', "import { a } from '#modules/orders/b.ts'", /relatively/],
  ['src/platform/a.ts', "import { a } from '#platform/b.ts'", /relatively/],
  ['src/modules/orders/a.ts', "import { a } from '#modules/catalog/queries.ts'", /past its index/],
  ['src/apps/a.ts', "let a: import('#modules/catalog/schemas.ts').A", /past its index/],
  ['src/modules/catalog/a.ts', "import { a } from '#modules/orders/index.ts'", /no arrow from catalog to orders/],
  ['src/modules/access/a.ts', "import { a } from '#modules/accounts/index.ts'", /no arrow from access to accounts/],
  ['src/modules/content/a.ts', "import { a } from '#modules/newsletter/index.ts'", /no arrow/],
  ['src/modules/content/a.ts', "db.selectFrom('orders.orderLines')", /names orders.orderLines/],
  ['src/modules/content/a.ts', "db.updateTable('orders.orderLines as line')", /names orders.orderLines/],
  ['src/modules/content/a.ts', 'sql`select 1 from orders.order_lines where id = ${id}`', /names orders.order_lines/],
  ['src/modules/content/a.ts', 'sql`insert into "orders"."order_lines" values (1)`', /names orders.order_lines/],
  ['src/modules/content/a.ts', 'sql`select ${x} FROM orders.some_view`', /names orders.some_view/],
  ['src/modules/content/a.ts', 'sql`delete from cell.events`', /names cell.events/],
  ['src/modules/content/a.ts', 'sql`select 1 from graphile_worker.jobs`', /names graphile_worker.jobs/],
  ['src/platform/a.ts', "const LOGS = ['orders.order_lines']", /names orders.order_lines/],
  ['src/apps/a.ts', 'sql`update orders.order_lines set id = 1`', /names orders.order_lines/],
  ['src/modules/content/a.ts', 'const port = process.env.PORT', /process.env/],
  ['src/platform/a.ts', 'const { PORT } = process.env', /process.env/],
  ['src/modules/content/a.ts', 'const at = new Date()', /ask platform\/clock.ts/],
  ['src/modules/content/a.ts', 'const at = new Date', /ask platform\/clock.ts/],
  ['src/platform/a.ts', 'const at = Date.now() + 5', /ask platform\/clock.ts/],
]
const MIGRATIONS = {
  'migrations/cell/0001_cell.sql': 'create table cell.events (',
  'migrations/cell/0002_orders.sql': 'create schema orders;\ncreate table orders.order_lines (',
}

test('what is right passes', () => {
  for (const [file, text] of RIGHT) assert.deepEqual(violations({ ...MIGRATIONS, [file]: text }), [])
})

test('what is wrong is found, and why', () => {
  for (const [file, text, problem] of WRONG) {
    const found = violations({ ...MIGRATIONS, [file]: text })
    assert.equal(found.length, 1, `${text}: ${found.join(', ')}`)
    assert.match(found[0] ?? '', problem)
  }
})
