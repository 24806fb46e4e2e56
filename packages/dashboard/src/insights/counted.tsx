import { Plural, Trans } from '@lingui/react/macro'
import { useFormat } from '../session/use-format.ts'
import { useCounted } from './use-counted.ts'

type Props = { upToEvent: number | undefined; readAgain: () => unknown }

/** Up to where the figures are, only while that is not all. */
export function Counted({ upToEvent, readAgain }: Props) {
  const { number } = useFormat()
  const { behind, isRebuilding } = useCounted(upToEvent, readAgain)
  if (isRebuilding)
    return (
      <p className="note" role="status">
        <Trans>Reports are being rebuilt. Figures are incomplete until then.</Trans>
      </p>
    )
  if (behind === 0 || upToEvent === undefined) return null
  return (
    <p className="note" role="status">
      <Trans>
        Counted up to event {number(upToEvent)}; <Plural value={behind} one="# newer one" other="# newer ones" /> on the
        way.
      </Trans>
    </p>
  )
}
