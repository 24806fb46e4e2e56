import sanitizeHtml from 'sanitize-html'

// The parser looks through its open tags at every tag, so without a limit deep nesting costs the square of its depth.
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
  // Of these not even the text is kept.
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

// The check of an address takes spaces out, then comments one by one, and copies the rest each time: thousands of them
// (`<!---->`, also as `< !---->`) would keep the process busy for minutes. An address that is well written has no `<`.
function isAddress(text: string | undefined): text is string {
  return text !== undefined && !text.includes('<')
}

// What else begins with `<` or `&` is text, and the parser would take longer for each of them than for a tag.
const MARKUP = /<[a-z/!?]|&[a-z#]/i

/** Rich text without anything that runs, frames or styles. Cleaning again what is clean changes nothing. */
export function cleanHtml(text: string): string {
  if (!MARKUP.test(text)) return escapeHtml(text)
  const { clean, isWhole } = cleanOnce(text)
  // Where a tag was dropped, its neighbours may now close each other: `<p><x><p>` reads differently without the x.
  return isWhole ? clean : cleanOnce(clean).clean
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

/** Nobody writes such markup: show it as the text that it is. */
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
