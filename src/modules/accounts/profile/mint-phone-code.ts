import { randomInt } from 'node:crypto'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'

/** Created by the worker that sends it; only a keyed hash is stored. Undefined when the request for it is gone. */
export async function mintPhoneCode(
  tx: ControlTx,
  box: SecretBox,
  { userId, number }: { userId: string; number: string },
) {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const { numUpdatedRows } = await tx
    .updateTable('accounts.phoneCodes')
    .set({ codeHash: hashCode(box, userId, number, code)[0] ?? null })
    .where((row) => row.and({ userId, number }))
    .where('expiresAt', '>', now())
    .executeTakeFirst()
  return numUpdatedRows > 0n ? code : undefined
}

export const hashCode = (box: SecretBox, userId: string, number: string, code: string) =>
  box.hashes('phone-code', `${userId}:${number}:${code}`)
