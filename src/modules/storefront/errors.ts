import { invalid } from '#vocabulary/define-refusal.ts'

export const marketUnknown = invalid('market', 'NOT_FOUND', 'This shop has no market {market}.')
