import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { catalogJobs, productImport } from '#modules/catalog/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { dropImport } from '#platform/transfer/staging.ts'
import {
  CSV,
  countsOf,
  eventsOf,
  faultsIn,
  finishImport,
  importErrors,
  importFile,
  movementsOf,
  NDJSON,
  rowsLeft,
  toLines,
  uploadFile,
} from '../../support/imports.ts'
import { openRaw } from '../../support/raw-http.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog', own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

type Shop = Awaited<ReturnType<typeof used.make.shop>>
// biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is for the test to say
type Body = any // oxlint-disable-line typescript/no-explicit-any

const shirt = (number: number, more: object = {}) => ({
  name: `Shirt ${number}`,
  slug: `shirt-${number}`,
  statuses: [{ status: 'ACTIVE' }],
  variants: [
    {
      name: 'Red',
      sku: `SH-${number}-R`,
      pricing: { markets: [{ marketId: 'us', price: 1_000 + number }] },
      inventory: { quantity: number },
    },
    { name: 'Blue', inventory: { quantity: 5 } },
  ],
  ...more,
})
const range = (count: number, from = 1) => Array.from({ length: count }, (_, index) => index + from)

async function allProducts({ admin, products }: Shop): Promise<Body[]> {
  const found: Body[] = []
  for (let cursor = ''; ; ) {
    const { body } = await admin.get(`${products}?limit=100${cursor && `&cursor=${cursor}`}`)
    found.push(...body.items)
    if (!body.cursor) return found
    cursor = body.cursor
  }
}
const bySlug = async (shop: Shop, slug: string): Promise<Body> =>
  (await shop.admin.get(`${shop.products}?slug=${slug}`)).body.items[0]

test('an NDJSON file of some hundred lines is imported, and its progress and errors can be read', async () => {
  const shop = await used.make.shop()
  const rows = range(450).map((number) => (number % 10 === 0 ? { slug: `shirt-${number}`, name: '' } : shirt(number)))
  const uploaded = await uploadFile(shop, toLines(rows))
  assert.equal(uploaded.status, 201, uploaded.text)
  assert.match(uploaded.body.id, /^imp_/)
  const { id: _id, createdAt, ...first } = uploaded.body
  assert.deepEqual(first, {
    status: 'RUNNING',
    total: 450,
    done: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 0,
    unknownColumns: [],
    finishedAt: null,
    isDryRun: false,
    format: 'ndjson',
    marketId: null,
    fileName: null,
    isUndoable: true,
    undone: 0,
    kept: 0,
    warnings: [],
    pictures: null,
    createdBy: shop.admin.id,
  })
  assert.ok(Math.abs(createdAt - Date.now() / 1000) < 60)

  const finished = await finishImport(shop, uploaded.body.id)
  assert.equal(countsOf(finished), '405/0/45 of 450')
  assert.equal(finished.done, 405)
  assert.ok(finished.finishedAt !== null && finished.finishedAt >= createdAt)

  const products = await allProducts(shop)
  assert.equal(products.length, 405)
  const one = await bySlug(shop, 'shirt-7')
  assert.deepEqual(
    one.variants.map(({ name, sku, inventory }: Body) => [name, sku, inventory.quantity]),
    [
      ['Red', 'SH-7-R', 7],
      ['Blue', '', 5],
    ],
  )
  assert.deepEqual(one.variants[0].pricing.markets, [{ marketId: 'us', currency: 'USD', price: 1_007 }])
  const found = await shop.admin.get(`${shop.products}?query=SH-7-R`)
  assert.equal(found.body.items[0].slug, 'shirt-7')

  const errors = `${shop.products}/imports/${uploaded.body.id}/errors`
  const numbers: number[] = []
  for (let cursor = ''; ; ) {
    const page = await shop.admin.get(`${errors}?limit=20${cursor && `&cursor=${cursor}`}`)
    assert.equal(page.status, 200, page.text)
    assert.ok(page.body.items.length <= 20)
    for (const { number, line, details } of page.body.items as Body[]) {
      numbers.push(number)
      assert.equal(line, JSON.stringify(rows[number - 1]))
      assert.deepEqual([details[0].field, details[0].error], ['name', 'TOO_SHORT'])
    }
    if (!page.body.cursor) break
    cursor = page.body.cursor
  }
  assert.deepEqual(
    numbers,
    range(45).map((number) => number * 10),
  )
  assert.deepEqual(await rowsLeft(shop.db, shop.id), { rows: 45, imports: 1 }, 'what was imported is forgotten')
})

