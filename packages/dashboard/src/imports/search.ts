import { oneOf, type Search } from '../shell/search.ts'

export const SHOWN = ['created', 'changed', 'same', 'skipped', 'undone', 'kept'] as const
export type Shown = (typeof SHOWN)[number]

export const readImportSearch = (search: Search): { show?: Shown | undefined } => ({ show: oneOf(search.show, SHOWN) })
