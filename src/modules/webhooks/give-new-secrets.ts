import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Tx } from '#platform/database/database.ts'
import { newSigningSecret } from '#platform/outgoing/signing.ts'

/** After an import, which brings none: each endpoint has a secret that nobody knows, until somebody rotates it. */
export async function giveNewSecrets(tx: Tx, box: SecretBox, businessId: string): Promise<void> {
  const rows = await tx.selectFrom('webhooks.endpoints').select('id').where('businessId', '=', businessId).execute()
  for (const { id } of rows) {
    await tx
      .updateTable('webhooks.endpoints')
      .set({ secret: box.seal(Buffer.from(newSigningSecret())) })
      .where((endpoint) => endpoint.and({ businessId, id }))
      .execute()
  }
}
