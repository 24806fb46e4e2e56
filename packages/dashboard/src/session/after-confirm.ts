const KEY = 'kontor:after-confirm'

/** Where somebody wanted to go who has to confirm an address first. Their mail opens in another tab. */
export const afterConfirm = {
  keep: (to: string) => localStorage.setItem(KEY, to),
  take: (): string | undefined => {
    const to = localStorage.getItem(KEY) ?? undefined
    localStorage.removeItem(KEY)
    return to
  },
}
