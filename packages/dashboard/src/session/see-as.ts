import { useSyncExternalStore } from 'react'
import type { Permission } from './permissions.ts'

/** A role that somebody looks through: only in this tab, and only to see less. */
export type SeenAs = { businessId: string; roleId: string; name: string; permissions: Permission[] }

const KEY = 'kontor:see-as'
const listeners = new Set<() => void>()
let seen = read()

function read(): SeenAs | undefined {
  const kept = globalThis.sessionStorage?.getItem(KEY)
  return kept ? (JSON.parse(kept) as SeenAs) : undefined
}

export const seenAs = () => seen

/** Undefined: as oneself again. */
export function seeAs(next: SeenAs | undefined): void {
  seen = next
  if (next) sessionStorage.setItem(KEY, JSON.stringify(next))
  else sessionStorage.removeItem(KEY)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useSeenAs = () => useSyncExternalStore(subscribe, seenAs)
