import { useLingui } from '@lingui/react/macro'
import { Check, Copy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { toast } from './toast.tsx'

/** Copies, and says so where it was pressed. */
export function CopyButton({
  text,
  look,
  children,
  onCopied,
}: {
  text: string
  look?: 'main' | 'small' | undefined
  children: ReactNode
  onCopied?: () => void
}) {
  const { t } = useLingui()
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true)
        onCopied?.()
      },
      () => toast(t`This browser does not let pages copy. Select the text, and copy it yourself.`),
    )
  return (
    <Button look={look} icon={isCopied ? Check : Copy} onClick={() => void copy()}>
      {isCopied ? t`Copied` : children}
    </Button>
  )
}
