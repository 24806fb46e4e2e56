import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useFormat } from '../../session/use-format.ts'
import { Notice } from '../../ui/notice.tsx'
import type { OrderSearch } from './search.ts'

type Props = { moments: readonly number[]; at: number; onMove: (at: number | undefined) => void }

/** The order as it was: a slider over the moments at which something happened. */
export function Past({ moments, at, onMove }: Props) {
  const { t } = useLingui()
  const format = useFormat()
  const last = moments.length - 1
  const index = Math.max(
    moments.findLastIndex((moment) => moment <= at),
    0,
  )
  const shown = `${format.date(at)}, ${format.time(at)}`
  return (
    <div className="past">
      <Notice
        tone="calm"
        title={t`As it was on ${shown}, moment ${index + 1} of ${moments.length}`}
        action={
          <Link
            from="/$business/orders/$order"
            search={(before: OrderSearch) => ({ ...before, at: undefined })}
            resetScroll={false}
            replace
            className="button small"
          >
            {t`Back to now`}
          </Link>
        }
      >
        <Trans>State, parcels and money are those of then. Lines, addresses and tags are those of now.</Trans>
      </Notice>
      <input
        type="range"
        className="slider"
        aria-label={t`Moment`}
        aria-valuetext={shown}
        min={0}
        max={last}
        value={index}
        onChange={(event) => onMove(moments[Number(event.target.value)])}
      />
    </div>
  )
}
