import { createStore, useStore } from './store.ts'

type Place = { path: string; query: URLSearchParams }

const read = (): Place => ({ path: window.location.pathname, query: new URLSearchParams(window.location.search) })
const place = createStore(read())

export const usePlace = () => useStore(place)

/** `replace` keeps the place in the history. With it, or on the same page, it stays where it is scrolled to. */
export function go(to: string, { replace = false, isSamePage = false } = {}) {
  if (replace) window.history.replaceState(null, '', to)
  else window.history.pushState(null, '', to)
  place.set(read())
  if (!replace && !isSamePage) window.scrollTo(0, 0)
}

window.addEventListener('popstate', () => place.set(read()))

/** Links are plain links. Those that stay here do not load the page anew. */
document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest?.('a')
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
  if (!link || !isPlain || event.defaultPrevented || link.target || link.origin !== window.location.origin) return
  if (link.hash && link.pathname === window.location.pathname) return
  event.preventDefault()
  go(link.pathname + link.search)
})

/** `match('/products/:slug', path)` answers what stands for `:slug`, or undefined if the path is another. */
export function match(pattern: string, path: string): string | undefined {
  const [fixed = '', parameter] = pattern.split(':')
  if (parameter === undefined) return path === pattern ? '' : undefined
  const rest = path.startsWith(fixed) ? path.slice(fixed.length) : ''
  if (!rest || rest.includes('/')) return undefined
  try {
    return decodeURIComponent(rest)
  } catch {
    return undefined // a lonely %: no page has that address
  }
}

/** The same place with other query parameters; an empty one goes. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const filled = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return filled.length ? `${path}?${new URLSearchParams(filled)}` : path
}
