import { useLingui } from '@lingui/react/macro'
import { ChartColumn, Download, Table2 } from 'lucide-react'
import { type CsvCell, toCsv } from '../../../../src/platform/transfer/csv-cells.ts'
import { useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { saveFile } from '../ui/save-file.ts'
import { route, useInsights } from './use-insights.ts'

/** The chart, or the table behind it. */
export function AsSwitch() {
  const { t } = useLingui()
  const { search } = useInsights()
  const ways = [
    { as: undefined, name: t`Chart`, icon: ChartColumn },
    { as: 'table' as const, name: t`Table`, icon: Table2 },
  ]
  return (
    <nav className="segment" aria-label={t`Shown as`}>
      {ways.map(({ as, name, icon }) => (
        <route.Link
          key={name}
          to="/$business/insights"
          params={(now) => now}
          search={(now) => ({ ...now, as })}
          resetScroll={false}
          aria-current={as === search.as ? 'true' : undefined}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          <Icon of={icon} />
          {name}
        </route.Link>
      ))}
    </nav>
  )
}

/** Saves the table as it stands there. */
export function SaveTable({ name, rows }: { name: string; rows: () => CsvCell[][] }) {
  const { t } = useLingui()
  const { slug } = useBusiness()
  const { period } = useInsights()
  const save = () =>
    saveFile(
      new Blob([`\u{feff}${toCsv(rows())}`], { type: 'text/csv;charset=utf-8' }),
      `${slug}-${name}-${period.first}-${period.last}.csv`,
    )
  return <Button look="small" icon={Download} onClick={save}>{t`CSV`}</Button>
}
