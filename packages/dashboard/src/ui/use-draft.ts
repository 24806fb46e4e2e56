import { useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { useSigned } from '../session/use-signed.ts'
import { draftName } from './drafts.ts'

/**
 * What was typed and not yet saved: kept in sessionStorage, so that a reload loses nothing. `key` names the record and
 * its version's owner, such as `order:ord_…`. Undefined: nothing was typed.
 */
export function useDraft<Value>(key: string) {
  const name = draftName(useSigned()?.userId ?? '', key)
  const [draft, setDraft] = useState(() => read(name) as Value | undefined)
  useEffect(() => setDraft(read(name) as Value | undefined), [name])
  const change = useCallback(
    (next: Value | undefined) => {
      if (next === undefined) sessionStorage.removeItem(name)
      else sessionStorage.setItem(name, JSON.stringify(next))
      setDraft(next)
    },
    [name],
  )
  return [draft, change] as const
}

function read(name: string): unknown {
  const kept = sessionStorage.getItem(name)
  return kept === null ? undefined : JSON.parse(kept)
}

/** Leaving asks while something is not saved. What it answers is for `LeaveDialog`. */
export const useLeaveGuard = (isDirty: boolean) =>
  useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