test('a CSV file is imported, a row a variant', async () => {
  const shop = await used.make.shop({ cell: 'second' })
  const text = [
    'slug,name,category,status,images,variantName,sku,attributes,tracked,quantity,lowStockThreshold,price:us,compareAtPrice:us,price:de',
    'mug,"Mug, ""big""",cups,ACTIVE,https://cdn.example.com/a.png https://cdn.example.com/b.jpg,Red,M-R,"Colour: Red\nSize: 1: 2",true,5,2,1999,2499,1800',
    'mug,,,,,Blue,M-B,Colour: Blue,false,,,2099,,',
    ',Plate,,,,,,,,,,,,',
    'bowl,Bowl,,ACTIVE,,,B-1,,,many,,12.50,,',
    ',,,,,Big,B-2,,,3,,,,',
  ].join('\n')
  const done = await importFile(shop, text, CSV)
  assert.equal(countsOf(done), '2/0/1 of 3')

  const mug = await bySlug(shop, 'mug')
  assert.deepEqual([mug.name, mug.category, mug.statuses.at(-1).status], ['Mug, "big"', 'cups', 'ACTIVE'])
  assert.deepEqual(
    mug.gallery.map(({ url, mimeType }: Body) => [url, mimeType]),
    [
      ['https://cdn.example.com/a.png', 'image/png'],
      ['https://cdn.example.com/b.jpg', 'image/jpeg'],
    ],
  )
  const [red, blue] = mug.variants
  assert.deepEqual(red.attributes, [
    { name: 'Colour', value: 'Red' },
    { name: 'Size', value: '1: 2' },
  ])
  assert.deepEqual(red.inventory, { tracked: true, quantity: 5, lowStockThreshold: 2 })
  assert.deepEqual(red.pricing.markets, [
    { marketId: 'us', currency: 'USD', price: 1999, compareAtPrice: 2499 },
    { marketId: 'de', currency: 'EUR', price: 1800 },
  ])
  assert.deepEqual([blue.sku, blue.inventory.tracked, blue.pricing.markets.length], ['M-B', false, 1])
  const plate = await bySlug(shop, 'plate')
  assert.deepEqual([plate.name, plate.variants, plate.statuses.at(-1).status], ['Plate', [], 'DRAFT'])

  const [error, ...more] = await importErrors(shop, done.id)
  assert.deepEqual(more, [])
  assert.equal(error?.number, 6, 'the attributes of the mug have a line more')
  assert.deepEqual(error?.details.map(({ field, error: code }) => `${field} ${code}`).sort(), [
    'price:us INVALID',
    'quantity INVALID',
  ])
})

test('a file that is imported twice changes nothing the second time', async () => {
  const shop = await used.make.shop()
  const file = toLines([
    ...range(30).map((number) => shirt(number)),
    {
      name: 'Plain',
      variants: [
        { name: 'S', inventory: { quantity: 3 } },
        { name: 'M', inventory: { quantity: 0 } },
      ],
    },
    { name: 'No variants' },
    { name: 'By SKU', variants: [{ sku: 'ONLY-SKU', inventory: { quantity: 9 } }] },
  ])
  const first = await importFile(shop, file)
  assert.equal(countsOf(first), '33/0/0 of 33')
  const [products, ledger] = [await allProducts(shop), await movementsOf(shop.db, shop.id)]
  assert.equal(ledger.length, 30 * 2 + 2)

  const second = await importFile(shop, file)
  assert.equal(countsOf(second), '0/0/0 of 33')
  assert.equal(second.unchanged, 33)
  const strip = ({ updatedAt: _updatedAt, ...product }: Body) => product
  assert.deepEqual((await allProducts(shop)).map(strip), products.map(strip), 'ids of products and variants, too')
  assert.deepEqual(await movementsOf(shop.db, shop.id), ledger)
})

test('a CSV file that is imported twice changes nothing the second time', async () => {
  const shop = await used.make.shop()
  const file = 'slug,name,status,variantName,sku,quantity\nmug,Mug,ACTIVE,Red,M-R,5\nmug,,,Blue,,6\n,Plate,,,,7\n'
  await importFile(shop, file, CSV)
  const [products, ledger] = [await allProducts(shop), await movementsOf(shop.db, shop.id)]
  assert.equal(ledger.length, 3)
  assert.equal((await importFile(shop, file, CSV)).unchanged, 2)
  const strip = ({ updatedAt: _updatedAt, ...product }: Body) => product
  assert.deepEqual((await allProducts(shop)).map(strip), products.map(strip))
  assert.deepEqual(await movementsOf(shop.db, shop.id), ledger)
})

