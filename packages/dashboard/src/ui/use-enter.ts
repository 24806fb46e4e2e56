import { useEffect, useState } from 'react'

/** Enter means what was typed, also for those who type faster than it is found: it waits until nothing is behind. */
export function useEnter(isBehind: boolean, act: () => void) {
  const [isPressed, setIsPressed] = useState(false)
  useEffect(() => {
    if (!isPressed || isBehind) return
    setIsPressed(false)
    act()
  })
  return { press: () => setIsPressed(true), forget: () => setIsPressed(false) }
}
