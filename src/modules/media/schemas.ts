import { type Static, Type } from 'typebox'
import { Alt, FocalPoint, MediaId, MimeType, Rendition } from '#vocabulary/media.ts'
import { anyOf, BusinessId, Changes, Id, Nullable, OneOf, PageQuery, UnixSeconds } from '#vocabulary/schemas.ts'
import { PROBLEMS } from './problems.ts'

export const MAX_BYTES = 50_000_000
const MAX_TAGS = 50

export const STATUSES = ['PENDING', 'PROCESSING', 'READY', 'REJECTED'] as const
export type Status = (typeof STATUSES)[number]

const FileName = Type.String({
  minLength: 1,
  maxLength: 255,
  // Neither folders nor control characters: it becomes the name of a download.
  pattern: '^[^/\\\\\\p{Cc}]*[^\\s/\\\\\\p{Cc}][^/\\\\\\p{Cc}]*$',
  'x-says': { pattern: 'must be a name without slashes, such as mug.jpg' },
  examples: ['mug.jpg'],
})
const Tag = Type.String({ minLength: 1, maxLength: 50, pattern: '\\S', examples: ['autumn'] })
export const Tags = Type.Array(Tag, { maxItems: MAX_TAGS, description: 'Tags of the file, for search.' })
const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  maxLength: 64,
  description: 'SHA-256 of the bytes, in lower-case hex.',
  'x-says': { pattern: 'must be a SHA-256 as 64 lower-case hex digits' },
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
})
const Size = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: `In bytes; ${MAX_BYTES} at most.`,
  examples: [48_213],
})
export const NewFile = Type.Object({
  fileName: FileName,
  mimeType: Type.String({ ...MimeType, description: 'What the bytes must turn out to be.', examples: ['image/jpeg'] }),
  size: Size,
  sha256: Sha256,
  alt: Type.Optional(Alt),
  focalPoint: Type.Optional(Nullable(FocalPoint)),
})
export type NewFile = Static<typeof NewFile>

export const FileChanges = Changes({
  fileName: FileName,
  alt: Alt,
  focalPoint: Nullable(FocalPoint),
  tags: Tags,
})
export type FileChanges = Static<typeof FileChanges>

const UploadTerms = Type.Object(
  {
    method: Type.Literal('PUT', { examples: ['PUT'] }),
    url: Type.String({ examples: ['https://media.example.com/incoming/…?X-Amz-Signature=…'] }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'To be sent as they are.',
      examples: [{ 'content-type': 'image/jpeg' }],
    }),
    expiresAt: UnixSeconds,
  },
  { title: 'MediaUpload', description: 'Where to send the bytes: this key, length, type and hash only.' },
)

export const MediaFile = Type.Object(
  {
    id: MediaId,
    businessId: BusinessId,
    status: OneOf(STATUSES, {
      description:
        'PENDING: not uploaded yet. PROCESSING: `complete` was called. READY: can be shown. REJECTED: see `problem`.',
      examples: ['READY'],
    }),
    problem: Nullable(OneOf(PROBLEMS, { description: 'Why it is REJECTED.', examples: ['HASH_DIFFERS'] })),
    fileName: FileName,
    mimeType: Type.String({ ...MimeType, description: 'Of the uploaded file.', examples: ['image/jpeg'] }),
    size: Size,
    sha256: Sha256,
    alt: Alt,
    focalPoint: Nullable(FocalPoint),
    tags: Tags,
    width: Nullable(Type.Integer({ description: 'Of the picture, upright.', examples: [3000] })),
    height: Nullable(Type.Integer({ examples: [2000] })),
    placeholder: Nullable(
      Type.String({
        description: 'A tiny picture as a `data:` address, to be shown while the real one loads.',
        examples: ['data:image/webp;base64,UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA='],
      }),
    ),
    url: Nullable(
      Type.String({
        description:
          'A JPEG (PNG if transparent) of at most 1280 px, for any use; the file itself if it is no picture.',
        examples: ['https://media.example.com/biz_4k7q2m9x1c3v/9f86…/1280.jpg'],
      }),
    ),
    renditions: Type.Array(Rendition, { description: 'None wider than the picture; empty if it is none.' }),
    upload: Type.Optional(UploadTerms),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'MediaFile' },
)
export type MediaFile = Static<typeof MediaFile>

export const SORTS = ['-createdAt', 'createdAt', 'fileName', '-size'] as const
export type Sort = (typeof SORTS)[number]

const TypeRange = Type.String({
  maxLength: 127,
  pattern: '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/([*]|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*)$',
  'x-says': { pattern: 'must be a media type such as image/png or image/*' },
  examples: ['image/*'],
})

export const FileQuery = Type.Object({
  ...PageQuery,
  query: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Words of the file name, the alternative texts or the tags, the last one perhaps unfinished.',
      examples: ['autumn mug'],
    }),
  ),
  type: anyOf(TypeRange, 'A media type, or `image/*` and the like.'),
  status: anyOf(OneOf(STATUSES), 'A status.'),
  unused: Type.Optional(Type.Boolean({ description: '`true`: only those that no record shows.' })),
  sort: Type.Optional(OneOf(SORTS, { default: '-createdAt' })),
})
export type FileQuery = Static<typeof FileQuery>

export const DeleteQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: '`true`: also if records show it. They keep addresses that lead nowhere.' }),
  ),
})

export const USAGE_KINDS = ['PRODUCT', 'CATEGORY', 'ENTRY', 'BUSINESS'] as const
export type UsageKind = (typeof USAGE_KINDS)[number]

export const Usage = Type.Object(
  {
    kind: OneOf(USAGE_KINDS, {
      description: 'What shows it. A variant counts as its product; the business shows its logo.',
    }),
    id: Type.String({ ...Id, examples: ['prod_01jcq3v7k8f5t9x2m4n6p8r0sw'] }),
  },
  { title: 'MediaUsage' },
)
