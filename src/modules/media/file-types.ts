/** Pictures that are decoded and made anew. HEIC is none of them: our decoder reads AVIF only. */
export const PICTURES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'] as const
export type PictureType = (typeof PICTURES)[number]

/** Everything else that can be uploaded is stored as it is, and only ever downloaded. With the ending of its name. */
const OTHERS: Readonly<Record<string, string>> = {
  'image/svg+xml': 'svg',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/epub+zip': 'epub',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'text/csv': 'csv',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
}

export const isPicture = (mimeType: string): mimeType is PictureType =>
  (PICTURES as readonly string[]).includes(mimeType)
export const isTaken = (mimeType: string) => isPicture(mimeType) || Object.hasOwn(OTHERS, mimeType)
export const endingOf = (mimeType: string) => OTHERS[mimeType] ?? 'bin'
export const TAKEN_TYPES = [...PICTURES, ...Object.keys(OTHERS)]
