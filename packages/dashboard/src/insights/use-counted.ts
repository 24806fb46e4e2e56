import { useEffect } from 'react'
import { useLive } from '../live/live.tsx'

const AGAIN_MS = 1_500
/** A rebuild takes minutes. */
const REBUILDING_MS = 15_000

/**
 * Sums follow the feed a moment later. Reads again until they have what this page knows of; `behind` is how many events are
 * missing, `isRebuilding` whether the reports are being rebuilt.
 */
export function useCounted(upToEvent: number | undefined, readAgain: () => unknown) {
  const { number } = useLive()
  const behind = upToEvent === undefined ? 0 : Math.max(number - upToEvent, 0)
  const isBehind = behind > 0
  const isRebuilding = upToEvent === 0 && number > 0
  useEffect(() => {
    if (!isBehind) return undefined
    const timer = setInterval(readAgain, isRebuilding ? REBUILDING_MS : AGAIN_MS)
    return () => clearInterval(timer)
  }, [isBehind, isRebuilding, readAgain])
  return { behind, isRebuilding }
}
