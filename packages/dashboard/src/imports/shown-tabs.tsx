import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useFormat } from '../session/use-format.ts'
import { Count, Tabs } from '../ui/tabs.tsx'
import type { Shown } from './search.ts'
import type { Import } from './types.ts'

const route = getRouteApi('/signed-in/$business/products/imports/$import')

/** Parts of the report, each an address; those with nothing in them are left out. */
export function ShownTabs({ of: one }: { of: Import }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { show } = route.useSearch()
  const isTry = one.status === 'READY'
  const isUndone = one.status === 'UNDONE' || one.status === 'UNDOING'
  const tabs: { name: Shown | undefined; label: string; count: number; person?: boolean }[] = [
    { name: undefined, label: t`All that are right`, count: one.total - one.failed },
    { name: 'created', label: isTry ? t`New` : t`Made`, count: isUndone ? 0 : one.created },
    { name: 'changed', label: isTry ? t`Change` : t`Changed`, count: isUndone ? 0 : one.updated },
    { name: 'same', label: t`Stay`, count: one.unchanged },
    { name: 'skipped', label: t`Left alone`, count: one.skipped, person: true },
    { name: 'undone', label: t`Put back`, count: one.undone },
    { name: 'kept', label: t`Changed since, not put back`, count: one.kept, person: true },
  ]
  return (
    <Tabs label={t`Which`}>
      {tabs
        .filter(({ name, count }) => name === undefined || name === show || count > 0)
        .map(({ name, label, count, person = false }) => (
          <route.Link
            key={label}
            to="."
            search={{ show: name }}
            aria-current={name === show ? 'page' : undefined}
            resetScroll={false}
          >
            {label} <Count person={person}>{number(count)}</Count>
          </route.Link>
        ))}
    </Tabs>
  )
}
