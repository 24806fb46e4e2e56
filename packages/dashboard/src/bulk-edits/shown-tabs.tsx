import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useFormat } from '../session/use-format.ts'
import { Count, Tabs } from '../ui/tabs.tsx'
import type { Shown } from './search.ts'
import type { BulkEdit } from './types.ts'

const route = getRouteApi('/signed-in/$business/bulk-edits/$edit')

/** Parts of the list, each an address; those with nothing in them are left out. */
export function ShownTabs({ edit }: { edit: BulkEdit }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { show } = route.useSearch()
  const changing =
    edit.status === 'READY' || edit.status === 'FAILED'
      ? { name: 'changing' as const, label: t`Change`, count: edit.changing }
      : edit.status === 'UNDONE' || edit.status === 'UNDOING'
        ? { name: 'changing' as const, label: t`Put back`, count: edit.undone }
        : { name: 'changing' as const, label: t`Changed`, count: edit.applied - edit.undone - edit.kept }
  const tabs: { name: Shown | undefined; label: string; count: number; person?: boolean }[] = [
    { name: undefined, label: t`All`, count: edit.total },
    { name: 'warned', label: t`Look first`, count: edit.warned, person: true },
    changing,
    { name: 'same', label: t`Stay`, count: edit.unchanged },
    { name: 'refused', label: t`Cannot change`, count: edit.refused },
    { name: 'skipped', label: t`Skipped`, count: edit.skipped, person: true },
    { name: 'kept', label: t`Left alone`, count: edit.kept, person: true },
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
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
            resetScroll={false}
          >
            {label} <Count person={person}>{number(count)}</Count>
          </route.Link>
        ))}
    </Tabs>
  )
}
