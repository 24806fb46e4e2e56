export const SIGNED_OUT = 'kontor:signed-out'

let isKept = false

/**
 * Somebody signed out, and the service has not said yet that it knows: their cookie may still work, and must not be used.
 * A browser without storage remembers it until the page is left.
 */
export const signedOutMark = {
  isSet(): boolean {
    try {
      return isKept || localStorage.getItem(SIGNED_OUT) !== null
    } catch {
      return isKept
    }
  },
  set(): void {
    isKept = true
    try {
      localStorage.setItem(SIGNED_OUT, String(Date.now()))
      isKept = false // another tab may take it away
    } catch {}
  },
  remove(): void {
    isKept = false
    try {
      localStorage.removeItem(SIGNED_OUT)
    } catch {}
  },
}
