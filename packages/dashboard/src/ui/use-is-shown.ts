import { useEffect, useRef } from 'react'

/** Whether who asked is still there when the answer comes: nobody is led away from where they went meanwhile. */
export function useIsShown() {
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return isShown
}
