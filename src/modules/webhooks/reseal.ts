import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'

const BATCH = 500

/** Seals the secrets of a cell's endpoints under the current SECRET_KEY. */
export async function resealEndpoints(db: Db, box: SecretBox): Promise<void> {
  for (let last = { businessId: '', id: '' }; ; ) {
    const rows = await transaction(db, async (tx) => {
      const found = await tx
        .selectFrom('webhooks.endpoints')
        .select(['businessId', 'id', 'secret', 'oldSecret'])
        .where((row) => row(row.refTuple('businessId', 'id'), '>', row.tuple(last.businessId, last.id)))
        .orderBy('businessId')
        .orderBy('id')
        .limit(BATCH)
        .forUpdate()
        .execute()
      for (const { businessId, id, secret, oldSecret } of found) {
        await tx
          .updateTable('webhooks.endpoints')
          .set({ secret: reseal(box, secret, id), oldSecret: oldSecret && reseal(box, oldSecret, id) })
          .where((row) => row.and({ businessId, id }))
          .execute()
      }
      return found
    })
    last = rows.at(-1) ?? last
    if (rows.length < BATCH) return
  }
}

/** There are few of them. */
export const resealOperatorEndpoints = (control: ControlDb, box: SecretBox) =>
  transaction(control, async (tx) => {
    const rows = await tx.selectFrom('webhooks.operatorEndpoints').select(['id', 'secret']).forUpdate().execute()
    for (const { id, secret } of rows) {
      await tx
        .updateTable('webhooks.operatorEndpoints')
        .set({ secret: reseal(box, secret, id) })
        .where('id', '=', id)
        .execute()
    }
  })

function reseal(box: SecretBox, sealed: Uint8Array, id: string): Buffer {
  const plain = box.open(sealed)
  if (!plain) throw new Error(`No SECRET_KEY given opens the secret of the webhook endpoint ${id}.`)
  return box.seal(plain)
}
