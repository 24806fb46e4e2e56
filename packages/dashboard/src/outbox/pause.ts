const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 30_000]

/** Before it is tried again; sooner than the wait if the line comes back. */
export const pauseBefore = (attempt: number) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, WAITS_MS[Math.min(attempt, WAITS_MS.length - 1)] ?? 0)
    addEventListener('online', end)
  })