test('a row changes the product with its slug, with one of its SKUs, or with its name, in this order', async () => {
  const shop = await used.make.shop()
  const a = await used.make.product(shop, { name: 'Apple', variants: [{ id: 'a', sku: 'A-1', name: 'x' }] })
  const b = await used.make.product(shop, { name: 'Banana', variants: [{ id: 'b', sku: 'B-1', name: 'y' }] })
  const c = await used.make.product(shop, { name: 'Cherry', variants: [{ id: 'c', name: 'z' }] })
  const done = await importFile(
    shop,
    toLines([
      { name: 'Banana split', variants: [{ sku: 'nobody-has-it' }, { sku: 'B-1' }] },
      { slug: 'apple', name: 'Apple pie', variants: [{ sku: 'B-1' }] },
      { name: 'Cherry', description: 'red' },
      { name: 'Cherry', variants: [{ sku: 'C-NEW' }] },
    ]),
  )
  assert.equal(countsOf(done), '1/3/0 of 4', JSON.stringify(await importErrors(shop, done.id)))
  const read = async ({ path }: { path: string }) => (await shop.admin.get(path)).body
  assert.deepEqual([(await read(a)).name, (await read(a)).variants[0].sku], ['Apple pie', 'B-1'])
  assert.deepEqual([(await read(b)).name, (await read(b)).variants[1].id], ['Banana split', 'b'])
  assert.deepEqual([(await read(c)).description, (await read(c)).variants[0].id], ['red', 'c'])
  const other = (await allProducts(shop)).find(({ variants }) => variants[0]?.sku === 'C-NEW')
  assert.notEqual(other.slug, 'cherry', 'a SKU that nobody has is a new product, whatever its name')
})

test('a variant without an id is the one with its SKU, then the one with its name', async () => {
  const shop = await used.make.shop()
  const variants = [
    { id: 'one', sku: 'S-1', name: 'Red', inventory: { quantity: 1 } },
    { id: 'two', sku: '', name: 'Blue', inventory: { quantity: 2 } },
    { id: 'three', sku: 'S-3', name: 'Blue', inventory: { quantity: 3 } },
  ]
  const product = await used.make.product(shop, { slug: 'p', variants })
  const sent = [{ name: 'Blue' }, { sku: 'S-3', name: 'Green' }, { sku: 'S-1' }, { name: 'Black' }]
  assert.equal(countsOf(await importFile(shop, toLines([{ slug: 'p', variants: sent }]))), '0/1/0 of 1')
  const { body } = await shop.admin.get(product.path)
  assert.deepEqual(
    body.variants.slice(0, 3).map(({ id, name, inventory }: Body) => [id, name, inventory.quantity]),
    [
      ['two', 'Blue', 2],
      ['three', 'Green', 3],
      ['one', 'Red', 1],
    ],
  )
  assert.match(body.variants[3].id, /^var_/)
})

test('a name that several variants have does not take one away from the row with its SKU', async () => {
  const shop = await used.make.shop()
  const product = await used.make.product(shop, { slug: 'p', variants: [{ id: 'sized', sku: 'S-1', name: 'Red' }] })
  await importFile(shop, toLines([{ slug: 'p', variants: [{ name: 'Red' }, { sku: 'S-1', name: 'Red' }] }]))
  const { body } = await shop.admin.get(product.path)
  assert.deepEqual([body.variants.length, body.variants[1].id], [2, 'sized'])
})

test('rows of one file that mean the same product are done one after the other', async () => {
  const shop = await used.make.shop()
  const done = await importFile(
    shop,
    toLines([
      { name: 'One', slug: 'one', description: 'first', variants: [{ sku: 'ONE', inventory: { quantity: 1 } }] },
      { slug: 'one', category: 'second' },
      { name: 'One', description: 'third' },
      { name: 'Uno', variants: [{ sku: 'ONE', inventory: { quantity: 4 } }] },
      { variants: [{ sku: 'ONE', inventory: { quantity: 5 } }] },
      { variants: [{ sku: 'ONE', inventory: { quantity: 6 } }] },
      { variants: [{ sku: 'ONE', name: 'Last' }] },
    ]),
  )
  assert.equal(countsOf(done), '1/6/0 of 7', JSON.stringify(await importErrors(shop, done.id)))
  const [one, ...others] = await allProducts(shop)
  assert.deepEqual(others, [])
  assert.deepEqual([one.name, one.description, one.category, one.slug], ['Uno', 'third', 'second', 'one'])
  assert.deepEqual([one.variants[0].name, one.variants[0].inventory.quantity], ['Last', 6])
  const ledger = await movementsOf(shop.db, shop.id)
  assert.deepEqual(
    ledger.map(({ delta, quantity }) => [delta, quantity]),
    [
      [1, 1],
      [3, 4],
      [1, 5],
      [1, 6],
    ],
  )
})

