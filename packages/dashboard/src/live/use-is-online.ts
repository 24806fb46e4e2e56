import { useSyncExternalStore } from 'react'

const subscribe = (listener: () => void) => {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** Whether the browser has a network. `useConnection` tells whether it reaches the service. */
export const useIsOnline = () => useSyncExternalStore(subscribe, () => navigator.onLine)
