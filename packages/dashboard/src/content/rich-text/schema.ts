import { Mark, Node } from '@tiptap/core'
import { isLink, isPicture } from './address.ts'

/** What is empty is not there. */
const attributeOf = (name: string) => (element: HTMLElement) => element.getAttribute(name) || null
const kept = (name: string) => ({ default: null, parseHTML: attributeOf(name), rendered: false })
const shown = (attributes: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined))
const tagOf = (element: HTMLElement) => element.tagName.toLowerCase()

/*
 * One node or mark for each tag that the service lets through, and one attribute for each of theirs: what was stored is there again
 * after it was edited. The parts that come with the library leave some of it out.
 */
const Doc = Node.create({ name: 'doc', topNode: true, content: 'block+' })
const Text = Node.create({ name: 'text', group: 'inline' })

/** Words right inside of an item or a cell have a paragraph here, too. It is bare: written without a tag. */
const Paragraph = Node.create({
  name: 'paragraph',
  priority: 1_000,
  group: 'block',
  content: 'inline*',
  addAttributes: () => ({ bare: { default: true, parseHTML: () => false, rendered: false } }),
  parseHTML: () => [{ tag: 'p' }],
  renderHTML: () => ['p', 0],
  addKeyboardShortcuts() {
    return { 'Mod-Alt-0': () => this.editor.commands.setNode('paragraph') }
  },
})

const LEVELS = [1, 2, 3, 4, 5, 6] as const

const Heading = Node.create({
  name: 'heading',
  group: 'block',
  content: 'inline*',
  defining: true,
  addAttributes: () => ({
    level: { default: 2, parseHTML: (element: HTMLElement) => Number(element.tagName[1]), rendered: false },
  }),
  parseHTML: () => LEVELS.map((level) => ({ tag: `h${level}` })),
  renderHTML: ({ node }) => [`h${node.attrs.level}`, 0],
  addKeyboardShortcuts() {
    return Object.fromEntries(
      LEVELS.map((level) => [
        `Mod-Alt-${level}`,
        () => this.editor.commands.toggleNode('heading', 'paragraph', { level }),
      ]),
    )
  },
})

const container = (name: string, tag: string, content = 'block+') =>
  Node.create({
    name,
    group: 'block',
    content,
    defining: true,
    parseHTML: () => [{ tag }],
    renderHTML: () => [tag, 0],
  })

const BulletList = container('bulletList', 'ul', 'listItem+').extend({
  addKeyboardShortcuts() {
    return { 'Mod-Shift-8': () => this.editor.commands.toggleList('bulletList', 'listItem') }
  },
})
const OrderedList = container('orderedList', 'ol', 'listItem+').extend({
  addKeyboardShortcuts() {
    return { 'Mod-Shift-7': () => this.editor.commands.toggleList('orderedList', 'listItem') }
  },
})
const ListItem = Node.create({
  name: 'listItem',
  content: 'block+',
  defining: true,
  parseHTML: () => [{ tag: 'li' }],
  renderHTML: () => ['li', 0],
  addKeyboardShortcuts() {
    return {
      Enter: () => this.editor.commands.splitListItem('listItem'),
      Tab: () => this.editor.commands.sinkListItem('listItem'),
      'Shift-Tab': () => this.editor.commands.liftListItem('listItem'),
    }
  },
})
const Blockquote = container('blockquote', 'blockquote').extend({
  addKeyboardShortcuts() {
    return { 'Mod-Shift-b': () => this.editor.commands.toggleWrap('blockquote') }
  },
})
const Division = container('division', 'div')

const CodeBlock = Node.create({
  name: 'codeBlock',
  group: 'block',
  content: 'inline*',
  code: true,
  defining: true,
  whitespace: 'pre',
  parseHTML: () => [{ tag: 'pre', preserveWhitespace: 'full' }],
  renderHTML: () => ['pre', 0],
  addKeyboardShortcuts() {
    const isHere = () => this.editor.isActive('codeBlock')
    return {
      Enter: () => isHere() && this.editor.commands.insertContent({ type: 'text', text: '\n' }),
      'Mod-Enter': () => isHere() && this.editor.commands.exitCode(),
    }
  },
})

const HardBreak = Node.create({
  name: 'hardBreak',
  group: 'inline',
  inline: true,
  selectable: false,
  parseHTML: () => [{ tag: 'br' }],
  renderHTML: () => ['br'],
  renderText: () => '\n',
  addKeyboardShortcuts() {
    return { 'Shift-Enter': () => this.editor.commands.insertContent({ type: 'hardBreak' }) }
  },
})
const HorizontalRule = Node.create({
  name: 'horizontalRule',
  group: 'block',
  parseHTML: () => [{ tag: 'hr' }],
  renderHTML: () => ['hr'],
})

