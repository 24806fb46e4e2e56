const MAX_NAME = 255

/** By the ending, where the browser does not know the type. */
const TYPES: Record<string, string> = {
  avif: 'image/avif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  epub: 'application/epub+zip',
  csv: 'text/csv',
  m4a: 'audio/mp4',
  mov: 'video/quicktime',
  heic: 'image/heic',
}

/** What the service takes as a name: no folders, no control characters. */
export const fileNameOf = (name: string) =>
  name
    .replaceAll(/[/\\\p{Cc}]/gu, '_')
    .trim()
    .slice(-MAX_NAME) || 'file'

export function typeOf({ name, type }: { name: string; type: string }): string {
  const [plain = ''] = type.split(';')
  return plain || (TYPES[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream')
}

/** Offered when one chooses. Without HEIC: phones then hand over a JPEG. */
export const ACCEPTED = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/svg+xml',
  'application/pdf',
  'application/zip',
  'application/epub+zip',
  '.docx',
  '.xlsx',
  '.pptx',
  'audio/*',
  'text/csv',
  'text/plain',
  'video/mp4',
  'video/quicktime',
  'video/webm',
].join()

export const PICTURES = 'image/jpeg,image/png,image/webp,image/gif,image/avif'
