/**
 * Named places where a test may stop time, throw, or kill the process: `await fault('idempotency.after-commit')`.
 * A no-op unless a test hands in a handler.
 */
export type FaultHandler = (name: string) => void | Promise<void>

let handler: FaultHandler | undefined

export const fault = (name: string): void | Promise<void> => handler?.(name)

export function useFaults(next: FaultHandler | undefined): void {
  handler = next
}
