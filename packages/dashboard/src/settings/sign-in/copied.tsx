import { useLingui } from '@lingui/react/macro'
import { CopyButton } from '../../ui/copy-button.tsx'

/** Something to be put in elsewhere: what it is, as it is, and a button that copies it. */
export function Copied({ label, text }: { label: string; text: string }) {
  const { t } = useLingui()
  return (
    <div className="copied">
      <span className="label">{label}</span>
      <code>{text}</code>
      <CopyButton look="small" text={text}>
        {t`Copy`}
        <span className="unseen">: {label}</span>
      </CopyButton>
    </div>
  )
}