test('new products without a slug, known by their SKUs only, are imported many at a time', async () => {
  const shop = await used.make.shop()
  const rows = range(300).map((number) => ({ name: `Thing ${number}`, variants: [{ sku: `T-${number}` }] }))
  const uploaded = await uploadFile(shop, toLines([...rows, ...range(20).map(() => ({ category: 'nameless' }))]))
  const done = await finishImport(shop, uploaded.body.id)
  assert.equal(countsOf(done), '300/0/20 of 320')
  // One transaction a batch: the products of one share their moment.
  const moments = new Set(
    (await shop.db.selectFrom('catalog.products').select('createdAt').where('businessId', '=', shop.id).execute()).map(
      ({ createdAt }) => createdAt.getTime(),
    ),
  )
  assert.ok(moments.size < 50, `${moments.size} moments`)
  const [error] = await importErrors(shop, done.id)
  assert.deepEqual([error?.number, error?.details[0]?.field, error?.details[0]?.error], [301, 'name', 'REQUIRED'])
})

test('long lines are imported in smaller batches, each once', async () => {
  const shop = await used.make.shop()
  const description = 'lorem ipsum '.repeat(8_000)
  const rows = range(40).map((number) => ({ name: `Long ${number}`, description: `${description}${number}` }))
  assert.equal(countsOf(await importFile(shop, toLines(rows))), '40/0/0 of 40')
  const { rows: batches } = await sql`
    select xmin::text, count(*) from catalog.products where business_id = ${shop.id} group by 1`.execute(shop.db)
  assert.ok(batches.length > 2, `${batches.length} batches`)
  assert.equal((await bySlug(shop, 'long-40')).description, `${description}40`)
})

test('what is wrong with a line is its own failure, and the numbers are those of the file', async () => {
  const shop = await used.make.shop()
  const utf8 = (text: string) => Buffer.from(text)
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const file: [line: Buffer, expected: string][] = [
    [utf8(`\ufeff${JSON.stringify({ name: 'With a BOM' })}`), ''],
    [utf8('{"name":"bad JSON"'), 'The line is not valid JSON'],
    [utf8(''), ''],
    [utf8('   \t '), ''],
    [utf8('{"name":"CRLF"}\r'), ''],
    [utf8('\r'), ''],
    [utf8('{"name":"NUL \0 itself"}'), 'NUL'],
    [utf8('{"name":"NUL \\u0000 escaped"}'), 'NUL'],
    [utf8('{"name":"half \\ud800 a pair"}'), 'half a surrogate pair'],
    [utf8(`{"name":"deep","blocks":${deep(40)}}`), 'nested too deeply'],
    [utf8(deep(100_000)), 'nested too deeply'],
    [Buffer.concat([utf8('{"name":"Caf'), Buffer.from([0xe9]), utf8('"}')]), 'UTF-8'],
    [utf8(`{"name":"long","description":"${'x'.repeat(2 * 1024 * 1024)}"}`), '2 MiB'],
    [utf8('[]'), ''],
    [utf8('null'), ''],
    [utf8('"text"'), ''],
    [utf8('{}'), 'Fill in the name'],
    [utf8('{"__proto__":{"name":"polluted"}}'), 'Fill in the name'],
    [utf8('{"name":"line\u2028separator","description":"a\u2029b\u0085c"}'), ''],
    [utf8('{"name":"wrong market","variants":[{"pricing":{"markets":[{"marketId":"mars","price":1}]}}]}'), 'mars'],
    [utf8('{"name":"unknown fields","colour":"red","id":"prod_1","businessId":"biz_1"}'), ''],
    [utf8('{"name":"no newline at the end"}'), ''],
  ]
  const bytes = Buffer.concat(file.flatMap(([line], index) => (index === 0 ? [line] : [utf8('\n'), line])))
  const response = await fetch(`${used.api.url}${shop.products}/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.admin.token}`, 'content-type': 'Application/X-NDJSON; charset=utf-8' },
    body: bytes,
  })
  const made = (await response.json()) as Body
  assert.equal(response.status, 201, JSON.stringify(made))
  const done = await finishImport(shop, made.id)
  const errors = await importErrors(shop, done.id)
  const said = new Map(errors.map(({ number, details }) => [number, details.map(({ message }) => message).join(' ')]))
  for (const [index, [, expected]] of file.entries()) {
    if (expected) assert.ok(said.get(index + 1)?.includes(expected), `line ${index + 1}: ${said.get(index + 1)}`)
  }
  assert.deepEqual([...said.keys()], [2, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20])
  assert.deepEqual((await allProducts(shop)).map(({ name }) => name as string).sort(), [
    'CRLF',
    'With a BOM',
    'line\u2028separator',
    'no newline at the end',
    'unknown fields',
  ])
  assert.equal(countsOf(done), '5/0/14 of 19', 'empty lines are none')
  assert.ok(errors.every(({ line }) => line.length <= 501))
  const odd = await bySlug(shop, 'line-separator')
  assert.equal(odd?.description, 'a\u2029b\u0085c')
})

test('a line that is shown shortened is not cut in the middle of a character', async () => {
  const shop = await used.make.shop()
  const done = await importFile(shop, `{"x":"${'🙂'.repeat(400)}"}\n{"xy":"${'🙂'.repeat(400)}"}\n{${'🙂'.repeat(400)}`)
  for (const { line } of await importErrors(shop, done.id)) assert.ok(line.isWellFormed(), line.slice(-5))
})

