import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { addressKey } from '#platform/http/rate-limit.ts'
import { tooManyAttempts } from '../errors.ts'

/** `ofAddress`: limits a client address and protects no account; lifted for load tests. */
export type Limit = { key: string; most: number; seconds: number; ofAddress?: true }

/** Rate limits against guessing. They live in the database, so they hold across processes and restarts. */
export type Attempts = {
  /** Counts before the attempt, so that racing does not help. Throws 429 when a limit is exceeded. */
  count(...limits: Limit[]): Promise<void>
  /** Gives an attempt back that turned out not to be a guess. */
  forgive(...limits: Limit[]): Promise<void>
  /** Counts within a transaction: a rollback undoes it. */
  on(tx: ControlTx): Attempts
  /** Forgets all attempts, after the protected user has proven their identity. */
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
          throw tooManyAttempts({
            seconds: Math.max(1, Math.ceil((row.resetsAt.getTime() - now().getTime()) / 1000)),
          })
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

/** A fingerprint: neither addresses nor phone numbers of strangers are stored. */
const fingerprint = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22)

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

export const loginLimits = (account: string, address: string): Limit[] => [
  { key: `login:${fingerprint(account)}:${addressKey(address)}`, most: 10, seconds: MINUTE },
  dailyLoginLimit(account),
]
/** Per account, from any address. */
export const dailyLoginLimit = (account: string): Limit => ({
  key: `login:${fingerprint(account)}`,
  most: 100,
  seconds: DAY,
})
/** Per account and address, where the account has logged in from that address before; others may share it. */
export const knownAddressLimit = (account: string, address: string): Limit => ({
  key: `login-known:${fingerprint(account)}:${addressKey(address)}`,
  most: 300,
  seconds: DAY,
})
/** Per address, for all accounts: trying one password on many accounts (spraying) is guessing, too. */
export const sprayLimit = (address: string): Limit => ({
  key: `login-from:${addressKey(address)}`,
  most: 50,
  seconds: HOUR,
  ofAddress: true,
})
/**
 * Per account, from any address, or at one address where it has shown its factor before. Apart from passwords, of which
 * whoever guesses codes knows the right one. Ten wrong ones an hour, because six digits are soon guessed.
 */
export function factorLimits(kind: 'code' | 'recovery-code', userId: string, knownAddress: string | undefined) {
  const key = `factor-${kind}:${userId}${knownAddress === undefined ? '' : `:${addressKey(knownAddress)}`}`
  return {
    perMinute: { key: `${key}:minute`, most: 10, seconds: MINUTE },
    wrong: { key: `${key}:wrong`, most: 10, seconds: HOUR },
    perDay: { key: `${key}:day`, most: 100, seconds: DAY },
  } satisfies Record<string, Limit>
}
/** Failed logins of an account that are audited: the first ten of a day, then one a minute. */
export const auditLimits = (account: string): [Limit, Limit] => [
  { key: `login-noted:${fingerprint(account)}`, most: 10, seconds: DAY },
  { key: `login-noted-again:${fingerprint(account)}`, most: 1, seconds: MINUTE },
]
export const mailLimits = (kind: 'register' | 'confirm' | 'reset', address: string, email: string): Limit[] => [
  { key: `mail:${addressKey(address)}`, most: 20, seconds: HOUR, ofAddress: true },
  { key: `mail-to:${kind}:${fingerprint(email)}`, most: 5, seconds: HOUR },
]
/** Attempts to register, those with weak passwords too: judging a password takes milliseconds. */
export const registerLimit = (address: string): Limit => ({
  key: `register:${addressKey(address)}`,
  most: 60,
  seconds: HOUR,
  ofAddress: true,
})
export const smsLimits = (number: string, userId: string, address: string): Limit[] => [
  { key: `sms:${fingerprint(number)}`, most: 1, seconds: MINUTE },
  { key: `sms-day:${fingerprint(number)}`, most: 5, seconds: DAY },
  // Per sender as well, against SMS pumping: codes to ever new numbers at the operator's cost.
  { key: `sms-user:${userId}`, most: 10, seconds: DAY },
  { key: `sms-from:${addressKey(address)}`, most: 60, seconds: HOUR, ofAddress: true },
]
/** Per address and shop. Whoever names ever new shops meets the limit for all of them. */
export const guestLimits = (address: string, businessId: string | undefined, most: number): Limit[] => [
  { key: `guest:${addressKey(address)}:${businessId ?? ''}`, most, seconds: HOUR, ofAddress: true },
  { key: `guest:${addressKey(address)}`, most: most * 10, seconds: HOUR, ofAddress: true },
]
/** Invited people have not asked for mail. The address comes last, because businesses share it. */
export const invitationLimits = (businessId: string, email: string): Limit[] => [
  { key: `invite-by:${businessId}`, most: 200, seconds: DAY },
  { key: `invite:${businessId}:${fingerprint(email.toLowerCase())}`, most: 3, seconds: DAY },
  { key: `invite:${fingerprint(email.toLowerCase())}`, most: 5, seconds: DAY },
]
/** Mails about orders by hand: whoever gets them may not have asked for anything. */
export const claimLimits = (businessId: string, email: string): Limit[] => [
  { key: `claim-by:${businessId}`, most: 500, seconds: DAY },
  { key: `claim:${businessId}:${fingerprint(email.toLowerCase())}`, most: 3, seconds: DAY },
  { key: `claim:${fingerprint(email.toLowerCase())}`, most: 5, seconds: DAY },
]
/** Whole exports: each reads all orders of a person. */
export const exportLimit = (userId: string): Limit => ({ key: `export:${userId}`, most: 5, seconds: DAY })
/** Scanners of public text report many keys at once, from few addresses. */
export const revokeLimit = (address: string): Limit => ({
  key: `revoke-key:${addressKey(address)}`,
  most: 60,
  seconds: MINUTE,
  ofAddress: true,
})
export const providerLimit = (businessId: string): Limit => ({
  key: `sign-in-provider:${businessId}`,
  most: 30,
  seconds: HOUR,
})
export const calloutTestLimit = (businessId: string): Limit => ({
  key: `callout-test:${businessId}`,
  most: 10,
  seconds: MINUTE,
})
export const domainLimit = (businessId: string): Limit => ({
  key: `sign-in-domain:${businessId}`,
  most: 60,
  seconds: HOUR,
})
export const staffLogoutLimit = (businessId: string, address: string): Limit => ({
  key: `staff-logout:${businessId}:${addressKey(address)}`,
  most: 300,
  seconds: MINUTE,
})
export const pingLimit = (endpointId: string): Limit => ({
  key: `webhook-ping:${endpointId}`,
  most: 10,
  seconds: MINUTE,
})
export const businessLimit = (userId: string, most: number): Limit => ({
  key: `business:${userId}`,
  most,
  seconds: DAY,
})
