import { useState } from 'react'

/** For as long as the page lives: whoever comes back finds the tree as it was. */
const kept = new Map<string, ReadonlySet<string>>()

/** Which categories do not show what is below them. */
export function useClosed(businessId: string) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(kept.get(businessId) ?? new Set())
  const change = (work: (next: Set<string>) => void) => {
    const next = new Set(closed)
    work(next)
    kept.set(businessId, next)
    setClosed(next)
  }
  return {
    closed,
    toggle: (id: string) => change((next) => void (next.delete(id) || next.add(id))),
    open: (ids: readonly string[]) => {
      if (ids.some((id) => closed.has(id))) change((next) => ids.forEach((id) => void next.delete(id)))
    },
    close: (ids: readonly string[]) => change((next) => ids.forEach((id) => void next.add(id))),
  }
}
