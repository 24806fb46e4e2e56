/** A BCP 47 tag in its canonical spelling: `en`, `de-CH`; not `de-ch`. */
export function isLocale(text: string): boolean {
  if (text.length > 35) return false
  try {
    return Intl.getCanonicalLocales(text)[0] === text
  } catch {
    return false
  }
}
