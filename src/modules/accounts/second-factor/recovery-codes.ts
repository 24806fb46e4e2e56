import { randomInt } from 'node:crypto'
import { hashToken } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'

const CODES = 10
const LENGTH = 16 // 80 bits: too many to guess, so that a plain hash will do
const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ' // without 0, 1, I and O, which look alike

const newCode = () =>
  Array.from(
    { length: LENGTH },
    (_, at) => `${at > 0 && at % 4 === 0 ? '-' : ''}${LETTERS[randomInt(LETTERS.length)]}`,
  ).join('')

/** Whatever people type between the letters. */
const hashOf = (userId: string, code: string) =>
  hashToken(`${userId}:${code.toUpperCase().replaceAll(/[^0-9A-Z]/g, '')}`)

/** Ten new ones; those before no longer work. They are shown this once: only hashes are stored. */
export async function replaceRecoveryCodes(tx: ControlTx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  await tx.deleteFrom('accounts.recoveryCodes').where('userId', '=', userId).execute()
  await tx
    .insertInto('accounts.recoveryCodes')
    .values(codes.map((code) => ({ userId, codeHash: hashOf(userId, code) })))
    .execute()
  return codes
}

/** Whether it was one of theirs, which it then no longer is. Of many who use it at once, one wins. */
export async function useRecoveryCode(tx: ControlTx, userId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('accounts.recoveryCodes')
    .where((row) => row.and({ userId, codeHash: hashOf(userId, code) }))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
