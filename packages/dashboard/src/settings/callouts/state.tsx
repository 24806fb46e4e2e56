import { useLingui } from '@lingui/react/macro'
import { Status } from '../../ui/status.tsx'
import type { Callout } from './words.ts'

export function CalloutState({ of: callout }: { of: Callout | undefined }) {
  const { t } = useLingui()
  if (!callout) return <Status fill="ring">{t`Not set up`}</Status>
  if (!callout.isEnabled) return <Status fill="off">{t`Switched off`}</Status>
  return <Status tone="good">{t`Is asked`}</Status>
}
