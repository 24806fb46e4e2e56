import { useLingui } from '@lingui/react'
import { usePermissions } from '../session/permissions.ts'
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
