const KEY = 'kontor:staff-of'

/** Whose provider somebody came in by on this machine: their session ends after a day, and they come again. */
export const staffOf = {
  get(): string | undefined {
    try {
      return localStorage.getItem(KEY) ?? undefined
    } catch {
      return undefined
    }
  },
  keep(businessId: string): void {
    try {
      localStorage.setItem(KEY, businessId)
    } catch {}
  },
  forget(): void {
    try {
      localStorage.removeItem(KEY)
    } catch {}
  },
}
