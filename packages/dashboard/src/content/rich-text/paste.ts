import { isPicture } from './address.ts'

const GONE = 'script, style, meta, link, title, head, template, iframe, object, embed, svg, math, xml, o\\:p'
const BLOCKS = 'p, div, ul, ol, li, table, blockquote, pre, h1, h2, h3, h4, h5, h6, hr, section, article'
const RENAMED: Record<string, string> = { strike: 's', del: 's', ins: 'u' }

/** What Word, Google Docs and mail programs put on the clipboard, as the tags that the service keeps. */
export function cleanPasted(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const gone of body.querySelectorAll(GONE)) gone.remove()
  removeComments(body)
  makeLists(body)
  for (const [from, to] of Object.entries(RENAMED)) for (const one of body.querySelectorAll(from)) rename(one, to)
  for (const element of body.querySelectorAll<HTMLElement>('b, strong, i, em, u, s, span, font')) writeStyle(element)
  for (const picture of body.querySelectorAll('img')) {
    if (!isPicture(picture.getAttribute('src') ?? '')) picture.remove()
  }
  for (const part of body.querySelectorAll<HTMLElement>('div, section, article, main')) openDivision(part)
  return body.innerHTML
}

function removeComments(body: HTMLElement): void {
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_COMMENT)
  const comments: Node[] = []
  while (walker.nextNode()) comments.push(walker.currentNode)
  for (const comment of comments) comment.parentNode?.removeChild(comment)
}

function rename(element: Element, tag: string): Element {
  const next = document.createElement(tag)
  next.append(...element.childNodes)
  element.replaceWith(next)
  return next
}

/** Their bold is a style; ours is a tag. Google Docs wraps everything in a `b` that is not bold. */
function writeStyle(element: HTMLElement): void {
  const { fontWeight, fontStyle, textDecoration, textDecorationLine, verticalAlign } = element.style
  const line = `${textDecoration} ${textDecorationLine}`
  const isLight = fontWeight === 'normal' || (fontWeight !== '' && Number(fontWeight) < 600)
  const tags = [
    (fontWeight === 'bold' || fontWeight === 'bolder' || Number(fontWeight) >= 600) && 'strong',
    (fontStyle === 'italic' || fontStyle === 'oblique') && 'em',
    // A link is underlined without being told.
    line.includes('underline') && !element.closest('a') && !element.querySelector('a') && 'u',
    line.includes('line-through') && 's',
    verticalAlign === 'super' && 'sup',
    verticalAlign === 'sub' && 'sub',
  ].filter((tag) => tag !== false)
  const isBold = element.matches('b, strong')
  const isSlanted = element.matches('i, em')
  const isEmptied = (isBold && isLight) || (isSlanted && fontStyle === 'normal') || element.matches('span, font')
  let inner: Node[] = [...element.childNodes]
  for (const tag of tags) {
    if ((tag === 'strong' && isBold) || (tag === 'em' && isSlanted) || element.matches(tag)) continue
    const mark = document.createElement(tag)
    mark.append(...inner)
    inner = [mark]
  }
  if (isEmptied) element.replaceWith(...inner)
  else {
    element.replaceChildren(...inner)
    element.removeAttribute('style')
  }
}

/** A mail program writes a line as a `div`, and an empty one as a `div` with a line break. */
function openDivision(part: HTMLElement): void {
  if (part.querySelector(BLOCKS) || part.closest('li, td, th')) part.replaceWith(...part.childNodes)
  else if (part.textContent.trim() === '' && !part.querySelector('img')) part.remove()
  else rename(part, 'p')
}

const PLACE = /mso-list:\s*(\S+)\s+level(\d+)/

/** Word writes the items of a list as paragraphs, with their signs as text. */
function makeLists(body: HTMLElement): void {
  const lists: { name: string; level: number; list: HTMLElement }[] = []
  for (const line of body.querySelectorAll<HTMLElement>('p, h1, h2, h3, h4, h5, h6')) {
    const [, name = '', place] = PLACE.exec(line.getAttribute('style') ?? '') ?? []
    const level = Number(place)
    if (!level) continue
    const sign = [...line.querySelectorAll('span')].find((one) =>
      /mso-list:\s*ignore/i.test(one.getAttribute('style') ?? ''),
    )
    const isOrdered = /^\s*[\da-z]{1,4}[.)]/i.test(sign?.textContent ?? '')
    sign?.remove()
    const previous = line.previousElementSibling
    // Another list begins where something else stands between.
    if (lists[0] && (previous !== lists[0].list || (level === 1 && lists[0].name !== name))) lists.length = 0
    while ((lists.at(-1)?.level ?? 0) > level) lists.pop()
    if (lists.at(-1)?.level !== level) {
      const list = document.createElement(isOrdered ? 'ol' : 'ul')
      const above = lists.at(-1)?.list.lastElementChild
      if (above) above.append(list)
      else line.before(list)
      lists.push({ name, level, list })
    }
    const item = document.createElement('li')
    item.append(...line.childNodes)
    lists.at(-1)?.list.append(item)
    line.remove()
  }
}
