import { isProof, makeProof } from '#platform/crypto/proof.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'

/** One reader of one send. */
export type Clicker = { businessId: string; sendId: string; subscriptionId: string }

const PURPOSE = 'newsletter click'

const toText = ({ businessId, sendId, subscriptionId }: Clicker) => `${businessId} ${sendId} ${subscriptionId}`

function tokenOf(box: SecretBox, clicker: Clicker): string {
  const { businessId, sendId, subscriptionId } = clicker
  return `${businessId}.${sendId}.${subscriptionId}.${makeProof(box, PURPOSE, toText(clicker))}`
}

/** The address that all links of a reader's letter begin with. */
export const clicksUrlOf = (publicUrl: string, box: SecretBox, clicker: Clicker) =>
  `${publicUrl}/newsletters/go/${tokenOf(box, clicker)}`

/** The picture of a reader's letter that is asked for when the letter is opened. */
export const openUrlOf = (publicUrl: string, box: SecretBox, clicker: Clicker) =>
  `${publicUrl}/newsletters/open/${tokenOf(box, clicker)}`

/** Where the reader says whether clicks are counted. */
export const clicksChoiceUrlOf = (publicUrl: string, box: SecretBox, clicker: Clicker) =>
  `${publicUrl}/newsletters/clicks/${tokenOf(box, clicker)}`

export function readClicker(box: SecretBox, token: string): Clicker | undefined {
  const [, businessId, sendId, subscriptionId, proof] =
    /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{22})$/.exec(token) ?? []
  if (!businessId || !sendId || !subscriptionId || !proof) return undefined
  const clicker = { businessId, sendId, subscriptionId }
  return isProof(box, PURPOSE, toText(clicker), proof) ? clicker : undefined
}

/** Says where the link leads, for people who look before they click. It decides nothing. */
export const readableEnd = (url: string): string => {
  const { hostname, pathname } = new URL(url)
  return `${hostname}${pathname}`.replaceAll(/[^\w./-]/g, '').slice(0, 80)
}
