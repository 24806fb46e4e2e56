import { useLingui } from '@lingui/react/macro'
import { useFormat } from '../session/use-format.ts'
import { Dot, Status } from '../ui/status.tsx'
import { useLive } from './live.tsx'
import { useIsOnline } from './use-is-online.ts'

/** Whether the service can be reached, as far as the feed of events and the browser know. */
export function useConnection(): 'connected' | 'waiting' | 'offline' {
  const isOnline = useIsOnline()
  const { state } = useLive()
  if (!isOnline || state === 'offline') return 'offline'
  return state === 'waiting' ? 'waiting' : 'connected'
}

/** Whether the screen shows the latest data, as a label with a dot. */
export function useUpToDate() {
  const { t } = useLingui()
  const { state, number, at } = useLive()
  const connection = useConnection()
  const format = useFormat()
  const event = format.number(number)
  const time = format.time(at / 1_000)
  if (connection === 'offline') {
    const words = state === 'offline' ? t`Offline. Showing data from ${time}` : t`Offline`
    return { words, fill: 'unknown', tone: 'wait' } as const
  }
  if (connection === 'waiting')
    return { words: t`Not connected. Showing data from ${time}`, fill: 'unknown', tone: 'wait' } as const
  if (state === 'live' || state === 'polling')
    return { words: t`Up to date at event ${event}`, fill: 'full', tone: 'good' } as const
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

/** Announces a lost connection; floats over the page where the navigation has no room for it. */
export function ConnectionStatus() {
  const connection = useConnection()
  const { words, fill, tone } = useUpToDate()
  return (
    <div className="connection" role="status">
      {connection !== 'connected' && (
        <Status fill={fill} tone={tone}>
          {words}
        </Status>
      )}
    </div>
  )
}