const Image = Node.create({
  name: 'image',
  group: 'inline',
  inline: true,
  draggable: true,
  addAttributes: () => ({
    src: {
      default: null,
      parseHTML: (element: HTMLElement) => {
        const src = element.getAttribute('src') ?? ''
        return isPicture(src) ? src : null
      },
      rendered: false,
    },
    // An empty one says that the picture is only for the eye.
    alt: { default: null, parseHTML: (element: HTMLElement) => element.getAttribute('alt'), rendered: false },
    width: kept('width'),
    height: kept('height'),
  }),
  parseHTML: () => [{ tag: 'img' }],
  renderHTML: ({ node }) => ['img', shown(node.attrs)],
})

const Table = Node.create({
  name: 'table',
  group: 'block',
  content: 'tableCaption? columnGroup* (tableSection | tableRow)+',
  isolating: true,
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: () => ['table', 0],
})
const TableCaption = Node.create({
  name: 'tableCaption',
  content: 'block+',
  isolating: true,
  parseHTML: () => [{ tag: 'caption' }],
  renderHTML: () => ['caption', 0],
})
const ColumnGroup = Node.create({
  name: 'columnGroup',
  content: 'tableColumn*',
  parseHTML: () => [{ tag: 'colgroup' }],
  renderHTML: () => ['colgroup', 0],
})
const TableColumn = Node.create({
  name: 'tableColumn',
  parseHTML: () => [{ tag: 'col' }],
  renderHTML: () => ['col'],
})
const SECTIONS = ['thead', 'tbody', 'tfoot'] as const
const TableSection = Node.create({
  name: 'tableSection',
  content: 'tableRow*',
  addAttributes: () => ({ tag: { default: 'tbody', parseHTML: tagOf, rendered: false } }),
  parseHTML: () => SECTIONS.map((tag) => ({ tag })),
  renderHTML: ({ node }) => [node.attrs.tag as string, 0],
})
const TableRow = Node.create({
  name: 'tableRow',
  content: '(tableCell | tableHeader)*',
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: () => ['tr', 0],
})
const spans = () => ({ colspan: kept('colspan'), rowspan: kept('rowspan') })
const TableCell = Node.create({
  name: 'tableCell',
  content: 'block+',
  isolating: true,
  addAttributes: spans,
  parseHTML: () => [{ tag: 'td' }],
  renderHTML: ({ node }) => ['td', shown(node.attrs), 0],
})
const TableHeader = Node.create({
  name: 'tableHeader',
  content: 'block+',
  isolating: true,
  addAttributes: () => ({ ...spans(), scope: kept('scope') }),
  parseHTML: () => [{ tag: 'th' }],
  renderHTML: ({ node }) => ['th', shown(node.attrs), 0],
})

const Link = Mark.create({
  name: 'link',
  priority: 900,
  inclusive: false,
  addAttributes: () => ({
    href: {
      default: null,
      parseHTML: (element: HTMLElement) => {
        const href = element.getAttribute('href') ?? ''
        return isLink(href) ? href : null
      },
      rendered: false,
    },
    title: kept('title'),
    target: {
      default: null,
      parseHTML: (element: HTMLElement) => (element.getAttribute('target') === '_blank' ? '_blank' : null),
      rendered: false,
    },
  }),
  parseHTML: () => [{ tag: 'a' }],
  renderHTML: ({ mark }) => ['a', shown({ ...mark.attrs, target: undefined }), 0],
})

const plain = (name: string, tags: readonly string[], keys?: string) =>
  Mark.create({
    name,
    addAttributes: () => ({ tag: { default: tags[0], parseHTML: tagOf, rendered: false } }),
    parseHTML: () => tags.map((tag) => ({ tag })),
    renderHTML: ({ mark }) => [mark.attrs.tag as string, 0],
    addKeyboardShortcuts() {
      return keys ? { [keys]: () => this.editor.commands.toggleMark(name) } : {}
    },
  })

export const EXTENSIONS = [
  Doc,
  Text,
  Paragraph,
  Heading,
  BulletList,
  OrderedList,
  ListItem,
  Blockquote,
  CodeBlock,
  Division,
  HardBreak,
  HorizontalRule,
  Image,
  Table,
  TableCaption,
  ColumnGroup,
  TableColumn,
  TableSection,
  TableRow,
  TableCell,
  TableHeader,
  Link,
  plain('bold', ['strong', 'b'], 'Mod-b'),
  plain('italic', ['em', 'i'], 'Mod-i'),
  plain('underline', ['u'], 'Mod-u'),
  plain('strike', ['s'], 'Mod-Shift-s'),
  plain('subscript', ['sub']),
  plain('superscript', ['sup']),
  plain('code', ['code'], 'Mod-e'),
  plain('span', ['span']),
]