test('CSV with CRLF, a BOM, empty lines and rows that are too short or too long is read', async () => {
  const shop = await used.make.shop()
  const text =
    '\ufeffslug,name,category\r\n\r\nmug,Mug\r\nbowl,Bowl,x,y,z\r\n\r\n  plate , "Plate ""flat""\r\n" , z\r\n'
  const done = await importFile(shop, text, CSV)
  assert.equal(countsOf(done), '3/0/0 of 3', JSON.stringify(await importErrors(shop, done.id)))
  assert.equal((await bySlug(shop, 'plate')).name, 'Plate "flat"\r\n')
  assert.equal((await bySlug(shop, 'bowl')).category, 'x')
})

test('CSV cells that hold what cannot be stored, or look like an escape, fail or stay as they are', async () => {
  const shop = await used.make.shop()
  const text = 'slug,name,description\na,A,one \\u0000 two\nb,B,x\0y\nc,C,=1+1\nd,D,\\\\u0000\n'
  const done = await importFile(shop, text, CSV)
  const errors = await importErrors(shop, done.id)
  assert.equal((await bySlug(shop, 'a'))?.description, 'one \\u0000 two')
  assert.equal((await bySlug(shop, 'c'))?.description, '=1+1')
  assert.equal((await bySlug(shop, 'd'))?.description, '\\\\u0000')
  assert.deepEqual(
    errors.map(({ number }) => number),
    [3],
  )
})

test('CSV that is none is refused as a whole, and leaves nothing behind', async () => {
  const shop = await used.make.shop()
  for (const text of ['slug,name\na,"open\nb,"B" "C"\n', 'slug,name\na,the 5" one\n', '{"slug":"a"}']) {
    const broken = await uploadFile(shop, text, CSV)
    assert.equal(refusal(broken), '400 BAD_REQUEST', broken.text)
    assert.match(broken.body.message, /not readable as CSV/)
  }
  const latin = Buffer.concat([Buffer.from('slug,name\ncafe,Caf'), Buffer.from([0xe9]), Buffer.from('\n')])
  const other = await fetch(`${used.api.url}${shop.products}/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.admin.token}`, 'content-type': CSV },
    body: latin,
  })
  assert.equal(other.status, 400)
  assert.match(await other.text(), /not UTF-8/)
  const long = await uploadFile(shop, `slug,name,description\na,A,"${'x'.repeat(3 * 1024 * 1024)}"\n`, CSV)
  assert.equal(refusal(long), '400 BAD_REQUEST', long.text)
  assert.deepEqual(await rowsLeft(shop.db, shop.id), { rows: 0, imports: 0 })
})

test('CSV without a column that says which product a row is, is refused: its rows would become one product', async () => {
  const shop = await used.make.shop()
  const product = await used.make.product(shop, {
    variants: [
      { id: 'a', sku: 'A' },
      { id: 'b', sku: 'B' },
    ],
  })
  const sent = await uploadFile(shop, 'sku,quantity\nA,5\nOTHER,7\n', CSV)
  assert.equal(refusal(sent), '400 BAD_REQUEST', sent.text)
  assert.equal((await shop.admin.get(product.path)).body.variants.length, 2)
})

test('other content types, and none, are refused', async () => {
  const shop = await used.make.shop()
  for (const type of [
    'application/json',
    'text/plain',
    'application/octet-stream',
    'multipart/form-data; boundary=x',
  ]) {
    const refused = await uploadFile(shop, '{"name":"x"}\n', type)
    assert.equal(refusal(refused), '400 BAD_REQUEST', `${type} ${refused.text}`)
  }
  const none = await fetch(`${used.api.url}${shop.products}/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.admin.token}` },
    body: new Uint8Array([1]),
  })
  assert.equal(none.status, 400)
  const noBody = await shop.admin.send('POST', `${shop.products}/imports`)
  assert.equal(noBody.status, 400, noBody.text)
  assert.deepEqual(await rowsLeft(shop.db, shop.id), { rows: 0, imports: 0 })
})

test('an empty file is done at once', async () => {
  const shop = await used.make.shop()
  for (const [text, type] of [
    ['\n\n \r\n', NDJSON],
    ['slug,name\n', CSV],
    ['\n', CSV],
    ['', NDJSON],
  ] as const) {
    const made = await uploadFile(shop, text, type)
    assert.equal(made.status, 201, made.text)
    assert.deepEqual([made.body.status, made.body.total], ['DONE', 0])
    assert.ok(made.body.finishedAt)
  }
})

const MAX = 100 * 1024 * 1024

