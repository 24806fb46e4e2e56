/** Scheme, host and port, nothing else: `https://shop.example.com`. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text
}
