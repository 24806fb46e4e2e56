import type { Permission } from '../../session/permissions.ts'

export const DURATIONS = ['30 days', '90 days', '1 year', 'never'] as const
export type Duration = (typeof DURATIONS)[number]

/** What was chosen. `businessId` empty: all of one's businesses. */
export type Wanted = {
  name: string
  businessId: string
  isWhole: boolean
  permissions: Permission[]
  duration: Duration
}

/** Little, and not for ever. */
export const firstWanted = (businessId: string): Wanted => ({
  name: '',
  businessId,
  isWhole: false,
  permissions: [],
  duration: '90 days',
})

const DAYS = { '30 days': 30, '90 days': 90, '1 year': 365 }
const DAY_SECONDS = 86_400

/** In Unix seconds; null: it has no end. */
export const expiryOf = (duration: Duration, nowMs: number): number | null =>
  duration === 'never' ? null : Math.floor(nowMs / 1_000) + DAYS[duration] * DAY_SECONDS
