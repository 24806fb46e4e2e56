import { useEffect, useState } from 'preact/hooks'

export function OfflineBar() {
  const [isOffline, setOffline] = useState(!navigator.onLine)
  useEffect(() => {
    const look = () => setOffline(!navigator.onLine)
    window.addEventListener('online', look)
    window.addEventListener('offline', look)
    return () => {
      window.removeEventListener('online', look)
      window.removeEventListener('offline', look)
    }
  }, [])
  return (
    <div role="status">
      {isOffline && (
        <p class="offline">You are offline. Your cart is kept; prices and stock come back with the connection.</p>
      )}
    </div>
  )
}
