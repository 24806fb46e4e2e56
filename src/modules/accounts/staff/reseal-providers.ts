import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'

/** Seals the secrets of all providers again under the first SECRET_KEY, after a rotation. One for each business at most. */
export async function resealProviders(tx: ControlTx, box: SecretBox): Promise<void> {
  const rows = await tx
    .selectFrom('accounts.signInProviders')
    .select(['businessId', 'sealedSecret'])
    .orderBy('businessId')
    .forUpdate()
    .execute()
  for (const { businessId, sealedSecret } of rows) {
    const plain = box.open(sealedSecret)
    if (!plain) throw new Error(`No SECRET_KEY given opens the secret of the sign-in provider of ${businessId}.`)
    await tx
      .updateTable('accounts.signInProviders')
      .set({ sealedSecret: box.seal(plain) })
      .where('businessId', '=', businessId)
      .execute()
  }
}
