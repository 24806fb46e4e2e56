import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import ts from 'typescript'

const SRC = path.join(import.meta.dirname, '../../packages/dashboard/src')
/** Loaded with the first page, with all that it imports. Every other style sheet is lazy: it arrives with a screen. */
const EAGER = 'styles/index.css'

/** Texts by path below `src`, so that the rule can be tested on planted sources. */
type Sources = Record<string, string>

const partOf = (file: string) => file.split('/')[0] ?? ''

/** The selectors of a style sheet, one for each comma, without nested rules and keyframes. */
function selectorsOf(css: string): string[] {
  const selectors: string[] = []
  let depth = 0
  let skipped: number | undefined
  for (const [, before = '', brace] of css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{};]*)([{};])/g)) {
    if (brace === '}') {
      depth--
      if (skipped === depth) skipped = undefined
    } else if (brace === '{') {
      const isGroup = /^\s*@(layer|media|supports|container)\b/.test(before)
      if (skipped === undefined && !isGroup) {
        skipped = depth
        if (!before.trim().startsWith('@')) selectors.push(...before.split(/,(?![^(]*\))/).map((each) => each.trim()))
      }
      depth++
    }
  }
  return selectors
}

const classesIn = (selectors: readonly string[]) => new Set(selectors.join(' ').match(/(?<=\.)[a-z_-][\w-]*/gi))

/** The words of all strings in `className={…}`, `rowClass={…}`, `{ className: … }` and the like. */
function classesUsedIn(file: string, text: string): Set<string> {
  const used = new Set<string>()
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX)
  const visit = (node: ts.Node, isClass: boolean): void => {
    const isNamed = ts.isJsxAttribute(node) || ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)
    const isIn = isClass || (isNamed && /class/i.test(node.name.getText(source)))
    if (isIn && (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)))
      for (const word of node.text.split(/\s+/)) used.add(word)
    ts.forEachChild(node, (child) => visit(child, isIn))
  }
  visit(source, false)
  return used
}

/**
 * A lazy style sheet changes every page that was loaded before it, so its selectors start with a class of its own folder: one
 * that no other style sheet mentions, and that no source outside of its part (`orders`, `settings`) uses. The result is
 * `sheet start` for each that does not.
 */
function foreignStarts(sources: Sources): string[] {
  const files = Object.keys(sources)
  const textOf = (file: string) => sources[file] ?? ''
  const sheets = files.filter((file) => file.endsWith('.css'))
  const imports = [...textOf(EAGER).matchAll(/@import "\.\/(.+?)"/g)].map(([, name]) => `styles/${name}`)
  const mentions = new Map<string, Set<string>>()
  const mention = (name: string, by: string) => mentions.set(name, (mentions.get(name) ?? new Set()).add(by))
  for (const sheet of sheets) for (const name of classesIn(selectorsOf(textOf(sheet)))) mention(name, sheet)
  for (const file of files.filter((each) => /\.tsx?$/.test(each)))
    for (const name of classesUsedIn(file, textOf(file))) mention(name, partOf(file))
  const isOwn = (sheet: string, name: string) =>
    [...(mentions.get(name) ?? [])].every((by) => by === sheet || by === partOf(sheet))
  const lazy = sheets.filter((sheet) => sheet !== EAGER && !imports.includes(sheet))
  const found = lazy.flatMap((sheet) =>
    selectorsOf(textOf(sheet))
      .map((selector) => /^\.([\w-]+)/.exec(selector) ?? [selector, undefined])
      .filter(([, name]) => name === undefined || !isOwn(sheet, name))
      .map(([start]) => `${sheet} ${start}`),
  )
  return [...new Set(found)].toSorted()
}

const files = globSync(['**/*.css', '**/*.ts', '**/*.tsx'], { cwd: SRC })
const sources: Sources = Object.fromEntries(files.map((file) => [file, readFileSync(path.join(SRC, file), 'utf8')]))

