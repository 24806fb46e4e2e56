import { Trans, useLingui } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { useLeaveGuard } from '../ui/use-draft.ts'

type Props = {
  /** None: the answer was lost on its way, and a repeated one does not hold it. */
  secret: string | null
  /** Whose it is, and what it is for. */
  children: ReactNode
  /** What one has to do without it. */
  otherwise: string
  onKept: () => void
}

/** A new secret, this once. Whoever leaves without having copied it is asked. */
export function SecretOnce({ secret, children, otherwise, onKept }: Props) {
  const { t } = useLingui()
  const [isCopied, setCopied] = useState(false)
  const guard = useLeaveGuard(secret !== null && !isCopied)
  if (secret === null)
    return (
      <Notice
        title={t`It is done, but its secret was lost on the way.`}
        action={<Button look="small" onClick={onKept}>{t`Understood`}</Button>}
      >
        {otherwise}
      </Notice>
    )
  return (
    <section className="section secret-once" aria-label={t`The secret`}>
      <p>{children}</p>
      <Field
        label={t`Secret`}
        className="mono"
        readOnly
        value={secret}
        hint={t`It is shown now and never again: put it where your program reads it, and nowhere else.`}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onCopy={() => setCopied(true)}
      />
      <div className="acts">
        <CopyButton look={isCopied ? undefined : 'main'} text={secret} onCopied={() => setCopied(true)}>
          {t`Copy the secret`}
        </CopyButton>
        <Button look={isCopied ? 'main' : undefined} onClick={onKept}>{t`Done`}</Button>
      </div>
      <Dialog open={guard.status === 'blocked'} onClose={() => guard.reset?.()} title={t`Leave without the secret?`}>
        <p className="soft">
          <Trans>It is not shown again.</Trans> {otherwise}
        </p>
        <div className="acts">
          <Button look="quiet" onClick={() => guard.proceed?.()}>{t`Leave without it`}</Button>
          <Button look="main" onClick={() => guard.reset?.()}>{t`Stay`}</Button>
        </div>
      </Dialog>
    </section>
  )
}
