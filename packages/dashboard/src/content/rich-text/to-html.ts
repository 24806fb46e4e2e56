import type { Mark, Node } from '@tiptap/pm/model'

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const escapeValue = (text: string) => escapeText(text).replaceAll('"', '&quot;')

type Attributes = Record<string, unknown>

/** In the order in which the service writes them. Only a text for a missing picture may be empty. */
function attributesOf(names: readonly string[], attributes: Attributes): string {
  return names
    .filter((name) => typeof attributes[name] === 'string' && (attributes[name] !== '' || name === 'alt'))
    .map((name) => ` ${name}="${escapeValue(attributes[name] as string)}"`)
    .join('')
}

/** Their words may stand in them without a paragraph. */
const HOLDERS = new Set(['listItem', 'tableCell', 'tableHeader', 'blockquote', 'division', 'tableCaption'])

const TAGS: Record<string, string> = {
  paragraph: 'p',
  bulletList: 'ul',
  orderedList: 'ol',
  listItem: 'li',
  blockquote: 'blockquote',
  division: 'div',
  codeBlock: 'pre',
  table: 'table',
  tableCaption: 'caption',
  columnGroup: 'colgroup',
  tableRow: 'tr',
}

/** A document exactly as the service stores it: what is sent comes back unchanged. Empty: nothing was written. */
export function toHtml(doc: Node): string {
  const html = blocksOf(doc)
  return html === '<p></p>' ? '' : html
}

function blocksOf(parent: Node): string {
  const isBare = (at: number) => at >= 0 && at < parent.childCount && parent.child(at).attrs.bare === true
  let html = ''
  parent.forEach((node, _offset, index) => {
    const standsAlone = !isBare(index - 1) && !isBare(index + 1)
    html += isBare(index) && standsAlone && HOLDERS.has(parent.type.name) ? wordsOf(node) : blockOf(node)
  })
  return html
}

function blockOf(node: Node): string {
  const { attrs } = node
  const name = node.type.name
  if (name === 'horizontalRule') return '<hr />'
  if (name === 'tableColumn') return '<col />'
  if (name === 'tableCell') return `<td${attributesOf(['colspan', 'rowspan'], attrs)}>${blocksOf(node)}</td>`
  if (name === 'tableHeader') return `<th${attributesOf(['colspan', 'rowspan', 'scope'], attrs)}>${blocksOf(node)}</th>`
  const tag = name === 'heading' ? `h${attrs.level}` : name === 'tableSection' ? String(attrs.tag) : TAGS[name]
  if (tag === undefined) throw new Error(`There is no tag for ${name}.`)
  return `<${tag}>${node.type.inlineContent ? wordsOf(node) : blocksOf(node)}</${tag}>`
}

/** Text with its marks; those that neighbours share are written once. */
function wordsOf(block: Node): string {
  const isCode = block.type.name === 'codeBlock'
  let open: readonly Mark[] = []
  let html = ''
  const closeTo = (count: number) => {
    for (const mark of open.slice(count).toReversed()) html += `</${tagOf(mark)}>`
    open = open.slice(0, count)
  }
  block.forEach((node) => {
    let shared = 0
    while (shared < open.length && node.marks[shared] && open[shared]?.eq(node.marks[shared] as Mark)) shared++
    closeTo(shared)
    for (const mark of node.marks.slice(shared)) html += openingOf(mark)
    open = node.marks
    html += inlineOf(node, isCode)
  })
  closeTo(0)
  // The first line break of a `pre` is left out by whoever reads it.
  return isCode && html.startsWith('\n') ? `\n${html}` : html
}

function inlineOf(node: Node, isCode: boolean): string {
  if (node.type.name === 'hardBreak') return '<br />'
  if (node.type.name === 'image') return `<img${attributesOf(['src', 'alt', 'width', 'height'], node.attrs)} />`
  const text = node.text ?? ''
  // Of several spaces whoever reads it would leave one.
  return escapeText(isCode ? text : text.replaceAll(/ (?= )/g, '\u00a0'))
}

const tagOf = ({ type, attrs }: Mark) => (type.name === 'link' ? 'a' : String(attrs.tag))

function openingOf(mark: Mark): string {
  if (mark.type.name !== 'link') return `<${tagOf(mark)}>`
  const rel = mark.attrs.target === '_blank' ? ' target="_blank" rel="noopener"' : ''
  return `<a${attributesOf(['href', 'title'], mark.attrs)}${rel}>`
}
