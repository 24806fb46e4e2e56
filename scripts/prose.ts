// Counts words and phrases that docs/style-guide.md rules out, in all texts of the project. `--check` fails when a count
// of a file exceeds scripts/prose-baseline.txt, `--write` records lower counts. Without an option it lists all of them.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { styleText } from 'node:util'
import ts from 'typescript'
import { ALLOWED, DENIED, type Rule, SKIPPED, TYPE_NAMES, VALUE_NAMES } from './prose-rules.ts'

const BASELINE = 'scripts/prose-baseline.txt'

type Kind =
  | 'comment'
  | 'name'
  | 'string'
  | 'dashboard'
  | 'API'
  | 'error'
  | 'CLI'
  | 'log'
  | 'email'
  | 'Markdown'
  | 'migration'
  | 'test'
type Text = { kind: Kind; at: number; text: string }
type Hit = { file: string; lineOf: () => number; kind: Kind; rule: string; say: string; found: string }

/** Most texts have no hit, and need no further look. */
const ANY = anyOf(DENIED)
const ANY_NAME = anyOf([TYPE_NAMES, VALUE_NAMES])
function anyOf(rules: readonly Rule[]): RegExp {
  return new RegExp(rules.map(([, pattern]) => pattern.source).join('|'), 'i')
}

function hitsOf(file: string, source: string): Hit[] {
  return textsOf(file, source).flatMap(({ kind, at, text }) => {
    if (!(kind === 'name' ? ANY_NAME : ANY).test(text)) return []
    const plain = ALLOWED.reduce((rest, [term]) => rest.replace(term, (match) => ' '.repeat(match.length)), text)
    const rules = kind === 'name' ? [/^[A-Z]/.test(text) ? TYPE_NAMES : VALUE_NAMES] : DENIED
    return rules.flatMap(([rule, pattern, say]) =>
      [...plain.matchAll(pattern)].map((match) => {
        const lineOf = () => source.slice(0, at + match.index).split('\n').length
        return { file, kind, rule, say, found: match[0], lineOf }
      }),
    )
  })
}

function textsOf(file: string, source: string): Text[] {
  if (/\.tsx?$/.test(file)) return textsOfCode(file, source)
  if (file === 'docs/openapi.json') return textsOfApi(source)
  if (file === 'CHANGELOG.md') return [{ kind: 'Markdown', at: 0, text: source.split(/^## \[?\d/m)[0] ?? '' }] // released ones stay
  const blank = (pattern: RegExp) => source.replace(pattern, (match) => match.replace(/[^\n]/g, ' '))
  if (file.endsWith('.md')) return [{ kind: 'Markdown', at: 0, text: blank(/^ *```[\s\S]*?^ *```|\]\([^)]*\)/gm) }]
  if (file.endsWith('.liquid'))
    return [{ kind: 'email', at: 0, text: blank(/\{[%{][\s\S]*?[%}]\}|<style[\s\S]*?<\/style>|<[^>]*>/g) }]
  return [...source.matchAll(/--.*/g)].map(({ 0: text, index: at }) => ({ kind: 'migration', at, text }))
}

/** Each text once: shapes repeat the texts of their fields. */
function textsOfApi(source: string): Text[] {
  const texts = new Map<string, Text>()
  for (const { 1: json = '', index: at } of source.matchAll(/"(?:description|summary)": ("(?:[^"\\]|\\.)*")/g))
    texts.set(json, { kind: 'API', at, text: JSON.parse(json) })
  return [...texts.values()]
}

const LOG = /\blog(ger)?\.(debug|info|warn|error|fatal)$/

function textsOfCode(file: string, source: string): Text[] {
  const tree = ts.createSourceFile(file, source, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  })
  const texts: Text[] = []
  const literals: [from: number, to: number][] = []
  const add = (node: ts.Node, kind: Kind, isMessage: boolean) => {
    const at = node.getStart(tree)
    literals.push([at, node.end])
    const text = source.slice(at, node.end).replace(/^`|`$/g, ' ') // the backticks of a template are no inline code
    if (isMessage || /\p{L}[\p{P}\d]* +[\p{P}\d]*\p{L}/u.test(text)) texts.push({ kind, at, text })
  }
  const visit = (node: ts.Node, kind: Kind, isMessage = false): void => {
    if (ts.isTaggedTemplateExpression(node)) {
      const tag = node.tag.getText(tree)
      if (tag.startsWith('sql')) return void literals.push([node.template.getStart(tree), node.end])
      return visit(node.template, kind, tag === 't' || tag === 'msg')
    }
    if (ts.isJsxText(node)) return add(node, kind, true)
    if (ts.isStringLiteralLike(node) || (isTemplatePart(node) && !ts.isTemplateSpan(node)))
      return add(node, kind, isMessage)
    if (ts.isRegularExpressionLiteral(node)) return void literals.push([node.getStart(tree), node.end])
    const isLog = ts.isCallExpression(node) && LOG.test(source.slice(node.pos, node.expression.end))
    const isDeclared =
      ts.isTypeAliasDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node)
    if (isDeclared && node.name && ts.isIdentifier(node.name))
      texts.push({ kind: 'name', at: node.name.getStart(tree), text: node.name.text })
    ts.forEachChild(node, (child) => visit(child, isLog ? 'log' : kind, isMessage && isTemplatePart(child)))
  }
  visit(tree, kindOf(file))
  const code = literals.map(
    ([from, to], index) => source.slice(literals[index - 1]?.[1] ?? 0, from) + ' '.repeat(to - from),
  )
  code.push(source.slice(literals.at(-1)?.[1] ?? 0))
  for (const { 0: text, index: at } of code.join('').matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g))
    texts.push({ kind: 'comment', at, text })
  return texts
}

