const KEY = 'kontor:business'

export const readLast = () => localStorage.getItem(KEY)
export const writeLast = (id: string) => localStorage.setItem(KEY, id)

/** The business of last time, or the first one. */
export const lastOf = <One extends { id: string }>(businesses: readonly One[]): One | undefined =>
  businesses.find(({ id }) => id === readLast()) ?? businesses[0]
