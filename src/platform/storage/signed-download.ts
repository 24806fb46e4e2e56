import type { SecretBox } from '../crypto/secret-box.ts'
import { isSigned, sign } from './signed-upload.ts'

/** What a download address of the folder is good for. */
export type DownloadTerms = { key: string; fileName: string; expiresAt: number }
export type SignedDownload = DownloadTerms & { signature: string }

const PURPOSE = 'media-download'
const textOf = ({ key, fileName, expiresAt }: DownloadTerms) => JSON.stringify([key, fileName, expiresAt])

export const signDownload = (box: SecretBox, terms: DownloadTerms): SignedDownload => ({
  ...terms,
  signature: sign(box, PURPOSE, textOf(terms)),
})

export const isDownloadSigned = (box: SecretBox, terms: SignedDownload): boolean =>
  isSigned(box, PURPOSE, textOf(terms), terms.signature)
