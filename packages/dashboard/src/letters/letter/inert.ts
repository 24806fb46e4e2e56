/** A mail as it is shown: markup in which nothing acts by itself, and its style sheets. */
export type Inert = { html: string; sheets: string[] }

const TAG = /<[a-z](?:"[^"]*"|'[^']*'|[^'">])*>/gi
const STYLE_SHEET = /<style[^>]*>([^]*?)<\/style>/gi
const STYLE = /(\s)style(\s*=)/gi
const HANDLER = /(\s)on(\w+\s*=)/gi

/**
 * The page allows no style that stands in markup, and what is put into a frame of it is held to that, too. So styles are
 * taken out of the markup here, and given to the elements by script, which is allowed.
 */
export function toInert(html: string): Inert {
  const sheets: string[] = []
  const without = html.replaceAll(STYLE_SHEET, (_, css: string) => {
    sheets.push(css)
    return ''
  })
  return {
    html: without.replaceAll(TAG, (tag) => tag.replaceAll(STYLE, '$1data-style$2').replaceAll(HANDLER, '$1data-on$2')),
    sheets,
  }
}

/** What a mail program would not run either, and what would load something that is no picture. */
const UNWANTED = 'script, iframe, frame, object, embed, link, meta, base, form, template, noscript'

/** Fills the frame's document. The frame is sandboxed: no script of the letter would run, were there any left. */
export function fill(frame: HTMLIFrameElement, { html, sheets }: Inert, isDark: boolean): void {
  const inside = frame.contentDocument
  const view = frame.contentWindow as (Window & typeof globalThis) | null
  if (!inside || !view) return
  const parsed = new DOMParser().parseFromString(html, 'text/html')
  for (const element of parsed.querySelectorAll(UNWANTED)) element.remove()
  const root = inside.importNode(parsed.documentElement, true)
  for (const element of [root, ...root.querySelectorAll<HTMLElement>('*')]) tame(element)
  inside.replaceChild(root, inside.documentElement)
  inside.adoptedStyleSheets = sheets.map((css) => toSheet(view, css, isDark))
  root.style.colorScheme = isDark ? 'dark' : 'light'
}

/** A link says where it leads, and leads nowhere: this is not the page to leave. */
function tame(element: HTMLElement): void {
  for (const name of element.getAttributeNames()) if (name.startsWith('on')) element.removeAttribute(name)
  const { style } = element.dataset
  if (style !== undefined) element.style.cssText = style
  delete element.dataset.style
  const href = element.getAttribute('href')
  if (href === null) return
  element.title = href
  element.removeAttribute('href')
  element.style.cursor = 'pointer'
}

/** The theme is the one that was asked for, whatever that of the reader's machine is. */
function toSheet(view: Window & typeof globalThis, css: string, isDark: boolean): CSSStyleSheet {
  const sheet = new view.CSSStyleSheet()
  sheet.replaceSync(css)
  for (const rule of sheet.cssRules) {
    if (!('media' in rule)) continue
    const media = (rule as CSSMediaRule).media
    if (/prefers-color-scheme:\s*dark/.test(media.mediaText)) media.mediaText = isDark ? 'all' : 'not all'
    else if (/prefers-color-scheme:\s*light/.test(media.mediaText)) media.mediaText = isDark ? 'not all' : 'all'
  }
  return sheet
}
