const LINKS = ['http', 'https', 'mailto', 'tel']
const PICTURES = ['http', 'https']

/** Whether the service keeps this address, by the same rule. */
function isKept(address: string, schemes: readonly string[]): boolean {
  // oxlint-disable-next-line no-control-regex -- browsers leave these out when they read an address
  const plain = address.replaceAll(/[\u0000-\u0020]+/g, '')
  if (plain === '' || address.includes('<')) return false
  const scheme = /^([a-z][a-z0-9.\-+]*):/i.exec(plain)?.[1]
  if (scheme === undefined) return !/^[/\\]{2}/.test(plain)
  return schemes.includes(scheme.toLowerCase())
}

export const isLink = (address: string) => isKept(address, LINKS)
export const isPicture = (address: string) => isKept(address, PICTURES)

/** `example.com` is meant as a link, `ada@example.com` as a mail. */
export function toLink(typed: string): string {
  const text = typed.trim()
  if (/^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(text)) return `mailto:${text}`
  return /^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(text) ? `https://${text}` : text
}
