import type { KontorError } from '@kontor/sdk'
import { useEffect, useState } from 'preact/hooks'

type State<Value> = { key: string | undefined; value?: Value; error?: KontorError; isLoading: boolean }
export type Loaded<Value> = { value?: Value; error?: KontorError; isLoading: boolean; reload: () => void }

/** What was loaded before is shown at once when it is asked for again, and then made fresh: going back is instant. */
const known = new Map<string, unknown>()
const underway = new Map<string, Promise<unknown>>()

export const forget = (beginning: string) => {
  for (const key of known.keys()) if (key.startsWith(beginning)) known.delete(key)
}
export const recall = (key: string): unknown => known.get(key)
export const remember = (key: string, value: unknown) => void known.set(key, value)

/** Several parts of a page may ask for the same thing at once. */
function loadOnce<Value>(key: string, load: () => Promise<Value>): Promise<Value> {
  const running = underway.get(key)
  if (running) return running as Promise<Value>
  const started = load().finally(() => underway.delete(key))
  underway.set(key, started)
  return started
}

/** Loads whenever the key changes. Without a key it waits. An answer to an older key is dropped. */
export function useLoad<Value>(key: string | undefined, load: () => Promise<Value>): Loaded<Value> {
  const [round, setRound] = useState(0)
  const [state, setState] = useState<State<Value>>({ key: undefined, isLoading: true })

  useEffect(() => {
    if (key === undefined) return
    let isCurrent = true
    setState({ key, value: recall(key) as Value | undefined, isLoading: true })
    loadOnce(key, load).then(
      (value) => {
        remember(key, value)
        if (isCurrent) setState({ key, value, isLoading: false })
      },
      (error: KontorError) => {
        if (isCurrent) setState({ key, value: recall(key) as Value | undefined, error, isLoading: false })
      },
    )
    return () => {
      isCurrent = false
    }
  }, [key, round])

  const reload = () => setRound((before) => before + 1)
  useEffect(() => {
    if (!state.error) return
    window.addEventListener('online', reload)
    return () => window.removeEventListener('online', reload)
  }, [state.error])

  if (key === undefined) return { isLoading: true, reload }
  // The first drawing with a new key comes before its effect.
  if (state.key !== key) return { value: recall(key) as Value | undefined, isLoading: true, reload }
  return { value: state.value, error: state.error, isLoading: state.isLoading, reload }
}
