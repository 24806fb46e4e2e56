import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
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
  /** The same, counted in a transaction: what is undone does not count. */
  on(tx: ControlTx): Attempts
  /** Forgets all attempts: whoever this protects has shown that it is them. */
  clear(...limits: Limit[]): Promise<void>
}

export function createAttempts(db: ControlDb, { addresses }: { addresses: boolean }): Attempts {
  return {
    on: (tx) => createAttempts(tx, { addresses }),
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
    async clear(...limits) {
      const keys = limits.map(({ key }) => key)
      await db.deleteFrom('accounts.attempts').where('key', 'in', keys).execute()
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
  dailyLoginLimit(account),
]
/** At one account, from anywhere. */
export const dailyLoginLimit = (account: string): Limit => ({ key: `login:${print(account)}`, most: 100, seconds: DAY })
/** From one address, at any account: one password tried on many accounts is guessing, too. */
export const sprayLimit = (address: string): Limit => ({
  key: `login-from:${addressKey(address)}`,
  most: 50,
  seconds: HOUR,
  ofAddress: true,
})
/** Failed logins of one account that are written down: the first ten of a day, then one a minute. */
export const auditLimits = (account: string): [Limit, Limit] => [
  { key: `login-noted:${print(account)}`, most: 10, seconds: DAY },
  { key: `login-noted-again:${print(account)}`, most: 1, seconds: MINUTE },
]
export const mailLimits = (kind: 'register' | 'confirm' | 'reset', address: string, email: string): Limit[] => [
  { key: `mail:${addressKey(address)}`, most: 20, seconds: HOUR, ofAddress: true },
  { key: `mail-to:${kind}:${print(email)}`, most: 5, seconds: HOUR },
]
/** Tries to register, weak passwords too: judging one takes some milliseconds. */
export const registerLimit = (address: string): Limit => ({
  key: `register:${addressKey(address)}`,
  most: 60,
  seconds: HOUR,
  ofAddress: true,
})
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
/** Who is invited has not asked for it. The address comes last: it is what businesses share. */
export const invitationLimits = (businessId: string, email: string): Limit[] => [
  { key: `invite-by:${businessId}`, most: 200, seconds: DAY },
  { key: `invite:${businessId}:${print(email.toLowerCase())}`, most: 3, seconds: DAY },
  { key: `invite:${print(email.toLowerCase())}`, most: 5, seconds: DAY },
]
export const businessLimit = (userId: string, most: number): Limit => ({
  key: `business:${userId}`,
  most,
  seconds: DAY,
})
