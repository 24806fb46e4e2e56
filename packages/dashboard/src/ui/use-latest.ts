import { useCallback, useRef } from 'react'

/** One function for as long as the component lives, which does what the last one given does. For events, not for drawing. */
export function useLatest<Given extends unknown[], Answer>(work: (...given: Given) => Answer) {
  const latest = useRef(work)
  latest.current = work
  return useCallback((...given: Given): Answer => latest.current(...given), [])
}
