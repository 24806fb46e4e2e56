import assert from 'node:assert/strict'
import { globSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { readSources } from '../scripts/changed-files.ts'
import { docsPatterns, isTest, selectTests } from '../scripts/select-tests.ts'

const SOURCES = {
  'src/modules/orders/operations.ts': "operation({ url: '/orders/:id' })",
  'src/modules/orders/total.ts': '',
  'src/modules/orders/total.test.ts': "import { total } from './total.ts'",
  'src/modules/catalog/index.ts': "operation({ url: '/products' })",
  'src/platform/clock.ts': '',
  'packages/dashboard/src/orders/routes.ts':
    "createRoute({ getParentRoute: () => businessRoute,\n  path: 'orders/$order' })",
  'packages/dashboard/src/orders/amounts.ts': '',
  'packages/dashboard/src/stock/routes.ts': "createRoute({ getParentRoute: () => businessRoute,\n  path: 'stock' })",
  'packages/dashboard/src/ui/button.tsx': '',
  'test/support/pdf.ts': "import { total } from '#modules/orders/total.ts'",
  'test/support/slips.ts': "export * from './pdf.ts'",
  'test/support/preload.ts': '',
  'test/api/orders/status.test.ts': '',
  'test/api/orders/kills.test.ts': "const preload = 'preload.ts'",
  'test/api/catalog/products.test.ts': "get('/products')",
  'test/api/customers/url.test.ts': 'get(`${path}/orders`)',
  'test/api/customers/table.test.ts': 'sql`select 1 from orders.orders`',
  'test/api/customers/import.test.ts': "import { orderJobs } from '#modules/orders/index.ts'",
  'test/api/customers/helper.test.ts': "import { readSlip } from '../../support/slips.ts'",
  'test/api/customers/races.test.ts': 'get(`${path}/orders`)',
  'test/browser/dashboard-order.test.ts': '',
  'test/browser/dashboard-views.test.ts': "page.goto(at('/orders?market=de'))",
  'test/browser/dashboard-stock.test.ts': "page.goto(at('/stock'))",
  'test/dashboard/amounts.test.ts': "dashboardSource('orders/amounts.ts')",
  'test/architecture.test.ts': "globSync(['src/**/*.ts'])",
  'test/docs.test.ts': '',
  'test/alerts.test.ts': "read('docs/alerts.md')",
  'test/images.test.ts': "read('Dockerfile')",
}
const TESTS = Object.keys(SOURCES).filter(isTest)

const select = (...changed: string[]) => selectTests(changed, SOURCES).flatMap((choice) => choice.tests)

describe('test selection', () => {
  test('adds the tests of a module, its unit tests, and tests outside that use it', () => {
    assert.deepEqual(select('src/modules/orders/total.ts'), [
      'src/modules/orders/total.test.ts',
      'test/api/customers/import.test.ts',
      'test/api/customers/table.test.ts',
      'test/api/customers/url.test.ts',
      'test/api/orders/kills.test.ts',
      'test/api/orders/status.test.ts',
      'test/architecture.test.ts',
    ])
  })

  test('adds browser tests that open a screen or are named after it', () => {
    assert.deepEqual(select('packages/dashboard/src/orders/amounts.ts'), [
      'test/browser/dashboard-order.test.ts',
      'test/browser/dashboard-views.test.ts',
      'test/dashboard/amounts.test.ts',
    ])
  })

  test('adds all dashboard tests for a shared folder', () => {
    const tests = TESTS.filter((file) => file.includes('dashboard'))
    assert.deepEqual(select('packages/dashboard/src/ui/button.tsx'), tests.sort())
  })

  test('limits pages to the docs tests and the tests that read them', () => {
    assert.deepEqual(select('docs/guides/new.md', 'CHANGELOG.md'), ['test/docs.test.ts'])
    assert.deepEqual(select('docs/alerts.md'), ['test/alerts.test.ts', 'test/docs.test.ts'])
    const patterns = docsPatterns(['CHANGELOG.md'], ['test/docs.test.ts'])
    assert.deepEqual(patterns, ['--test-name-pattern=^what the pages say', '--test-name-pattern=(^| )CHANGELOG\\.md:'])
    assert.deepEqual(docsPatterns(['docs/alerts.md'], select('docs/alerts.md')), [])
  })

  test('selects a changed test file, and the tests that load a changed helper', () => {
    assert.deepEqual(select('test/api/orders/status.test.ts'), ['test/api/orders/status.test.ts'])
    assert.deepEqual(select('test/support/pdf.ts'), ['test/api/customers/helper.test.ts'])
    assert.deepEqual(select('test/support/preload.ts'), ['test/api/orders/kills.test.ts'])
  })

  test('checks the docs for links to a deleted file', () => {
    assert.ok(select('src/modules/orders/deleted.ts').includes('test/docs.test.ts'))
    assert.ok(!select('test/api/orders/deleted.test.ts').includes('test/api/orders/deleted.test.ts'))
  })

  test('selects the readers of a root file', () => {
    assert.deepEqual(select('Dockerfile'), ['test/images.test.ts'])
  })

  test('selects everything for shared and unknown files', () => {
    for (const file of [
      'src/platform/clock.ts',
      'migrations/cell/0001_cell.sql',
      'package.json',
      'unknown.toml',
      'new/a.ts',
    ])
      assert.deepEqual(selectTests(['CHANGELOG.md', file], SOURCES), [
        { subject: `${file} (affects everything)`, tests: TESTS },
      ])
  })

  test('selects nothing if nothing changed', () => assert.deepEqual(select(), []))
})

describe('test selection in this repository', () => {
  const sources = readSources()
  const all = Object.keys(sources).filter(isTest)
  const choose = (file: string) => selectTests([file], sources)[0] ?? { subject: '', tests: [] }

  test('knows the test files that npm test runs', () => {
    assert.deepEqual(
      all.sort(),
      globSync(['src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'test/**/*.test.ts']).sort(),
    )
  })

  test('selects tests for a new file in every folder', () => {
    const folders = new Set(
      readdirSync('.', { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !['.git', 'node_modules'].includes(entry.name))
        .map((entry) => entry.name),
    )
    for (const folder of folders) assert.ok(choose(`${folder}/new.ts`).tests.length > 0, folder)
  })

  test('selects the tests of every module, but not all tests', () => {
    for (const module of readdirSync('src/modules')) {
      const { subject, tests } = choose(`src/modules/${module}/new.ts`)
      assert.equal(subject, module)
      assert.ok(
        tests.some((file) => file.startsWith(`test/api/${module}/`)),
        module,
      )
      assert.ok(tests.length < all.length / 3, `${module}: ${tests.length}`)
    }
  })

  test('selects browser tests for every screen of the dashboard, but not all of them', () => {
    for (const routes of globSync('packages/dashboard/src/*/routes.ts')) {
      const screen = path.basename(path.dirname(routes))
      const { subject, tests } = choose(`packages/dashboard/src/${screen}/new.tsx`)
      assert.equal(subject, `dashboard/${screen}`)
      const browser = tests.filter((file) => file.startsWith('test/browser/'))
      assert.ok(browser.length > 0 && browser.length < 10, `${screen}: ${browser.length}`)
    }
  })
})
