import { useSyncExternalStore } from 'react'
import { sessionStore } from './session.ts'

/** Who is signed in, for pages before the door. Undefined: nobody. */
export const useSigned = () => useSyncExternalStore(sessionStore.subscribe, sessionStore.get).signed
