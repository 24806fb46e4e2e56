import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { addressKey } from '#platform/http/rate-limit.ts'
import { rateLimited } from '#vocabulary/errors.ts'

/** `ofAddress`: counts whoever comes from there, and guards no account; lifted for load tests. */
export type Limit = { key: string; most: number; seconds: number; ofAddress?: true }

/** Limits on guessing live in the database: they hold across processes and restarts. */
export type Attempts = {
  /** Counts before anything is tried, so that racing does not help. Throws 429 when one of the limits is passed. */
  count(...limits: Limit[]): Promise<void>
  /** Gives an attempt back: it was no guess after all. */
  forgive(...limits: Limit[]): Promise<void>
}

export function createAttempts(db: ControlDb, { addresses }: { addresses: boolean }): Attempts {
  return {
    async count(...limits) {
      for (const { key, most, seconds, ofAddress } of limits) {
        if (ofAddress && !addresses) continue
        const until = new Date(now().getTime() + seconds * 1000)
        const { rows } = await sql<{ count: number; resetsAt: Date }>`
          insert into accounts.attempts as known (key, count, resets_at) values (${key}, 1, ${until})
          on conflict (key) do update
            set count = case when known.resets_at <= ${now()} then 1 else known.count + 1 end,
                resets_at = case when known.resets_at <= ${now()} then excluded.resets_at else known.resets_at end
          returning count, resets_at`.execute(db)
        const [row] = rows
        if (row && row.count > most)
          throw rateLimited(Math.max(1, Math.ceil((row.resetsAt.getTime() - now().getTime()) / 1000)))
      }
    },
    async forgive(...limits) {
      const keys = limits.map(({ key }) => key)
      await sql`update accounts.attempts set count = greatest(0, count - 1) where key = any(${keys})`.execute(db)
    },
  }
}

/** Neither addresses nor phone numbers of strangers are kept: only what recognises them. */
const print = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22)

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

export const loginLimits = (account: string, address: string): Limit[] => [
  { key: `login:${print(account)}:${addressKey(address)}`, most: 10, seconds: MINUTE },
  { key: `login:${print(account)}`, most: 100, seconds: DAY },
]
export const mailLimits = (kind: 'register' | 'confirm' | 'reset', address: string, email: string): Limit[] => [
  { key: `mail:${addressKey(address)}`, most: 20, seconds: HOUR, ofAddress: true },
  { key: `mail-to:${kind}:${print(email)}`, most: 5, seconds: HOUR },
]
export const smsLimits = (number: string, userId: string, address: string): Limit[] => [
  { key: `sms:${print(number)}`, most: 1, seconds: MINUTE },
  { key: `sms-day:${print(number)}`, most: 5, seconds: DAY },
  // Per sender as well: codes to ever new numbers would be somebody's business, at the operator's cost.
  { key: `sms-user:${userId}`, most: 10, seconds: DAY },
  { key: `sms-from:${addressKey(address)}`, most: 60, seconds: HOUR, ofAddress: true },
]
export const guestLimits = (address: string, most: number): Limit[] => [
  { key: `guest:${addressKey(address)}`, most, seconds: HOUR, ofAddress: true },
]
