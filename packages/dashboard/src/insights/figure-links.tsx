import type { ReactNode } from 'react'
import { Delta } from './delta.tsx'
import type { Figure } from './search.ts'
import { route } from './use-insights.ts'

export type Shown = { id: Figure; name: string; value: ReactNode; now: number; before: number; isBad?: boolean }

/** The sums of the time, against the time before; the one that is chosen is drawn below. */
export function FigureLinks({ label, figures, chosen }: { label: string; figures: readonly Shown[]; chosen: Figure }) {
  return (
    <nav className="figures choose" aria-label={label}>
      {figures.map(({ id, name, value, now, before, isBad }, index) => (
        <route.Link
          key={id}
          className="figure"
          to="/$business/insights"
          params={(now) => now}
          search={(now) => ({ ...now, figure: index === 0 ? undefined : id })}
          resetScroll={false}
          aria-current={id === chosen ? 'true' : undefined}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          <span className="name">{name}</span>
          <span className="value">{value}</span>
          <Delta now={now} before={before} isBad={isBad ?? false} />
        </route.Link>
      ))}
    </nav>
  )
}