/** Sends that many bytes in pieces, none of which is kept, and answers the status. */
function sendMuch(shop: Shop, bytes: number, headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const piece = Buffer.from(`{"name":"${'x'.repeat(64 * 1024 - 12)}"}\n`)
  const sending = httpRequest(`${used.api.url}${shop.products}/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.admin.token}`, 'content-type': NDJSON, ...headers },
  })
  sending.on('response', (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
  })
  sending.on('error', reject)
  let sent = 0
  const more = () => {
    while (sent < bytes) {
      if (sending.destroyed) return
      sent += piece.length
      if (!sending.write(piece)) return void sending.once('drain', more)
    }
    sending.end()
  }
  more()
  return promise
}

test('more than 100 MiB is 413, and nothing of it stays', async () => {
  const shop = await used.make.shop()
  const answer = await sendMuch(shop, MAX + 1_000_000, {})
  assert.equal(answer.status, 413, answer.text)
  assert.match(answer.text, /PAYLOAD_TOO_LARGE.*100 MiB/)
  assert.deepEqual(await rowsLeft(shop.db, shop.id), { rows: 0, imports: 0 })
})

test('a length that is announced to be above the limit is refused before anything is read', async () => {
  const shop = await used.make.shop()
  const raw = await openRaw(used.api.url)
  const head = [
    `POST ${shop.products}/imports HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${shop.admin.token}`,
    `content-type: ${NDJSON}`,
    `content-length: ${MAX + 1}`,
  ]
  raw.write(`${head.join('\r\n')}\r\n\r\n{"name":"x"}\n`)
  const answer = await raw.read()
  raw.destroy()
  assert.equal(answer.status, 413, answer.text)
  assert.deepEqual(await rowsLeft(shop.db, shop.id), { rows: 0, imports: 0 })
})

for (const type of [NDJSON, CSV]) {
  test(`an upload of ${type} that is cut off in the middle leaves nothing behind`, async () => {
    const shop = await used.make.shop()
    const raw = await openRaw(used.api.url)
    const head = [
      `POST ${shop.products}/imports HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${shop.admin.token}`,
      `content-type: ${type}`,
      'transfer-encoding: chunked',
    ]
    raw.write(`${head.join('\r\n')}\r\n\r\n`)
    const csv = `slug,name\n${range(2_000)
      .map((number) => `p-${number},P ${number}\n`)
      .join('')}`
    const text = type === CSV ? csv : toLines(range(2_000).map((number) => shirt(number)))
    raw.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
    await until('some of it has arrived', async () => (await rowsLeft(shop.db, shop.id)).rows >= 500)
    const [receiving] = await shop.db
      .selectFrom('catalog.imports')
      .selectAll()
      .where('businessId', '=', shop.id)
      .execute()
    assert.equal(receiving?.status, 'RECEIVING')
    const seen = await shop.admin.get(`${shop.products}/imports/${receiving?.id}`)
    assert.equal(seen.body.status, 'RECEIVING')
    raw.destroy()
    await until('it is gone', async () => (await rowsLeft(shop.db, shop.id)).imports === 0)
    assert.deepEqual(await rowsLeft(shop.db, shop.id), { rows: 0, imports: 0 })
    assert.deepEqual(await allProducts(shop), [])
  })
}

test('an import belongs to its business', async () => {
  const shop = await used.make.shop({ cell: 'main' })
  const [neighbour, faraway] = [await used.make.shop({ cell: 'main' }), await used.make.shop({ cell: 'second' })]
  const done = await importFile(shop, '{"name":""}\n')
  for (const { admin, products } of [neighbour, faraway]) {
    for (const path of [`${products}/imports/${done.id}`, `${products}/imports/${done.id}/errors`]) {
      assert.equal(refusal(await admin.get(path)), '404 NOT_FOUND')
    }
    assert.equal((await admin.get(`${shop.products}/imports/${done.id}`)).status, 403)
  }
  assert.equal(refusal(await shop.admin.get(`${shop.products}/imports/imp_nobody`)), '404 NOT_FOUND')
})

test('who may not write products neither imports nor reads imports', async () => {
  const shop = await used.make.shop()
  const done = await importFile(shop, '{"name":""}\n')
  const callers = [await used.make.guest(), await used.make.user(), await used.make.member(shop.id, 'ORDERS_READ')]
  for (const admin of callers) {
    assert.equal((await uploadFile({ admin, products: shop.products }, '{"name":"x"}\n')).status, 403)
    for (const path of [`/imports/${done.id}`, `/imports/${done.id}/errors`, '/export'])
      assert.equal((await admin.get(shop.products + path)).status, 403)
  }
})

