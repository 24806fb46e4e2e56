import { keepCallouts, listCallouts } from '#modules/access/index.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'
import type { Callout, Callouts } from '#vocabulary/business.ts'

/** Seals the secrets of all callouts again under the first SECRET_KEY, after a rotation. */
export async function resealCallouts(tx: ControlTx, box: SecretBox): Promise<void> {
  for (const { id } of await listCallouts(tx)) {
    await keepCallouts(tx, id, (callouts) => {
      const sealed = Object.entries(callouts).map(([point, callout]) => [point, resealed(box, id, callout)])
      return Object.fromEntries(sealed) as Callouts
    })
  }
}

function resealed(box: SecretBox, businessId: string, callout: Callout): Callout {
  const plain = box.open(Buffer.from(callout.sealedSecret, 'base64'))
  if (!plain) throw new Error(`No SECRET_KEY given opens the secret of a callout of ${businessId}.`)
  return { ...callout, sealedSecret: box.seal(plain).toString('base64') }
}
