const KEY = 'kontor:last-way'

/** How somebody came in on this machine last: what they press first next time is where their hands are. */
export const lastWay = {
  isPasskey(): boolean {
    try {
      return localStorage.getItem(KEY) === 'passkey'
    } catch {
      return false
    }
  },
  keep(way: 'passkey' | 'password'): void {
    try {
      localStorage.setItem(KEY, way)
    } catch {}
  },
}
