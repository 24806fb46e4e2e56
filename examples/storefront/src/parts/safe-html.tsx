import type { ComponentChildren } from 'preact'

/** What may stand in an entry. The service has cleaned it already; this page does not rely on that. */
const TAGS = new Set(
  'p h2 h3 h4 ul ol li blockquote pre code em strong b i u s sub sup br hr a img figure figcaption table caption thead tbody tfoot tr th td span div'.split(
    ' ',
  ),
)
const DEEPEST = 60

const isWeb = (address: string | null) =>
  address !== null && /^https?:$/.test(URL.parse(address, window.location.href)?.protocol ?? '')

const spanOf = (cell: Element, name: string) => Number(cell.getAttribute(name)) || undefined

/** HTML as elements of this page: parsed without running anything, and built anew from what is known. */
export function SafeHtml({ html }: { html: string }) {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return <div class="prose">{childrenOf(body, 0)}</div>
}

const childrenOf = (node: Node, depth: number): ComponentChildren[] =>
  [...node.childNodes].map((child) => shown(child, depth + 1))

function shown(node: Node, depth: number): ComponentChildren {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent
  if (!(node instanceof Element) || depth > DEEPEST) return null
  const name = node.localName === 'h1' ? 'h2' : node.localName
  if (!TAGS.has(name)) return /^(script|style|template|svg|math|iframe)$/.test(name) ? null : childrenOf(node, depth)
  if (name === 'br' || name === 'hr') return name === 'br' ? <br /> : <hr />
  if (name === 'img') {
    const src = node.getAttribute('src')
    return isWeb(src) ? <img src={src ?? ''} alt={node.getAttribute('alt') ?? ''} loading="lazy" /> : null
  }
  if (name === 'a') {
    const href = node.getAttribute('href')
    return isWeb(href) ? (
      <a href={href ?? ''} rel="noopener nofollow">
        {childrenOf(node, depth)}
      </a>
    ) : (
      childrenOf(node, depth)
    )
  }
  if (name === 'table') {
    // Scrolls by itself where the screen is narrow; the keyboard gets there, too.
    return (
      <div class="table" role="region" aria-label="Table" tabIndex={0}>
        <table>{childrenOf(node, depth)}</table>
      </div>
    )
  }
  if (name === 'th' || name === 'td') {
    const Cell = name
    return (
      <Cell colSpan={spanOf(node, 'colspan')} rowSpan={spanOf(node, 'rowspan')}>
        {childrenOf(node, depth)}
      </Cell>
    )
  }
  const Tag = name as 'p'
  return <Tag>{childrenOf(node, depth)}</Tag>
}