/** Left to scope or rename. This list only shrinks: an entry that is no longer needed fails the test, too. */
const KNOWN = [
  'bulk-edits/bulk-edits.css .dry',
  'bulk-edits/bulk-edits.css .earlier',
  'bulk-edits/bulk-edits.css .progress',
  'bulk-edits/bulk-edits.css .tally',
  'categories/categories.css .segment',
  'categories/categories.css .text-table',
  'checks/checks.css .checks',
  'content/content.css .facts',
  'content/content.css .options',
  'content/content.css .page',
  'content/content.css .place',
  'content/content.css .work',
  'letters/letters.css .mail-frame',
  'letters/letters.css .mail-text',
  'letters/letters.css .rest',
  'media/media.css .break',
  'media/media.css .sheet',
  'media/thumb.css .media-box',
  'media/upload/tray.css .uploads',
  'media/upload/tray.css body:has(.savebar) .tray',
  'operator/operator.css .palette',
  'operator/operator.css .section-head',
  'orders/new-order/new-order.css .facts',
  'orders/new-order/new-order.css .finder',
  'orders/new-order/new-order.css .table',
  'orders/order/order.css .address-fields',
  'orders/order/order.css .asked',
  'orders/order/order.css .comment',
  'orders/order/order.css .facts',
  'orders/order/order.css .lines',
  'orders/order/order.css .section',
  'orders/order/order.css .sheet',
  'orders/order/order.css .sums',
  'orders/order/order.css .table',
  'orders/order/order.css .text-table',
  'orders/order/order.css .timeline',
  'profile/profile.css .page',
  'profile/profile.css .steps',
  'promos/promos.css .page',
  'settings/callouts/callouts.css .page',
  'settings/callouts/callouts.css .role-list',
  'settings/callouts/callouts.css .settings-page',
  'settings/callouts/callouts.css .test-call',
  'settings/settings.css .choice',
  'settings/settings.css .form-page',
  'settings/settings.css .input',
  'settings/settings.css .mail-text',
  'settings/settings.css .proof',
  'settings/settings.css .record',
  'settings/settings.css .role-list',
  'settings/settings.css .section',
  'settings/settings.css .select',
  'settings/settings.css .settings-page',
  'settings/settings.css .sheet',
  'settings/settings.css .table',
  'settings/webhooks/webhooks.css .page',
  'settings/webhooks/webhooks.css .settings-page',
  'settings/webhooks/webhooks.css .table',
  'stock/stock.css .contents',
  'stock/stock.css .counts',
  'stock/stock.css .pairs',
  'stock/stock.css .proof',
  'stock/stock.css .record',
  'stock/stock.css .table',
  'stock/stock.css .which',
]

describe('lazy style sheet', () => {
  test('starts its selectors with classes of its own folder', () => {
    assert.ok(files.filter((file) => file.endsWith('.css')).length > 30)
    assert.deepEqual(foreignStarts(sources), KNOWN)
  })

  test('fails when it styles a class of another sheet, of another part, or an element', () => {
    const planted: Sources = {
      [EAGER]: '@import "./page.css";',
      'styles/page.css': '.float, .page .savebar { color: red } main { color: red }',
      'orders/order.css': `@layer parts {
        /* .float { } */
        .order, .order-line .savebar:has(.a, .float) { color: red; &:hover { color: blue } }
        .order:is(.a, .float), .savebar .order { color: red }
        @media (max-width: 640px) { .guest { color: red } main > .order { color: red } }
        @keyframes fade { from { opacity: 0 } }
        .float { color: red }
      }`,
      'orders/order.tsx': 'export const Order = () => <p className={isOn ? "order" : `order-line ${tone}`} />',
      'customers/row.tsx': 'export const row = { rowClass: (isOn: boolean) => (isOn ? "guest" : "") }',
    }
    const starts = ['.float', '.guest', '.savebar', 'main > .order']
    assert.deepEqual(
      foreignStarts(planted),
      starts.map((start) => `orders/order.css ${start}`),
    )
    const allLazy = foreignStarts({ ...planted, [EAGER]: '' })
    assert.deepEqual(allLazy.slice(starts.length), ['styles/page.css .float', 'styles/page.css main'])
  })
})
