import { isProof, makeProof } from '#platform/crypto/proof.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'

/** One reader of one send. */
export type Clicker = { businessId: string; sendId: string; subscriptionId: string }

const PURPOSE = 'newsletter click'
/** Links get shared: one that is followed must not choose for its reader. */
const CHOICE = 'newsletter click choice'

const toText = ({ businessId, sendId, subscriptionId }: Clicker) => `${businessId} ${sendId} ${subscriptionId}`

function tokenOf(box: SecretBox, clicker: Clicker, purpose = PURPOSE): string {
  const { businessId, sendId, subscriptionId } = clicker
  return `${businessId}.${sendId}.${subscriptionId}.${makeProof(box, purpose, toText(clicker))}`
}

/** The address that all links of a reader's letter begin with. */
export const clicksUrlOf = (publicUrl: string, box: SecretBox, clicker: Clicker) =>
  `${publicUrl}/newsletters/go/${tokenOf(box, clicker)}`

/** The picture of a reader's letter that is asked for when the letter is opened. */
export const openUrlOf = (publicUrl: string, box: SecretBox, clicker: Clicker) =>
  `${publicUrl}/newsletters/open/${tokenOf(box, clicker)}`

/** Where the reader says whether clicks are counted. */
export const clicksChoiceUrlOf = (publicUrl: string, box: SecretBox, clicker: Clicker) =>
  `${publicUrl}/newsletters/clicks/${tokenOf(box, clicker, CHOICE)}`

export const readClicker = (box: SecretBox, token: string) => read(box, token, PURPOSE)
export const readChooser = (box: SecretBox, token: string) => read(box, token, CHOICE)

function read(box: SecretBox, token: string, purpose: string): Clicker | undefined {
  const [, businessId, sendId, subscriptionId, proof] =
    /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{22})$/.exec(token) ?? []
  if (!businessId || !sendId || !subscriptionId || !proof) return undefined
  const clicker = { businessId, sendId, subscriptionId }
  return isProof(box, purpose, toText(clicker), proof) ? clicker : undefined
}

/** Says where the link leads, for people who look before they click. It decides nothing. */
export const readableEnd = (url: string): string => {
  const { hostname, pathname } = new URL(url)
  return `${hostname}${pathname}`.replaceAll(/[^\w./-]/g, '').slice(0, 80)
}
