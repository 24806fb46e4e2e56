import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'
import { REFUSALS } from '#apps/refusals.ts'

const RANKS: Record<string, number> = { vocabulary: 0, platform: 1, modules: 2, apps: 3 }
/** Besides these, every module may use access. A new arrow is a decision. */
const ARROWS: Record<string, string[]> = {
  catalog: ['media'],
  content: ['media'],
  orders: ['catalog'],
  checkout: ['callouts', 'catalog', 'orders', 'payments'],
  newsletter: ['catalog', 'content', 'orders', 'payments'],
  customers: ['newsletter', 'orders'],
  reports: ['customers', 'newsletter', 'orders'],
  storefront: ['catalog', 'content'],
}
/** What a module gets from others without importing them: the app hands it in (src/apps/wiring.ts). These are arrows, too. */
const HANDED_IN: Record<string, string[]> = {
  access: ['accounts', 'media'],
  backoffice: ['catalog', 'content', 'customers', 'orders'],
  callouts: ['accounts'],
  catalog: ['content', 'orders'],
  checkout: ['access', 'accounts', 'newsletter'],
  content: ['accounts', 'catalog', 'newsletter', 'orders'],
  customers: ['access', 'accounts', 'content', 'payments'],
  newsletter: ['access', 'accounts', 'checkout', 'customers'],
  operator: ['accounts', 'newsletter'],
  orders: ['access', 'accounts', 'checkout', 'media', 'newsletter', 'reports'],
  payments: ['access', 'checkout', 'newsletter'],
  webhooks: ['accounts'],
  reports: ['catalog', 'payments'],
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
  if (specifier.startsWith('#demo/')) return placeOf(file).layer === 'apps' ? undefined : 'only apps know the demo'
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
    [...(sources[file] ?? '').matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+\.\w+)/g)].map(
      ([, name = '']) => name,
    ),
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

/** By local name, the module that an imported name comes from. */
function modulesByName(source: ts.SourceFile): Map<string, string> {
  const names = new Map<string, string>()
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || statement.importClause?.isTypeOnly) continue
    const [, module] = /^#modules\/(\w+)\/index\.ts$/.exec(textOf(statement.moduleSpecifier) ?? '') ?? []
    const bindings = statement.importClause?.namedBindings
    if (!module || !bindings || !ts.isNamedImports(bindings)) continue
    for (const { name } of bindings.elements) names.set(name.text, module)
  }
  return names
}

function identifiersIn(node: ts.Node, found = new Set<string>()): Set<string> {
  if (ts.isIdentifier(node)) found.add(node.text)
  ts.forEachChild(node, (child) => void identifiersIn(child, found))
  return found
}

/** The shared parts of the API, each with the modules that it is made of. */
function partsOf(parts: ts.SourceFile, payables: ts.SourceFile): Map<string, Set<string>> {
  const known = new Map([...modulesByName(parts)].map(([name, module]) => [name, new Set([module])]))
  known.set('payables', new Set(modulesByName(payables).values()))
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const modules = [...identifiersIn(node.initializer)].flatMap((name) => [...(known.get(name) ?? [])])
      if (modules.length > 0) known.set(node.name.text, new Set(modules))
    }
    ts.forEachChild(node, visit)
  }
  visit(parts)
  return known
}

/** `wireOrders` uses names of other modules, shared parts, and small functions beside it: what it uses is handed to orders. */
function handedIn(wiring: string, parts: string, payables: string): Record<string, string[]> {
  const parse = (text: string) => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true)
  const source = parse(wiring)
  const known = partsOf(parse(parts), parse(payables))
  for (const [name, module] of modulesByName(source)) known.set(name, new Set([module]))
  const arrows: Record<string, string[]> = {}
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        const used = initializer ? [...identifiersIn(initializer)].flatMap((each) => [...(known.get(each) ?? [])]) : []
        known.set(name.getText(), new Set(used))
      }
    }
    const [, wired] = ts.isFunctionDeclaration(statement) ? (/^wire(\w+)$/.exec(statement.name?.text ?? '') ?? []) : []
    if (!wired) continue
    const module = wired.toLowerCase()
    const used = new Set([...identifiersIn(statement)].flatMap((name) => [...(known.get(name) ?? [])]))
    used.delete(module)
    const imported = new Set(ARROWS[module])
    const others = [...used].filter((each) => !imported.has(each)).sort()
    if (others.length > 0) arrows[module] = others
  }
  return arrows
}

test('what modules get from each other by the app is listed, like what they import', () => {
  const read = (name: string) => readFileSync(path.join(import.meta.dirname, '../src/apps', name), 'utf8')
  assert.deepEqual(handedIn(read('wiring.ts'), read('parts.ts'), read('payables.ts')), HANDED_IN)
})

test('a function that is handed in counts, directly, in a shared part, or through a helper', () => {
  const wiring = `
    import { findUser } from '#modules/accounts/index.ts'
    import { orderRoutes } from '#modules/orders/index.ts'
    import { findEntry } from '#modules/content/index.ts'
    const helper = () => findEntry
    async function wireOrders(app, { customers }) { app.register(orderRoutes, { findUser, customers, find: helper() }) }`
  const parts = "import { createCustomers } from '#modules/access/index.ts'; const customers = createCustomers()"
  assert.deepEqual(handedIn(wiring, parts, ''), { orders: ['access', 'accounts', 'content'] })
})

const RIGHT: [file: string, text: string][] = [
  ['src/apps/api.ts', "import { a } from '#modules/orders/index.ts'; process.env.PORT"],
  ['src/apps/cli.ts', "import './boot.ts'; sql`select id from graphile_worker.jobs join cell.events using (id)`"],
  ['src/apps/demo/a.ts', "import { a } from '#demo/goods/goods.ts'"],
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
  ['src/modules/orders/a.ts', "import { a } from '#modules/catalog/products/queries.ts'", /past its index/],
  ['src/modules/catalog/a.ts', "import { a } from '#demo/a.ts'", /only apps/],
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

/** `errors.ts` makes one error of many details, `thread.ts` hands on one from a thread, `openapi.ts` has an example. */
const MAKES_ERRORS = ['src/vocabulary/define-refusal.ts', 'src/vocabulary/errors.ts', 'src/platform/thread.ts']
const SHOWS_DETAILS = ['src/platform/http/openapi.ts']

function refusalProblems(file: string, text: string, lists: readonly string[]): string[] {
  const defines = /^import \{[^}]*\} from '[^']*\/define-refusal\.ts'/m.test(text) && !lists.includes(file)
  const makes = /\bnew AppError\(/.test(text) && !MAKES_ERRORS.includes(file)
  const details = /\berror: '[A-Z_]+'/.test(text) && !SHOWS_DETAILS.includes(file)
  return [
    ...(defines ? [`${file} defines refusals, and src/apps/refusals.ts does not list it`] : []),
    ...(makes || details ? [`${file} refuses with words of its own: define them in a list of refusals`] : []),
  ]
}

test('every refusal is defined in a list, and every list is in the catalogue', () => {
  const lists = REFUSALS.flatMap((chapter) => Object.keys(chapter.lists))
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  assert.deepEqual(
    files.flatMap((file) => refusalProblems(file, readFileSync(file, 'utf8'), lists)),
    [],
  )
  const wrong = [
    "import { invalid } from '#vocabulary/define-refusal.ts'",
    "throw new AppError(409, 'CONFLICT', 'No.')",
    "details.push({ field, error: 'INVALID', message: 'No.' })",
  ]
  for (const text of wrong) assert.equal(refusalProblems('src/modules/orders/a.ts', text, lists).length, 1, text)
})
