import { useEffect } from 'react'
import { useLive } from '../live/live.tsx'

const AGAIN_MS = 1_500
/** While a whole past is counted there is no hurry. */
const FILLING_MS = 15_000

/**
 * Sums follow the feed a moment later. Reads again until they have what this page knows of; `behind` is how many events are
 * missing, `isFilling` that orders from before an upgrade are still being counted.
 */
export function useCounted(upToEvent: number | undefined, readAgain: () => unknown) {
  const { number } = useLive()
  const behind = upToEvent === undefined ? 0 : Math.max(number - upToEvent, 0)
  const isBehind = behind > 0
  const isFilling = upToEvent === 0 && number > 0
  useEffect(() => {
    if (!isBehind) return undefined
    const timer = setInterval(readAgain, isFilling ? FILLING_MS : AGAIN_MS)
    return () => clearInterval(timer)
  }, [isBehind, isFilling, readAgain])
  return { behind, isFilling }
}
