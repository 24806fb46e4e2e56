/** Somebody has to prove once more that it is them. `end(false)`: they did not want to. */
type Asked = { proven: Promise<boolean>; end: (isProven: boolean) => void }

let asked: Asked | undefined
const listeners = new Set<() => void>()

function set(next: Asked | undefined): void {
  asked = next
  for (const listener of listeners) listener()
}

/** Whether the dialog is open. */
export const proofStore = {
  get: () => asked !== undefined,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}

/** Asks the person, once for all calls that wait for it. Whether they have. */
export function askForProof(): Promise<boolean> {
  if (asked) return asked.proven
  const { promise, resolve } = Promise.withResolvers<boolean>()
  set({ proven: promise, end: resolve })
  return promise
}

export function endProof(isProven: boolean): void {
  const { end } = asked ?? {}
  set(undefined)
  end?.(isProven)
}
