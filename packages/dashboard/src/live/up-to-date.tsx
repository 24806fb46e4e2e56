import { useLingui } from '@lingui/react/macro'
import { useFormat } from '../session/use-format.ts'
import { Dot } from '../ui/status.tsx'
import { useLive } from './live.tsx'

/** Whether what is on the screen is what is so, in words. */
export function useUpToDate() {
  const { t } = useLingui()
  const { state, number, at } = useLive()
  const format = useFormat()
  const event = format.number(number)
  const time = format.time(at / 1_000)
  if (state === 'live' || state === 'polling')
    return { words: t`Up to date at event ${event}`, fill: 'full', tone: 'good' } as const
  if (state === 'waiting') return { words: t`Not connected, as of ${time}`, fill: 'unknown', tone: 'wait' } as const
  if (state === 'off') return { words: t`Read when it is opened`, fill: 'ring', tone: 'soft' } as const
  return { words: t`Connecting`, fill: 'unknown', tone: 'soft' } as const
}

export function UpToDate() {
  const { words, fill, tone } = useUpToDate()
  return (
    <span className="status">
      <Dot fill={fill} tone={tone} live={fill === 'full'} />
      {words}
    </span>
  )
}
