import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import type { useLeaveGuard } from './use-draft.ts'

/** Beside a save bar: `const guard = useLeaveGuard(changes.length > 0)`, `<LeaveDialog guard={guard} />`. */
export function LeaveDialog({ guard }: { guard: ReturnType<typeof useLeaveGuard> }) {
  const { t } = useLingui()
  return (
    <Dialog open={guard.status === 'blocked'} onClose={() => guard.reset?.()} title={t`Leave without saving?`}>
      <p className="soft">
        <Trans>What you changed is kept on this machine until you close this tab. Nobody else sees it.</Trans>
      </p>
      <div className="acts">
        <Button look="quiet" onClick={() => guard.proceed?.()}>{t`Leave`}</Button>
        <Button look="main" onClick={() => guard.reset?.()}>{t`Stay`}</Button>
      </div>
    </Dialog>
  )
}
