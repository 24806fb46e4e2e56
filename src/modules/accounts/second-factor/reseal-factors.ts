import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'

const BATCH = 1_000

/** Seals every secret again under the first SECRET_KEY, after a rotation, in short batches. Returns how many there are. */
export async function resealFactors(control: ControlDb, box: SecretBox): Promise<number> {
  let [sealed, last] = [0, '']
  for (;;) {
    const ids = await transaction(control, (tx) => resealSome(tx, box, last))
    sealed += ids.length
    last = ids.at(-1) ?? last
    if (ids.length < BATCH) return sealed
  }
}

async function resealSome(tx: ControlTx, box: SecretBox, afterId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('accounts.secondFactors')
    .select(['userId', 'sealedSecret'])
    .where('userId', '>', afterId)
    .orderBy('userId')
    .limit(BATCH)
    .forUpdate()
    .execute()
  for (const { userId, sealedSecret } of rows) {
    const plain = box.open(sealedSecret)
    if (!plain) throw new Error(`No SECRET_KEY given opens the second factor of ${userId}.`)
    await tx
      .updateTable('accounts.secondFactors')
      .set({ sealedSecret: box.seal(plain) })
      .where('userId', '=', userId)
      .execute()
  }
  return rows.map(({ userId }) => userId)
}
