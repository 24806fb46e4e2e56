// npm run size: gzip of what a browser loads until the list of orders can be used, and of what each further screen adds.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { styleText } from 'node:util'
import { gzipSync } from 'node:zlib'

const KIB = 1_024
const BARS = { first: 250, styles: 25, screen: 60, editor: 160 }
/** What a person sees first. */
const FIRST = 'src/orders/orders-page.tsx'
/** Loaded when somebody writes. */
const EDITOR = /editor/

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[]; isDynamicEntry?: boolean }

const DIST = path.resolve(import.meta.dirname, '../dist')
const MANIFEST = path.join(DIST, '.vite/manifest.json')
if (!existsSync(MANIFEST)) {
  console.error('There is no build. Run: npm run build -w @kontor/dashboard')
  process.exit(2)
}
const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, Chunk>

/** Scripts and styles of a part and of all that it imports. */
function filesOf(names: readonly string[], seen = new Set<string>()): { js: Set<string>; css: Set<string> } {
  const js = new Set<string>()
  const css = new Set<string>()
  for (const name of names) {
    const chunk = manifest[name]
    if (!chunk || seen.has(name)) continue
    seen.add(name)
    js.add(chunk.file)
    for (const file of chunk.css ?? []) css.add(file)
    const more = filesOf(chunk.imports ?? [], seen)
    for (const file of more.js) js.add(file)
    for (const file of more.css) css.add(file)
  }
  return { js, css }
}

const kibOf = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(DIST, file)), { level: 9 }).length, 0) / KIB

const first = filesOf(['index.html', FIRST])
const screens = Object.entries(manifest)
  .filter(([name, { isDynamicEntry }]) => isDynamicEntry && name !== FIRST)
  .map(([name]) => {
    const { js, css } = filesOf([name])
    const added = [...js, ...css].filter((file) => !first.js.has(file) && !first.css.has(file))
    return { name: name.replace(/^src\//, ''), kib: kibOf(added), bar: EDITOR.test(name) ? BARS.editor : BARS.screen }
  })
  .sort((one, other) => other.kib - one.kib)

const rows = [
  { name: 'first load, scripts', kib: kibOf(first.js), bar: BARS.first },
  { name: 'first load, styles', kib: kibOf(first.css), bar: BARS.styles },
  ...screens,
]
for (const { name, kib, bar } of rows) {
  const line = `${name.padEnd(40)} ${kib.toFixed(1).padStart(7)} KiB of ${bar}`
  console.log(kib > bar ? styleText('red', line) : line)
}
process.exit(rows.some(({ kib, bar }) => kib > bar) ? 1 : 0)
