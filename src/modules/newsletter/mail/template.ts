import { Liquid, LiquidError, Tokenizer, TypeGuards } from 'liquidjs'

/** A merchant's text that cannot be used. The message is for the merchant. */
export class TemplateError extends Error {}

// Templates have conditions, but no loops, assignments or includes. So rendering takes time in proportion to length,
// and no text can shadow a variable of ours.
const BRANCHES: Record<string, string[]> = {
  if: ['elsif', 'else'],
  unless: ['elsif', 'else'],
  case: ['when', 'else'],
  comment: [],
}
/** Tags without output. */
const SILENT = ['raw', 'endraw', '#']
const MAX_NESTED = 20
const MAX_EXPRESSION_LENGTH = 1_000
const MAX_EXPRESSIONS = 1_000

// No filter that creates markup or undoes escaping (raw), and none that evaluates its argument (where_exp).
const FILTERS =
  `append capitalize default downcase first join last lstrip prepend remove remove_first replace replace_first
  rstrip size slice split squish strip truncate truncatewords upcase`.split(/\s+/)

/** For markup: values are escaped. */
export const markup = createEngine((value) => escapeMarked(toText(value)))
/** For plain text: values stay as they are. */
export const plain = createEngine(toText)

function createEngine(outputEscape: (value: unknown) => string): Liquid {
  const engine = new Liquid({
    outputEscape,
    strictFilters: true,
    ownPropertyOnly: true,
    templates: {}, // no files
    parseLimit: 8_000_000,
    memoryLimit: 1_000_000,
    renderLimit: 10_000, // wall-clock ms, which pass while others have the processor, too
  })
  for (const name of Object.keys(engine.tags)) if (!Object.hasOwn(BRANCHES, name)) delete engine.tags[name]
  for (const name of Object.keys(engine.filters)) if (!FILTERS.includes(name)) engine.unregisterFilter(name)
  // Authors who know Liquid add these filters to be safe. Values are escaped anyway, and must not be escaped twice.
  for (const name of ['escape', 'escape_once']) engine.registerFilter(name, (value: unknown) => value)
  engine.registerFilter('url_encode', (value: unknown) => encodeURIComponent(toText(value)))
  // Our own tag: values that are the same for all readers are stored with the template.
  engine.registerTag('known', {
    parse({ args }) {
      this.values = JSON.parse(args)
    },
    render(context) {
      Object.assign(context.bottom(), this.values)
    },
  })
  return engine
}

/** Binds values for the template that follows. Nothing in them can end the tag. */
export const bindValues = (values: Record<string, unknown>) =>
  `{% known ${JSON.stringify(values).replaceAll('%', '\\u0025')} %}`

// Truncating a text may have split a surrogate pair.
function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join('')
  if (typeof value === 'string') return value.toWellFormed()
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

// Unicode noncharacters as delimiters of placeholders: removing them from a text loses nothing.
const [OUTPUT, TAG, END] = ['\ufdd0', '\ufdd1', '\ufdd2']
const MARK = new RegExp(`[${OUTPUT}${TAG}](\\d+)${END}`)
const MARK_PARTS = new RegExp(`[${OUTPUT}${TAG}${END}]`, 'g')
/** A line that holds only tags. */
export const TAG_LINE = new RegExp(`^\\s*(?:${TAG}\\d+${END}\\s*)+$`)

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** Escapes text that was read already, and keeps its placeholders. */
export const escapeMarked = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
/** Escapes text of others, and removes anything that looks like a placeholder. */
export const escapeHtml = (text: string) => escapeMarked(text.replaceAll(MARK_PARTS, ''))

/**
 * Reads the next part of a merchant's text and returns markup with placeholders. `path`: the elements around the part.
 */
export type Read = (part: string, path?: string) => string

/**
 * Expressions are cut out of merchants' texts before these become markup, leaving placeholders, and are put back at the
 * end. In between nothing can cut, escape or wrap them, and no later text can turn into an expression.
 */
export function createMarks() {
  const expressions: string[] = []
  const keep = (expression: string, kind = OUTPUT) => `${kind}${expressions.push(expression) - 1}${END}`

  function takeOut(part: string, onTag: (name: string) => void): string {
    if (!part.includes('{')) return escapeHtml(part) // true for most parts of a long mail
    const tokens = new Tokenizer(part).readTopLevelTokens(plain.options)
    const write = (token: (typeof tokens)[number]) => {
      if (TypeGuards.isHTMLToken(token)) return escapeHtml(token.getContent())
      const expression = straighten(token.getText())
      if (expression.length > MAX_EXPRESSION_LENGTH) throw new TemplateError('an expression is too long')
      if (expressions.length >= MAX_EXPRESSIONS) throw new TemplateError('there are too many expressions in the mail')
      if (!TypeGuards.isTagToken(token)) return keep(expression)
      if (SILENT.includes(token.name)) return ''
      onTag(token.name)
      return keep(expression, TAG)
    }
    const count = (name: string) => tokens.filter((token) => TypeGuards.isTagToken(token) && token.name === name).length
    if (count('raw') !== count('endraw')) throw new TemplateError('{% raw %} is not closed within its element')
    return tokens.map(write).join('')
  }

  /** Reads a text in parts. Tags that open in it must close in it. */
  function readText(work: (read: Read) => string): string {
    const { follow, end } = createFollower()
    const html = work((part, path = '') => takeOut(part, (name) => follow(name, path)))
    end()
    return html
  }

  // A brace that could open an expression together with the text after it is written as an expression itself.
  const fill = (skeleton: string) =>
    skeleton
      .split(MARK)
      .map((part, index) =>
        index % 2 === 1 ? expressions[Number(part)] : part.replaceAll(/\{(?=[{%]|$)/g, '{{ "{" }}'),
      )
      .join('')

  return { keep, readText, fill }
}

/** Both branches of a condition must leave the same elements open, or a text could swallow what follows it. */
function createFollower() {
  const open: { name: string; path: string }[] = []
  const follow = (name: string, path: string) => {
    const last = open.at(-1)
    if (last?.name === 'comment' && name !== 'endcomment') return
    if (Object.hasOwn(BRANCHES, name)) {
      if (open.push({ name, path }) > MAX_NESTED) throw new TemplateError('conditions are nested too deeply')
      return
    }
    const isEnd = last !== undefined && name === `end${last.name}`
    if (!last || !(isEnd || BRANCHES[last.name]?.includes(name))) {
      throw new TemplateError(`{% ${name} %} cannot be used here`)
    }
    if (last.path !== path) {
      throw new TemplateError(`{% ${last.name} %} and {% ${name} %} must stand in the same kind of element`)
    }
    if (isEnd) open.pop()
  }
  const end = () => {
    if (open[0]) throw new TemplateError(`{% ${open[0].name} %} is not closed`)
  }
  return { follow, end }
}

/** Editors insert curly quotes and no-break spaces, also inside expressions. */
const straighten = (expression: string) =>
  expression.replaceAll(/"[^"]*"|'[^']*'|[“”„‘’\u00a0]/g, (found) =>
    found.length > 1 ? found : found === '\u00a0' ? ' ' : '‘’'.includes(found) ? "'" : '"',
  )

/** Returns the result of `work`, or reports what is wrong with the template. */
export function reportTemplateError<Result>(
  work: () => Result,
  complain: (reason: string) => void,
): Result | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TemplateError || LiquidError.is(error))) throw error
    complain(error.message.replace(/, line:\d+, col:\d+$/, ''))
  }
}
