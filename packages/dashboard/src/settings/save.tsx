import type { ReactNode } from 'react'
import { LeaveDialog } from '../ui/leave-dialog.tsx'
import { SaveBar } from '../ui/save-bar.tsx'
import { useLeaveGuard } from '../ui/use-draft.ts'

type Props = {
  of: { changes: string[]; isSaving: boolean; save: () => Promise<void>; discard: () => void; sheet: ReactNode }
  reason?: string | undefined
  warning?: string | undefined
}

/** What a page with a form needs at its foot: what will be saved, the question before leaving, and the merge. */
export function Save({ of: { changes, isSaving, save, discard, sheet }, reason, warning }: Props) {
  const guard = useLeaveGuard(changes.length > 0 && !isSaving)
  return (
    <>
      <SaveBar {...{ changes, isSaving, reason, warning }} onSave={() => void save()} onDiscard={discard} />
      <LeaveDialog guard={guard} />
      {sheet}
    </>
  )
}
