import { useEffect, useState } from 'preact/hooks'

export type Store<Value> = ReturnType<typeof createStore<Value>>

/** A value that the whole page shares. */
export function createStore<Value>(initial: Value) {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next: Value) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export function useStore<Value>(store: Store<Value>): Value {
  const [, redraw] = useState({})
  const value = store.get()
  useEffect(() => {
    // It may have changed between the drawing and now.
    if (store.get() !== value) redraw({})
    return store.subscribe(() => redraw({}))
  }, [store])
  return value
}
