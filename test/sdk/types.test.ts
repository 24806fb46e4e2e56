import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'

const ROOT = path.resolve(import.meta.dirname, '../..')
const FILE = path.join(ROOT, 'packages/sdk/src/hover.ts')

/** What an editor shows above the constants of this text. */
function hover(text: string): Record<string, string> {
  const { sys } = ts
  const read = (name: string) => (name === FILE ? text : sys.readFile(name))
  const service = ts.createLanguageService({
    getScriptFileNames: () => [FILE],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = read(name)
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
    },
    getCurrentDirectory: () => ROOT,
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      noEmit: true,
      types: [],
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    }),
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: (name) => name === FILE || sys.fileExists(name),
    readFile: read,
    directoryExists: sys.directoryExists,
    getDirectories: sys.getDirectories,
  })
  assert.deepEqual(
    service.getSemanticDiagnostics(FILE).map(({ messageText }) => messageText),
    [],
  )
  return Object.fromEntries(
    [...text.matchAll(/^const (\w+) =/gm)].map(({ 1: name = '', index }) => {
      const shown = ts.displayPartsToString(service.getQuickInfoAtPosition(FILE, index + 6)?.displayParts)
      const type = shown.replace(`const ${name}: `, '')
      // The compiler lists words in the order in which it met them, wherever that was.
      return [name, type.startsWith('"') ? type.split(' | ').toSorted().join(' | ') : type]
    }),
  )
}

test('an editor shows names, not walls of fields', () => {
  const shown = hover(`
import { createKontor, etagOf, paymentStatusOf, statusOf } from './index.ts'
const kontor = createKontor({ baseUrl: '' })
const get = kontor.products.get
const create = kontor.products.create
const list = kontor.operations.listOrders
const product = await kontor.products.get('')
const variant = product.variants[0]!
const price = kontor.priceOf(variant)
const inventory = variant.inventory
const order = await kontor.orders.get('')
const line = order.lines[0]!
const quoted = (await kontor.quote({ items: [] })).lines[0]!
const market = (await kontor.business.get()).markets[0]!
const method = market.shippingMethods[0]!
const address = (await kontor.me.get()).addresses[0]!
const settings = product.blocks[0]!.settings
const subscribed = await kontor.newsletters.subscribe('', { email: '', planId: '' })
const version = etagOf(product)
const status = statusOf(product)
const payment = paymentStatusOf(order)
`)
  delete shown.kontor
  assert.deepEqual(shown, {
    get: '(id: string, options?: CallOptions) => Promise<Product>',
    create: '(body: CreateProductBody, options?: CallOptions) => Promise<Product>',
    list: '(input?: Input<"listOrders"> | undefined, options?: CallOptions | undefined) => Promise<ListOrdersPage>',
    product: 'Product',
    variant: 'Variant',
    price: 'Price | undefined',
    inventory: 'Inventory',
    order: 'Order',
    line: 'OrderLine',
    quoted: 'QuoteLine',
    market: 'Market',
    method: 'ShippingMethod',
    address: 'Address',
    settings: 'BlockSettings | undefined',
    subscribed: 'SubscribeResponse',
    version: 'string',
    status: '"ACTIVE" | "ARCHIVED" | "DRAFT"',
    payment: '"FAILED" | "PAID" | "PARTIALLY_REFUNDED" | "PENDING" | "REFUNDED"',
  })
})