const isTemplatePart = (node: ts.Node) =>
  ts.isTemplateSpan(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)

function kindOf(file: string): Kind {
  if (/^(test|lab)\/|\.test\.tsx?$/.test(file)) return 'test'
  if (file.startsWith('packages/dashboard/')) return 'dashboard'
  if (/\/(errors|refusals|error-codes)\.ts$/.test(file)) return 'error'
  if (/\/(operations|schemas|tags)\.ts$/.test(file)) return 'API'
  if (file.startsWith('src/apps/cli')) return 'CLI'
  return /\bmails?\b/.test(file) ? 'email' : 'string'
}

type Counts = Map<string, Map<string, number>>

function countHits(hits: readonly Hit[]): Counts {
  const counts: Counts = new Map()
  for (const { file, rule } of hits) {
    const ofFile = counts.get(file) ?? new Map<string, number>()
    counts.set(file, ofFile.set(rule, (ofFile.get(rule) ?? 0) + 1))
  }
  return counts
}

/** Files and rules whose count has risen. A new file may have what other files have lost: files are renamed and split. */
function findRises(now: Counts, before: Counts): { file: string; rule: string; more: number }[] {
  const lost = new Map<string, number>()
  for (const [file, rules] of before)
    for (const [rule, count] of rules)
      lost.set(rule, (lost.get(rule) ?? 0) + Math.max(count - (now.get(file)?.get(rule) ?? 0), 0))
  return [...now].flatMap(([file, rules]) =>
    [...rules].flatMap(([rule, count]) => {
      const moved = before.has(file) ? 0 : Math.min(count, lost.get(rule) ?? 0)
      lost.set(rule, (lost.get(rule) ?? 0) - moved)
      const more = count - moved - (before.get(file)?.get(rule) ?? 0)
      return more > 0 ? [{ file, rule, more }] : []
    }),
  )
}

const lines = (all: string[]) => all.toSorted((a, b) => (a < b ? -1 : 1))
const showRules = (rules: Map<string, number>) =>
  lines([...rules].map(([rule, count]) => `${rule} ${count}`)).join(', ')
const writeCounts = (counts: Counts) =>
  lines([...counts].map(([file, rules]) => `${file}: ${showRules(rules)}\n`)).join('')

const readCounts = (text: string): Counts =>
  new Map(
    [...text.matchAll(/^(.+?): (.+)$/gm)].map(([, file = '', rules = '']) => [
      file,
      new Map([...rules.matchAll(/([^,]+?) (\d+)(?:, |$)/g)].map(([, rule = '', count]) => [rule, Number(count)])),
    ]),
  )

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
const files = listed.split('\n').filter((file) => /\.(tsx?|md|sql|liquid)$|^docs\/openapi\.json$/.test(file))
const read = files.filter((file) => existsSync(file) && !SKIPPED.some(([skipped]) => skipped.test(file)))
const hits = read.flatMap((file) => hitsOf(file, readFileSync(file, 'utf8')))
const now = countHits(hits)
const rises = findRises(now, existsSync(BASELINE) ? readCounts(readFileSync(BASELINE, 'utf8')) : now)
const isRisen = ({ file, rule }: Hit) => rises.some((each) => each.file === file && each.rule === rule)
const shown = process.argv.length > 2 ? hits.filter(isRisen) : hits
for (const { file, lineOf, kind, rule, found, say } of shown)
  console.log(`${file}:${lineOf()} ${kind}: “${found}” (${rule}). Say: ${say}`)
const kinds = Object.entries(Object.groupBy(hits, ({ kind }) => kind)).map(([kind, all]) => `${kind} ${all.length}`)
console.log(`${read.length} files, ${hits.length} hits: ${kinds.join(', ')}`)
if (process.argv.includes('--write') && rises.length === 0) writeFileSync(BASELINE, writeCounts(now))
for (const { file, rule, more } of rises)
  console.error(styleText('red', `${file}: ${more} more of “${rule}” (docs/style-guide.md)`))
if (rises.length > 0) process.exitCode = 1