test('a block that points at nothing fails its row only', async () => {
  const shop = await used.make.shop()
  const other = await used.make.shop({ cell: shop.cell })
  const [mine, theirs] = [await used.make.product(shop), await used.make.product(other)]
  const withBlock = (name: string, targetType: string, value: string) => ({
    name,
    blocks: [{ id: 'see', type: 'RELATIONSHIP', settings: { targetType }, value }],
  })
  const done = await importFile(
    shop,
    toLines([
      withBlock('Good', 'PRODUCT', mine.id),
      withBlock('Bad', 'PRODUCT', 'prod_nobody'),
      withBlock('Theirs', 'PRODUCT', theirs.id),
      withBlock('Me', 'USER', shop.admin.id),
      withBlock('Them', 'USER', other.admin.id),
      { name: 'After' },
    ]),
  )
  assert.equal(countsOf(done), '3/0/3 of 6')
  const errors = await importErrors(shop, done.id)
  assert.deepEqual(
    errors.map(({ number, details }) => [number, details.map(({ field, error }) => `${field} ${error}`)]),
    [2, 3, 5].map((number) => [number, ['blocks.0.value NOT_FOUND']]),
  )
})

test('stock that an import sets has the kind IMPORT, the import as reference, and its sender as user', async () => {
  const shop = await used.make.shop()
  const product = await used.make.product(shop, { slug: 'known' })
  const done = await importFile(
    shop,
    toLines([
      { slug: 'known', variants: [{ id: 'one', inventory: { quantity: 60 } }] },
      {
        name: 'New',
        variants: [
          { id: 'n', inventory: { quantity: 7 } },
          { id: 'm', inventory: { quantity: 0 } },
        ],
      },
    ]),
  )
  const ledger = (await movementsOf(shop.db, shop.id)).filter(({ kind }) => kind === 'IMPORT')
  assert.deepEqual(
    ledger.map(({ variantId, delta, quantity, reference, userId }) => [variantId, delta, quantity, reference, userId]),
    [
      ['one', -40, 60, done.id, shop.admin.id],
      ['n', 7, 7, done.id, shop.admin.id],
    ],
  )
  assert.equal(await product.stock(), 60)
  const read = await shop.admin.get(`${product.path}/variants/one/stock`)
  assert.deepEqual([read.body.items[0].kind, read.body.items[0].reference], ['IMPORT', done.id])
})

test('an import tells what it has created and updated, and that it is finished', async () => {
  const shop = await used.make.shop()
  const product = await used.make.product(shop, { slug: 'known' })
  await shop.db.deleteFrom('cell.eventOutbox').where('businessId', '=', shop.id).execute()
  const done = await importFile(shop, toLines([{ name: 'New' }, { slug: 'known', category: 'x' }, { name: '' }]))
  const events = await eventsOf(shop.db, shop.id, 'product.created', 'product.updated', 'import.finished')
  const made = await bySlug(shop, 'new')
  const who = { actorId: shop.admin.id, actorKind: 'user' }
  assert.deepEqual(events, [
    { type: 'product.created', subject: made.id, ...who, data: { importId: done.id } },
    { type: 'product.updated', subject: product.id, ...who, data: { importId: done.id } },
    {
      type: 'import.finished',
      subject: done.id,
      actorId: null,
      actorKind: 'system',
      data: { created: 1, updated: 1, unchanged: 0, skipped: 0, failed: 1 },
    },
  ])
})

test('products that are edited and sold while an import runs are not lost', async () => {
  const shop = await used.make.shop()
  const rows = range(600).map((number) => shirt(number))
  await importFile(shop, toLines(rows))
  const target = await bySlug(shop, 'shirt-600')
  const path = `${shop.products}/${target.id}`
  const uploaded = await uploadFile(shop, toLines(rows.map(({ slug, name }) => ({ slug, name, category: 'imported' }))))
  const edits = await Promise.all([
    shop.admin.put(path, { description: 'edited meanwhile' }),
    shop.admin.post(`${path}/variants/${target.variants[0].id}/stock`, { delta: -100 }),
  ])
  assert.deepEqual(
    edits.map(({ status }) => status),
    [200, 201],
  )
  assert.equal(countsOf(await finishImport(shop, uploaded.body.id)), '0/600/0 of 600')
  const { body } = await shop.admin.get(path)
  assert.deepEqual(
    [body.description, body.category, body.variants[0].inventory.quantity],
    ['edited meanwhile', 'imported', 500],
  )
})

test('the same new products in several files at once are created once', async () => {
  const shop = await used.make.shop()
  const rows = range(250).map((number) => shirt(number))
  const uploads = await Promise.all([rows, rows.toReversed(), rows].map((file) => uploadFile(shop, toLines(file))))
  const done = await Promise.all(uploads.map(({ body }) => finishImport(shop, body.id)))
  assert.deepEqual(
    done.map(({ total, created, updated, unchanged, failed }) => [total, created + updated + unchanged, failed]),
    done.map(() => [250, 250, 0]),
  )
  assert.equal(
    done.reduce((sum, { created }) => sum + created, 0),
    250,
  )
  const products = await allProducts(shop)
  assert.equal(products.length, 250)
  assert.ok(products.every(({ variants }) => variants.length === 2))
  assert.equal((await movementsOf(shop.db, shop.id)).length, 500)
})

