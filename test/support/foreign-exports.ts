/** Exports of other shop systems, as they write them: with odd quotes, pictures, options, and prices that were reduced. */

export type Csv = { header: string[]; rows: string[][] }

type Spelling = { delimiter?: ',' | ';'; lineEnd?: '\n' | '\r\n'; hasBom?: boolean; decimal?: '.' | ',' }

/** The file. Cells that need no quotes get none, so that a `"` stands there as some systems leave it. */
export function spell(
  { header, rows }: Csv,
  { delimiter = ',', lineEnd = '\n', hasBom = false }: Spelling = {},
): string {
  const cell = (text: string) =>
    text.includes(delimiter) || /[\n\r]/.test(text) || text.startsWith('"') ? `"${text.replaceAll('"', '""')}"` : text
  const lines = [header, ...rows].map((row) => row.map(cell).join(delimiter))
  return `${hasBom ? '\ufeff' : ''}${lines.join(lineEnd)}${lineEnd}`
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const amount = (cents: number, decimal: string) => (cents / 100).toFixed(2).replace('.', decimal)

const SHOPIFY =
  'Handle|Title|Body (HTML)|Vendor|Product Category|Type|Tags|Published|Option1 Name|Option1 Value|Option2 Name|Option2 Value|Option3 Name|Option3 Value|Variant SKU|Variant Grams|Variant Inventory Tracker|Variant Inventory Qty|Variant Inventory Policy|Variant Fulfillment Service|Variant Price|Variant Compare At Price|Variant Requires Shipping|Variant Taxable|Variant Barcode|Image Src|Image Position|Image Alt Text|Gift Card|SEO Title|SEO Description|Variant Image|Variant Weight Unit|Cost per item|Price / International|Status'.split(
    '|',
  )

/** Every third product has four variants (2 colours × 2 sizes), the others one; each has two pictures. */
export function shopifyExport(count: number, { decimal = '.' }: Spelling = {}): Csv {
  const row = (cells: Record<string, string>) => SHOPIFY.map((name) => cells[name] ?? '')
  const rows = range(count).flatMap((number) => {
    const price = 1_000 + number
    const product = {
      Handle: `board-${number}`,
      Title: `Board ${number} 5" "wide", soft`,
      'Body (HTML)': `<p>Line one &amp; <b>bold</b>.</p>\n<ul><li>a</li><li>b</li></ul><script>alert(${number})</script>`,
      Vendor: 'Planks',
      'Product Category': 'Sporting Goods > Outdoor Recreation > Boards',
      Type: number % 2 === 0 ? 'Snow Boards' : '',
      Tags: 'winter, new arrivals, winter',
      Published: number % 10 === 0 ? 'false' : 'true',
      'SEO Title': `Buy board ${number}`,
      Status: number % 7 === 0 ? 'draft' : number % 11 === 0 ? 'archived' : 'active',
    }
    const common = {
      'Variant Inventory Tracker': 'shopify',
      'Variant Inventory Policy': 'deny',
      'Variant Price': amount(price, decimal),
      'Variant Compare At Price': number % 4 === 0 ? amount(price + 500, decimal) : '',
      'Cost per item': amount(500, decimal),
    }
    const picture = (position: number) => ({
      'Image Src': `https://cdn.example.com/b${number}-${position}.jpg?v=1`,
      'Image Position': String(position),
    })
    if (number % 3 !== 0) {
      const first = { 'Option1 Name': 'Title', 'Option1 Value': 'Default Title', 'Variant SKU': `'00${number}` }
      return [
        row({ ...product, ...common, ...first, 'Variant Inventory Qty': String(number), ...picture(1) }),
        row({ Handle: product.Handle, ...picture(2) }),
      ]
    }
    const kinds = ['Red', 'Blue'].flatMap((colour) => ['S', 'L'].map((size) => [colour, size] as const))
    return kinds.map(([colour, size], index) =>
      row({
        ...(index === 0
          ? { ...product, 'Option1 Name': 'Colour', 'Option2 Name': 'Size' }
          : { Handle: product.Handle }),
        ...common,
        ...(index < 2 ? picture(2 - index) : {}),
        'Option1 Value': colour,
        'Option2 Value': size,
        'Variant SKU': `B-${number}-${colour}-${size}`,
        'Variant Inventory Qty': index === 0 ? '-2' : String(index),
        'Variant Image': `https://cdn.example.com/b${number}-${colour}.png`,
      }),
    )
  })
  return { header: SHOPIFY, rows }
}

const WOO =
  'ID|Type|SKU|Name|Published|Is featured?|Visibility in catalog|Short description|Description|Date sale price starts|Date sale price ends|Tax status|Tax class|In stock?|Stock|Low stock amount|Backorders allowed?|Sold individually?|Weight (kg)|Sale price|Regular price|Categories|Tags|Shipping class|Images|Parent|Position|Attribute 1 name|Attribute 1 value(s)|Attribute 1 visible|Attribute 1 global|Attribute 2 name|Attribute 2 value(s)'.split(
    '|',
  )

/** Every third product is variable, with two variations that stand at the end of the file, as an export by id has them. */
export function wooCommerceExport(count: number, { decimal = '.' }: Spelling = {}): Csv {
  const row = (cells: Record<string, string>) => WOO.map((name) => cells[name] ?? '')
  const later: string[][] = []
  const rows = range(count).map((number) => {
    const isVariable = number % 3 === 0
    const regular = amount(2_000 + number, decimal)
    const base = {
      ID: String(number),
      Type: isVariable ? 'variable' : number % 5 === 0 ? 'simple, virtual' : 'simple',
      SKU: `W-${number}`,
      Name: `Jumper ${number} "chunky"; 3"`,
      Published: number % 9 === 0 ? '-1' : '1',
      'Short description': 'Short.',
      Description: `<h2>Wool</h2><p>Warm\\n &lt;3</p><img src=x onerror=alert(1)>`,
      'Tax class': '',
      'In stock?': '1',
      Categories: 'Clothing > Jumpers, Sale',
      Tags: 'wool, warm',
      Images: `https://shop.example.com/j${number}.png, https://shop.example.com/j${number}b.webp`,
    }
    if (!isVariable)
      return row({
        ...base,
        'Regular price': regular,
        'Sale price': number % 4 === 0 ? amount(1_500, decimal) : '',
        Stock: String(number),
        'Low stock amount': '3',
        'Attribute 1 name': 'Material',
        'Attribute 1 value(s)': 'Wool\\, merino',
      })
    for (const [index, size] of ['S', 'L'].entries())
      later.push(
        row({
          ID: String(count + number * 2 + index),
          Type: 'variation',
          SKU: `W-${number}-${size}`,
          Name: `${base.Name} - ${size}`,
          Published: '1',
          'In stock?': '1',
          Stock: String(index + 1),
          'Regular price': regular,
          Parent: index === 0 ? `W-${number}` : `id:${number}`,
          'Attribute 1 name': 'Size',
          'Attribute 1 value(s)': size,
          'Attribute 2 name': 'Colour',
          'Attribute 2 value(s)': 'Grey',
          Images: `https://shop.example.com/j${number}-${size}.png`,
        }),
      )
    return row({ ...base, 'Attribute 1 name': 'Size', 'Attribute 1 value(s)': 'S, L' })
  })
  return { header: WOO, rows: [...rows, ...later] }
}
