import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { useLeaveGuard } from '../../ui/use-draft.ts'

/** The value of a new key, this once. Whoever leaves without having copied it is asked. */
export function NewValue({ name, value, onKept }: { name: string; value: string; onKept: () => void }) {
  const { t } = useLingui()
  const [isCopied, setCopied] = useState(false)
  const guard = useLeaveGuard(!isCopied)
  return (
    <div className="new-value">
      <p>
        <Trans>
          This is the value of <b>{name}</b>. It is shown now and never again: put it where the program reads it, and
          nowhere else.
        </Trans>
      </p>
      <Field
        label={t`Value`}
        className="mono"
        readOnly
        value={value}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onCopy={() => setCopied(true)}
      />
      <div className="acts">
        <CopyButton look={isCopied ? undefined : 'main'} text={value} onCopied={() => setCopied(true)}>
          {t`Copy the value`}
        </CopyButton>
        <Button look={isCopied ? 'main' : undefined} onClick={onKept}>{t`Done`}</Button>
      </div>
      <p className="note">
        <Trans>
          A call with it has the header <code>Authorization: Bearer</code>, or <code>X-API-Key</code>.
        </Trans>
      </p>
      <Dialog open={guard.status === 'blocked'} onClose={() => guard.reset?.()} title={t`Leave without the value?`}>
        <p className="soft">
          <Trans>It is not shown again. You would have to revoke the key and make another one.</Trans>
        </p>
        <div className="acts">
          <Button look="quiet" onClick={() => guard.proceed?.()}>{t`Leave without it`}</Button>
          <Button look="main" onClick={() => guard.reset?.()}>{t`Stay`}</Button>
        </div>
      </Dialog>
    </div>
  )
}
