import type { ControlDb, ControlTx } from '#platform/database/database.ts'

export const METHODS = ['TOTP', 'PASSKEY', 'RECOVERY_CODE'] as const
export type Method = (typeof METHODS)[number]

/**
 * The ways in which this account can show its second factor; none if it has none. A passkey is a way to show it, and a
 * way to log in, but makes no login ask for more than before: a lost phone would lock its owner out.
 */
export async function listMethods(db: ControlDb, userId: string): Promise<Method[]> {
  const found = await db
    .selectFrom('accounts.secondFactors')
    .select((row) => [
      row
        .exists(row.selectFrom('accounts.passkeys').select('id').where('accounts.passkeys.userId', '=', userId))
        .as('hasPasskey'),
      row
        .exists(
          row.selectFrom('accounts.recoveryCodes').select('userId').where('accounts.recoveryCodes.userId', '=', userId),
        )
        .as('hasCodes'),
    ])
    .where('userId', '=', userId)
    .where('confirmedAt', 'is not', null)
    .executeTakeFirst()
  if (!found) return []
  return [
    'TOTP',
    ...(found.hasPasskey ? ['PASSKEY' as const] : []),
    ...(found.hasCodes ? ['RECOVERY_CODE' as const] : []),
  ]
}

/** Locks the account, so that its logins and its changes of factors happen one after another. */
export const lockUser = (tx: ControlTx, userId: string) =>
  tx
    .selectFrom('accounts.users')
    .select(['id', 'email', 'suspendedAt'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirst()

/** Whether anything is left that can show a second factor. */
export async function hasAnyFactor(tx: ControlTx, userId: string): Promise<boolean> {
  const passkey = await tx.selectFrom('accounts.passkeys').select('id').where('userId', '=', userId).executeTakeFirst()
  return passkey !== undefined || (await listMethods(tx, userId)).length > 0
}
