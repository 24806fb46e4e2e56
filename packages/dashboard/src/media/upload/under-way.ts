import { useSyncExternalStore } from 'react'

const NAME = 'kontor:uploads'
const listeners = new Set<() => void>()

/**
 * Whether this browser has uploads to go on with. Known without the code of uploads, which comes only where it is needed:
 * after a reload as well.
 */
export const isUnderWay = () => localStorage.getItem(NAME) !== null

export function setUnderWay(is: boolean): void {
  if (is === isUnderWay()) return
  if (is) localStorage.setItem(NAME, '1')
  else localStorage.removeItem(NAME)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useIsUnderWay = () => useSyncExternalStore(subscribe, isUnderWay)
