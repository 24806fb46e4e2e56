const WAITS_MS = [400, 800, 1_500, 3_000, 5_000]

const hurries = new Set<() => void>()

/** Something has happened in the business: whoever waits for the service looks at once. */
export function hurry(): void {
  for (const end of hurries) end()
}

export const waitOrHurry = (round: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      hurries.delete(end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, WAITS_MS[Math.min(round, WAITS_MS.length - 1)])
    hurries.add(end)
    signal.addEventListener('abort', end)
  })
