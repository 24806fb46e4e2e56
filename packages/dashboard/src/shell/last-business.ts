const KEY = 'kontor:business'

export const readLast = () => localStorage.getItem(KEY)
export const writeLast = (id: string) => localStorage.setItem(KEY, id)
