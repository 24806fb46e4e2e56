/** The service's clock. Tests hand in one they can move; everybody else gets the machine's. */
export type Clock = () => number

let current: Clock = Date.now

export const nowMs = (): number => current()
export const now = (): Date => new Date(current())

export function useClock(clock: Clock | undefined): void {
  current = clock ?? Date.now
}
