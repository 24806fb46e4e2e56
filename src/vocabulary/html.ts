import sanitizeHtml from 'sanitize-html'

// The parser searches its open tags at every tag, so without a limit deep nesting takes quadratic time.
const MAX_DEPTH = 256

const TAGS = `p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code b strong i em u s sub sup a img span div
  table caption colgroup col thead tbody tfoot tr th td`

const ALLOWED = new Set(TAGS.split(/\s+/))

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [...ALLOWED],
  allowedAttributes: {
    a: ['href', 'title', 'target', 'rel'],
    img: ['src', 'alt', 'width', 'height'],
    th: ['colspan', 'rowspan', 'scope'],
    td: ['colspan', 'rowspan'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  // Removed with their text.
  nonTextTags: 'script style textarea option xmp iframe noembed noframes svg math title'.split(' '),
  transformTags: {
    a: (tagName, { href, title, target }) => ({
      tagName,
      attribs: {
        ...(isAddress(href) && { href }),
        ...(title !== undefined && { title }),
        ...(target === '_blank' && { target, rel: 'noopener' }),
      },
    }),
    img: (tagName, { src, ...attribs }) => ({ tagName, attribs: { ...(isAddress(src) && { src }), ...attribs } }),
  },
}

// The URL check removes spaces, then comments one by one, and copies the rest each time: thousands of them (`<!---->`,
// also as `< !---->`) would block the process for minutes. A well-formed URL has no `<`.
function isAddress(text: string | undefined): text is string {
  return text !== undefined && !text.includes('<')
}

// Any other `<` or `&` is text, and the parser takes longer for each of them than for a tag.
const MARKUP = /<[a-z/!?]|&[a-z#]/i

/** Sanitised rich text: no scripts, frames or styles. Idempotent. */
export function cleanHtml(text: string): string {
  if (!MARKUP.test(text)) return escapeHtml(text)
  if (isPlainlyClean(text)) return text
  return cleanedAhead.get(text)?.clean ?? parseAndClean(text)
}

export const hasMarkup = (text: string) => MARKUP.test(text)

/** Cleans with the parser: up to a second for a megabyte. */
export function parseAndClean(text: string): string {
  const { clean, isWhole } = cleanOnce(text)
  // After a tag was dropped, its neighbours may close each other: `<p><x><p>` parses differently without the x.
  return isWhole ? clean : cleanOnce(clean).clean
}

const cleanedAhead = new Map<string, { clean: string; users: number }>()

/**
 * Makes `cleanHtml` return `clean` for this text until it has been forgotten as often as remembered (reference
 * counting).
 */
export function rememberCleaned(text: string, clean: string): void {
  cleanedAhead.set(text, { clean, users: (cleanedAhead.get(text)?.users ?? 0) + 1 })
}
export function forgetCleaned(text: string): void {
  const known = cleanedAhead.get(text)
  if (known && --known.users === 0) cleanedAhead.delete(text)
}

// One piece of markup exactly as the parser would write it: a text, or a tag that needs no closer check. Anything else
// goes to the parser.
const VALUE = String.raw`[^"<>&]*(?:&(?:amp|lt|gt|quot);[^"<>&]*)*`
const PATH = String.raw`[^"<>&\\\x00-\x20]*(?:&amp;[^"<>&\\\x00-\x20]*)*`
const PART = new RegExp(
  [
    String.raw`[^<>&]+|&(?:amp|lt|gt);`,
    String.raw`</([a-z][a-z0-9]*)>`,
    String.raw`<([a-z][a-z0-9]*)>`,
    String.raw`<(br|hr) />`,
    String.raw`<(a)(?: href="(?:https?://|mailto:|tel:|#|/(?![/\\]))${PATH}")?(?: title="(?!")${VALUE}")?(?: target="_blank" rel="noopener")?>`,
    String.raw`<(img) src="https?://${PATH}"(?: alt="${VALUE}")?(?: width="\d+")?(?: height="\d+")? />`,
  ].join('|'),
  'y',
)
const VOID = new Set(['br', 'hr', 'img', 'col'])

/** The elements that another start tag closes implicitly. */
const ENDED_BY = new Map(
  Object.entries({
    p: 'p h1 h2 h3 h4 h5 h6 ul ol pre blockquote div hr table',
    li: 'li',
    tr: 'tr',
    th: 'tr th td',
    td: 'tr td',
    thead: 'td tbody tfoot',
    tbody: 'tbody tfoot',
  }).map(([name, others]) => [name, new Set(others.split(' '))]),
)

/**
 * Whether the parser would return the text unchanged, decided without the parser: stored texts are cleaned often, and
 * parsing is slow.
 */
function isPlainlyClean(text: string): boolean {
  const open: string[] = []
  PART.lastIndex = 0
  while (PART.lastIndex < text.length) {
    const part = PART.exec(text)
    if (!part) return false
    const [, closed, bare, line, link, image] = part
    if (closed !== undefined && open.pop() !== closed) return false
    const name = bare ?? line ?? link ?? image
    if (name === undefined) continue
    const outer = open.at(-1)
    if (!ALLOWED.has(name) || (outer !== undefined && ENDED_BY.get(outer)?.has(name))) return false
    if (bare !== undefined && VOID.has(name)) return false
    if (bare !== undefined || link !== undefined) open.push(name)
    if (open.length > MAX_DEPTH) return false
  }
  return open.length === 0
}

function cleanOnce(text: string): { clean: string; isWhole: boolean } {
  let depth = 0
  let isWhole = true
  const onOpenTag = (name: string) => {
    if (++depth > MAX_DEPTH) throw new TooDeep()
    isWhole &&= ALLOWED.has(name)
  }
  const onCloseTag = () => {
    depth--
  }
  try {
    const clean = sanitizeHtml(text, { ...OPTIONS, onOpenTag, onCloseTag })
    return { clean, isWhole }
  } catch (error) {
    if (error instanceof TooDeep) return { clean: escapeHtml(text), isWhole: true }
    throw error
  }
}

class TooDeep extends Error {}

/** Too deeply nested to be written by a person: shown as text. */
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
