import type { Selectable } from 'kysely'
import { now } from '#platform/clock.ts'
import type { MediaFiles } from '#platform/database/cell-tables.ts'
import type { Upload } from '#platform/storage/storage.ts'
import { collectDetails } from '#vocabulary/block-values.ts'
import { isLocale } from '#vocabulary/locales.ts'
import type { UploadedMedia } from '#vocabulary/media.ts'
import { notALocale } from '#vocabulary/refusals.ts'
import { fold, wordsOf } from '#vocabulary/search-words.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { endingOf } from './file-types.ts'
import { publicPrefixOf } from './keys.ts'
import { ladderOf, type Picture, plainRung } from './ladder.ts'
import type { MediaFile, Status } from './schemas.ts'

/** A file as its row holds it. */
export type FileRow = Omit<Selectable<MediaFiles>, 'alt' | 'focalPoint' | 'status' | 'problem'> &
  Pick<MediaFile, 'alt' | 'focalPoint' | 'problem'> & { status: Status }

export type PublicUrl = (key: string) => string

const MAX_WORDS = 200
const MAX_SORT_NAME = 200

/** What the list finds and sorts a file by. */
export const searchOf = ({ fileName, alt, tags }: Pick<FileRow, 'fileName' | 'alt' | 'tags'>) => ({
  words: [...new Set([fileName, ...tags, ...Object.values(alt)].flatMap(wordsOf))].slice(0, MAX_WORDS),
  sortName: fold(fileName).slice(0, MAX_SORT_NAME),
})

export const wordRows = ({ businessId, id, words }: Pick<FileRow, 'businessId' | 'id' | 'words'>) =>
  words.map((word) => ({ businessId, word, fileId: id }))

type NewRow = Pick<FileRow, 'businessId' | 'id' | 'fileName' | 'mimeType' | 'size' | 'sha256'> &
  Partial<Pick<FileRow, 'alt' | 'focalPoint'>>

/** A file that nobody has looked at yet. */
export function newRow(
  { alt = {}, focalPoint = null, ...sent }: NewRow,
  state: Pick<FileRow, 'status' | 'uploadExpiresAt' | 'completedAt'>,
): FileRow {
  const at = now()
  return {
    ...sent,
    ...state,
    problem: null,
    kind: sent.mimeType.split('/')[0] ?? '',
    alt,
    focalPoint,
    tags: [],
    ...searchOf({ fileName: sent.fileName, alt, tags: [] }),
    width: null,
    height: null,
    isTransparent: null,
    isAnimated: null,
    placeholder: null,
    avif: null,
    attempts: 0,
    lease: null,
    leasedUntil: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
  }
}

export function checkAlt(alt: Record<string, string>): void {
  const { report, throwIfAny } = collectDetails()
  for (const locale of Object.keys(alt)) {
    if (!isLocale(locale)) report(notALocale.asDetail({ field: `alt.${locale.slice(0, 35).toWellFormed()}` }))
  }
  throwIfAny()
}

/** Undefined unless it is a picture that is READY. */
export function pictureOf({ width, height, isTransparent, isAnimated }: FileRow): Picture | undefined {
  if (width === null || height === null) return undefined
  return { width, height, isTransparent: isTransparent ?? false, isAnimated: isAnimated ?? false }
}

/** The object of a file that is no picture. */
export const attachmentKeyOf = (row: FileRow) => `${publicPrefixOf(row)}file.${endingOf(row.mimeType)}`

/** Where a READY file can be had: one address for any use, and the renditions. */
function addressesOf(row: FileRow, publicUrl: PublicUrl): Pick<UploadedMedia, 'url' | 'mimeType' | 'renditions'> {
  const picture = pictureOf(row)
  if (!picture) return { url: publicUrl(attachmentKeyOf(row)), mimeType: row.mimeType, renditions: [] }
  const prefix = publicPrefixOf(row)
  const plain = plainRung(picture)
  return {
    url: publicUrl(prefix + plain.name),
    mimeType: plain.mimeType,
    renditions: ladderOf(picture).map(({ name, ...rung }) => ({ ...rung, url: publicUrl(prefix + name) })),
  }
}

/** The copy that records hold of a READY file. */
export function toUploadedMedia(row: FileRow, publicUrl: PublicUrl): UploadedMedia {
  const { url, mimeType, renditions } = addressesOf(row, publicUrl)
  const { id: mediaId, width, height, alt, placeholder, focalPoint } = row
  return { url, mimeType, mediaId, width, height, alt, placeholder, focalPoint, renditions }
}

export function presentFile(row: FileRow, publicUrl: PublicUrl | undefined, upload?: Upload): MediaFile {
  const addresses = row.status === 'READY' && publicUrl ? addressesOf(row, publicUrl) : undefined
  return {
    id: row.id,
    businessId: row.businessId,
    status: row.status,
    problem: row.problem,
    fileName: row.fileName,
    mimeType: row.mimeType,
    size: row.size,
    sha256: row.sha256,
    alt: row.alt,
    focalPoint: row.focalPoint,
    tags: row.tags,
    width: row.width,
    height: row.height,
    placeholder: row.placeholder,
    url: addresses?.url ?? null,
    renditions: addresses?.renditions ?? [],
    ...(upload && { upload: { ...upload, expiresAt: toSeconds(upload.expiresAt) } }),
    createdAt: toSeconds(row.createdAt),
    updatedAt: toSeconds(row.updatedAt),
  }
}
