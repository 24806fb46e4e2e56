import { useEffect } from 'preact/hooks'

/** Coming back from a payment page with the browser's button may show this page as it was left, still sending. */
export function useWaking(wake: () => void) {
  useEffect(() => {
    window.addEventListener('pageshow', wake)
    return () => window.removeEventListener('pageshow', wake)
  }, [])
}
