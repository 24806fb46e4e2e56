export const FORMATS = ['csv', 'shopify-csv', 'woocommerce-csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** Enough for the names of all columns. */
const HEAD_BYTES = 64 * 1024

/** What a file is, by its name and first line; undefined: nothing that can be imported. */
export async function recognise(file: File): Promise<Format | undefined> {
  const head = await file.slice(0, HEAD_BYTES).text()
  return recogniseHead(head)
}

export function recogniseHead(head: string): Format | undefined {
  const line =
    head
      .replace(/^\ufeff/, '')
      .trimStart()
      .split(/\r?\n/, 1)[0] ?? ''
  if (line.startsWith('{')) return 'ndjson'
  const bare = new Set(namesIn(line).map((name) => name.toLowerCase().replaceAll(/[\s_-]/g, '')))
  const has = (...names: string[]) => names.every((name) => bare.has(name))
  if (has('title') && (has('handle') || has('urlhandle'))) return 'shopify-csv'
  if (has('type', 'sku', 'name') && (has('regularprice') || has('parent') || has('attribute1name')))
    return 'woocommerce-csv'
  return has('slug') || has('name') ? 'csv' : undefined
}

/** The first separator outside of quotes decides, as it does for the service. */
function namesIn(line: string): string[] {
  const separator = /^(?:"(?:[^"]|"")*"|[^",;\t])*([,;\t])/.exec(line)?.[1] ?? ','
  const cells = line.match(new RegExp(`(?:"(?:[^"]|"")*"|[^"${separator}])+`, 'g')) ?? []
  return cells.map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"'),
  )
}
