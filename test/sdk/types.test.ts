import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'

const ROOT = path.resolve(import.meta.dirname, '../..')
const FILE = path.join(ROOT, 'packages/sdk/src/hover.ts')

/** What an editor shows above the constants of this text, and what it underlines. */
function open(text: string) {
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
  const problems = service
    .getSemanticDiagnostics(FILE)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  const shown = Object.fromEntries(
    [...text.matchAll(/^const (\w+) =/gm)].map(({ 1: name = '', index }) => {
      const shown = ts.displayPartsToString(service.getQuickInfoAtPosition(FILE, index + 6)?.displayParts)
      const type = shown.replace(`const ${name}: `, '')
      // The compiler lists words in the order in which it met them, wherever that was.
      return [name, type.startsWith('"') ? type.split(' | ').toSorted().join(' | ') : type]
    }),
  )
  return { problems, shown }
}

test('an editor shows names, not walls of fields', () => {
  const { problems, shown } = open(`
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
const tags = await kontor.products.facets(['tag'], { status: 'DRAFT' })
const colours = (await kontor.storefront.products.facets(['attribute.Colour', 'price']))['attribute.Colour']
const prices = (await kontor.storefront.products.facets(['price'], { 'attribute.Size': ['S', 'M'] })).price
const counted = colours.values[0]!
const shown = (await kontor.storefront.products.list({ sort: '-price', 'attribute.Colour': 'Red' })).items[0]!
const offered = shown.variants[0]!
const version = etagOf(product)
const status = statusOf(product)
const payment = paymentStatusOf(order)
`)
  assert.deepEqual(problems, [])
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
    tags: 'FacetsByName<"tag">',
    colours: 'ValueFacet',
    prices: 'PriceFacet',
    counted: 'FacetValue',
    shown: 'PublicProduct',
    offered: 'PublicVariant',
    version: 'string',
    status: '"ACTIVE" | "ARCHIVED" | "DRAFT"',
    payment: '"FAILED" | "PAID" | "PARTIALLY_REFUNDED" | "PENDING" | "REFUNDED"',
  })
})

test('an editor underlines filters, sorts and facets that the service does not have', () => {
  const { problems } = open(`
import { createKontor } from './index.ts'
const { storefront, products } = createKontor({ baseUrl: '' })
storefront.products.list({ sort: 'cheapest' })
storefront.products.list({ 'atribute.Colour': 'Red' })
storefront.products.list({ 'attribute.Colour': 3 })
products.list({ 'attribute.Colour': [true] })
storefront.products.facets(['colour'])
products.facets(['price'], { facets: 'tag' })
`)
  assert.equal(problems.length, 6, problems.join('\n'))
})
