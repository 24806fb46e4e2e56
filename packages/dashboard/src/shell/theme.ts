import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'kontor:theme'
const listeners = new Set<() => void>()
const isTheme = (word: string | null): word is 'light' | 'dark' => word === 'light' || word === 'dark'

export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return isTheme(kept) ? kept : 'system'
}

/** `data-theme` on `<html>` overrides the system; without it the system decides. */
export function applyTheme(theme = readTheme()): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  applyTheme(theme)
  for (const listener of listeners) listener()
}

export function useTheme(): Theme {
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return useSyncExternalStore(subscribe, readTheme)
}

export const isDark = () =>
  readTheme() === 'dark' || (readTheme() === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)

/** The button: the other one than what is shown. */
export const toggleTheme = () => setTheme(isDark() ? 'light' : 'dark')
