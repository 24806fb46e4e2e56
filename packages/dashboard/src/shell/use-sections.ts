import { useLingui } from '@lingui/react'
import { useMatches } from '@tanstack/react-router'
import { type Permission, usePermissions } from '../session/permissions.ts'
import { SECTIONS } from './sections.ts'

/** The sections of which this person may see anything, with their names. */
export function useSections() {
  const { i18n } = useLingui()
  const { mayAny } = usePermissions()
  return SECTIONS.filter(({ needs }) => needs.length === 0 || mayAny(...needs)).map((section) => ({
    ...section,
    name: i18n._(section.label),
  }))
}

/** What the screen of this address needs that this person has not; undefined if they may see it. */
export function useLacking(): Permission | undefined {
  const { mayAny } = usePermissions()
  const place = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' })
  const section = SECTIONS.find(({ to, needs }) => needs.length > 0 && `${place}/`.startsWith(`${to}/`))
  return section && !mayAny(...section.needs) ? section.needs[0] : undefined
}
