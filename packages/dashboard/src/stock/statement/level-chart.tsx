import { Trans, useLingui } from '@lingui/react/macro'
import { useFormat } from '../../session/use-format.ts'
import type { Step } from './balance.ts'

/** Of less than this there is nothing to see. */
const LEAST_SECONDS = 3_600

/** How much there was, as steps. The SVG is stretched, its labels are text of the page. */
export function LevelChart({ steps, low, now }: { steps: readonly Step[]; low: number | null; now: number }) {
  const { t } = useLingui()
  const { number, short } = useFormat()
  const [first] = steps
  const last = steps.at(-1)
  if (!first || !last || now - first.at < LEAST_SECONDS) return null
  const most = Math.max(low ?? 0, ...steps.map(({ quantity }) => quantity), 1) * 1.1
  const x = (at: number) => ((at - first.at) / Math.max(1, now - first.at)) * 1_000
  const y = (quantity: number) => 100 - (quantity / most) * 100
  const line = steps.slice(1).map(({ at, quantity }) => `H${x(at).toFixed(1)}V${y(quantity).toFixed(1)}`)
  const path = `M0 ${y(first.quantity).toFixed(1)}${line.join('')}H1000`
  return (
    <figure
      className="level"
      aria-label={t`From ${number(first.quantity)} to ${number(last.quantity)} since ${short(first.at)}`}
    >
      <svg className="chart" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        <path className="fill" d={`${path}V100H0Z`} />
        <path className="now" vectorEffect="non-scaling-stroke" d={path} />
        {low !== null && <path className="lowline" vectorEffect="non-scaling-stroke" d={`M0 ${y(low)}H1000`} />}
        <path className="base" vectorEffect="non-scaling-stroke" d="M0 100H1000" />
      </svg>
      <span className="from">{short(first.at)}</span>
      <span className="to">
        <Trans>Now</Trans>
      </span>
      {low !== null && (
        <span className="low" style={{ top: `${y(low)}%` }}>
          <Trans>low at {number(low)}</Trans>
        </span>
      )}
      <span className="last" style={{ top: `${y(last.quantity)}%` }}>
        {number(last.quantity)}
      </span>
    </figure>
  )
}