test('old imports, and uploads that never ended, are forgotten', async () => {
  const shop = await used.make.shop()
  const kept = await importFile(shop, '{"name":""}\n')
  const old = await importFile(shop, '{"name":""}\n')
  const age = (id: string, hours: number, status: string) =>
    shop.db
      .updateTable('catalog.imports')
      .set({ createdAt: new Date(Date.now() - hours * 3_600_000), status })
      .where('id', '=', id)
      .execute()
  const [lost, young, running] = [0, 0, 0].map(async () => (await importFile(shop, '{"name":""}\n')).id)
  await age(old.id, 31 * 24, 'DONE')
  await age((await lost) ?? '', 3, 'RECEIVING')
  await age((await young) ?? '', 1, 'RECEIVING')
  await age((await running) ?? '', 31 * 24, 'RUNNING')
  const tidy = catalogJobs.find(({ name }) => name === 'catalog.tidy-imports')
  assert.ok(tidy?.on === 'cell')
  await transaction(shop.db, (tx) => enqueue(tx, tidy, {}))
  await until('they are gone', async () => (await rowsLeft(shop.db, shop.id)).imports === 3)
  assert.deepEqual(await rowsLeft(shop.db, shop.id), { rows: 3, imports: 3 })
  for (const id of [kept.id, await young, await running])
    assert.equal((await shop.admin.get(`${shop.products}/imports/${id}`)).status, 200)
})

test('an import of any number of rows is forgotten in slices that a statement has time for', async () => {
  const shop = await used.make.shop()
  const { id } = await importFile(shop, '{"name":"Mug"}\n')
  await sql`
    insert into catalog.import_rows (business_id, import_id, number, line)
    select ${shop.id}, ${id}, number, '{}' from generate_series(1, 45000) as number`.execute(shop.db)
  // Notes how many rows each statement deletes.
  await sql`create table slices (rows integer)`.execute(shop.db)
  await sql`
    create function note_slice() returns trigger language plpgsql as
      $$ begin insert into slices select count(*) from gone where import_id = tg_argv[0]; return null; end $$`.execute(
    shop.db,
  )
  await sql`
    create trigger note_slice after delete on catalog.import_rows referencing old table as gone
      for each statement execute function note_slice(${sql.lit(id)})`.execute(shop.db)
  await dropImport(productImport, shop.db, shop.id, id)
  const { rows } = await sql<{ rows: number }>`select rows from slices where rows > 0`.execute(shop.db)
  assert.deepEqual(
    rows.map((slice) => slice.rows),
    [20_000, 20_000, 5_000],
  )
  assert.equal((await shop.admin.get(`${shop.products}/imports/${id}`)).status, 404)
  await sql`drop trigger note_slice on catalog.import_rows`.execute(shop.db)
})

test('a product whose rows are larger than 2 MiB together is refused, and the rest of the file is imported', async () => {
  const shop = await used.make.shop()
  const row = (slug: string, name: string) => `${slug},${name},${'x'.repeat(300_000)}`
  const rows = Array.from({ length: 40 }, (_, index) => row('large', index === 0 ? 'Large' : ''))
  const text = ['slug,name,description', 'mug,Mug,', ...rows, 'bowl,Bowl,', ''].join('\n')
  const uploaded = await uploadFile(shop, text, CSV)
  const staged = await sql<{ bytes: number }>`
    select max(octet_length(line)) as bytes from catalog.import_rows where import_id = ${uploaded.body.id}`.execute(
    shop.db,
  )
  assert.ok((staged.rows[0]?.bytes ?? 0) < 10_000, `${staged.rows[0]?.bytes} bytes wait to be imported`)
  const done = await finishImport(shop, uploaded.body.id)
  assert.equal(countsOf(done), '2/0/1 of 3')
  const [error] = await importErrors(shop, done.id)
  assert.equal(error?.number, 3)
  assert.match(error?.details[0]?.message ?? '', /2 MiB together/)
})

test('a file as a spreadsheet saves it is imported, and a price in dollars is told with its column', async () => {
  const shop = await used.make.shop()
  const text = '\ufeffSlug;Name;Status;Price:US\r\nmug;Mug;active;2200\r\nbowl;Bowl;Active;22.00\r\n'
  const done = await importFile(shop, text, CSV)
  assert.equal(countsOf(done), '1/0/1 of 2')
  assert.equal((await bySlug(shop, 'mug')).statuses[0].status, 'ACTIVE')
  const [error] = await importErrors(shop, done.id)
  assert.deepEqual(error?.details, [
    { field: 'price:us', error: 'INVALID', message: 'price:us must be a whole number of cents: 2200, not 22.00.' },
  ])
})
