import { useLingui } from '@lingui/react/macro'
import { Status } from '../ui/status.tsx'
import type { Level } from './level.ts'

/** Whether there is enough of it, in a word. */
export function State({ level: { tracked, quantity, lowStockThreshold } }: { level: Level }) {
  const { t } = useLingui()
  if (!tracked) return <Status fill="off">{t`Not tracked`}</Status>
  if (quantity === 0) return <Status fill="off" tone="alert">{t`Empty`}</Status>
  if (lowStockThreshold !== null && quantity <= lowStockThreshold)
    return <Status fill="half" tone="alert">{t`Low`}</Status>
  return <Status fill="full" tone="good">{t`In stock`}</Status>
}
