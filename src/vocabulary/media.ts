import { type Static, Type } from 'typebox'
import type { Report } from './block-values.ts'
import { newId } from './ids.ts'
import { MAX_LOCALES } from './limits.ts'
import { mediaAddressRequired, mediaNotFound, mediaNotReady } from './refusals.ts'
import { idOf, Nullable } from './schemas.ts'

const ItemId = idOf('med', '01jcq3v7k8f5t9x2m4n6p8r0sw')
export const MediaId = idOf('med', '01jcq3v7k8f5t9x2m4n6p8r0sx')
export const MediaUrl = Type.String({
  maxLength: 2048,
  // One character of the host, then anything that needs no quoting: an unambiguous pattern matches in linear time.
  pattern: '^https?://[^\\s/?#"<>\\\\][^\\s"<>\\\\]*$',
  'x-says': { pattern: 'must be a whole address that begins with http:// or https://' },
  description: 'Absolute, http or https.',
  examples: ['https://cdn.example.com/mug.png'],
})
export const MimeType = Type.String({
  maxLength: 127,
  pattern: '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$',
  examples: ['image/png'],
})
export const Alt = Type.Record(Type.String(), Type.String({ maxLength: 1_000 }), {
  maxProperties: MAX_LOCALES,
  description: 'What the picture shows, in words, by locale.',
  examples: [{ en: 'A blue mug on a table' }],
})
export const FocalPoint = Type.Object(
  {
    x: Type.Number({ minimum: 0, maximum: 1, examples: [0.5] }),
    y: Type.Number({ minimum: 0, maximum: 1, examples: [0.33] }),
  },
  { description: 'What must stay visible when it is cropped: shares of width and height, from the upper left.' },
)
export const Rendition = Type.Object(
  {
    width: Type.Integer({ examples: [640] }),
    height: Type.Integer({ examples: [427] }),
    mimeType: Type.String({ examples: ['image/webp'] }),
    url: Type.String({ examples: ['https://media.example.com/biz_4k7q2m9x1c3v/9f86…/640.webp'] }),
  },
  { title: 'Rendition' },
)

/** What is known of a file that was uploaded here, beside its address. */
const uploaded = {
  mediaId: MediaId,
  width: Nullable(Type.Integer({ examples: [3000] })),
  height: Nullable(Type.Integer({ examples: [2000] })),
  alt: Alt,
  placeholder: Nullable(Type.String({ description: 'A tiny picture as a `data:` address.' })),
  focalPoint: Nullable(FocalPoint),
  renditions: Type.Array(Rendition, { description: 'None is wider than the picture. Empty if it is no picture.' }),
}

/** A picture, video or other file: an address somewhere, or a file that was uploaded here, with all that is known of it. */
export const Media = Type.Object(
  { id: ItemId, url: MediaUrl, mimeType: MimeType, ...Type.Partial(Type.Object(uploaded)).properties },
  { title: 'Media' },
)
export type Media = Static<typeof Media>

/** A copy of what is known of an uploaded file. */
export type UploadedMedia = Omit<Media, 'id' | 'mediaId'> & { mediaId: string }

export const NewMedia = Type.Object({
  id: Type.Optional(ItemId),
  mediaId: Type.Optional(
    Type.String({ ...MediaId, description: 'A READY file of this business, instead of `url` and `mimeType`.' }),
  ),
  url: Type.Optional(MediaUrl),
  mimeType: Type.Optional(MimeType),
})
export type NewMedia = Static<typeof NewMedia>

/** Where no file can be named. */
export const AddressedMedia = Type.Object({ id: NewMedia.properties.id, url: MediaUrl, mimeType: MimeType })

/**
 * By `mediaId`: files that may be named, those that are not READY yet, and (absent) those that do not exist. Files of the
 * record as it is stored also by their `url`.
 */
export type KnownMedia = ReadonlyMap<string, UploadedMedia | 'NOT_READY'>

/**
 * The item to store. Without `known`, as where nobody may name files, `mediaId` is passed over. Mistakes go to
 * `report`.
 */
export function toMedia(
  { id, mediaId, url, mimeType }: NewMedia,
  at: string,
  report: Report,
  known?: KnownMedia,
): Media {
  // Clients that know nothing of files send back an address: it still means the file that it is of.
  const same = mediaId === undefined && url !== undefined ? known?.get(url) : undefined
  if (same !== undefined && same !== 'NOT_READY') return { id: id ?? same.mediaId, ...same }
  if (mediaId !== undefined && known) {
    const found = known.get(mediaId)
    if (found === undefined) report(mediaNotFound.asDetail({ at, mediaId }))
    else if (found === 'NOT_READY') report(mediaNotReady.asDetail({ at, mediaId }))
    else return { id: id ?? mediaId, ...found }
  } else {
    if (url === undefined) report(mediaAddressRequired.asDetail({ at, name: 'url' }))
    if (mimeType === undefined) report(mediaAddressRequired.asDetail({ at, name: 'mimeType' }))
  }
  return { id: id ?? newId('med'), url: url ?? '', mimeType: mimeType ?? '' }
}

/** The ids of files that items name, as they are sent or stored. */
export const mediaIdsOf = (items: readonly unknown[]): string[] =>
  items.flatMap((item) => {
    const mediaId = (item as { mediaId?: unknown } | null | undefined)?.mediaId
    return typeof mediaId === 'string' ? [mediaId] : []
  })

/** An item with what is known of its file now; the same item if it names none, or one that is not known. */
export function withFresh(item: Media, known: KnownMedia): Media {
  const found = item.mediaId === undefined ? undefined : known.get(item.mediaId)
  return found === undefined || found === 'NOT_READY' ? item : { id: item.id, ...found }
}

/** The address for whoever takes one only, such as mails: of a file, its JPEG or PNG, with the size that this one has. */
export function plainOf({ url, renditions }: Pick<Media, 'url' | 'renditions'>) {
  const { width, height } = renditions?.find((rendition) => rendition.url === url) ?? {}
  return { url, width, height }
}

/** Items of a record that were stored before may be sent back, whatever became of their files since. */
export const storedMedia = (items: readonly Media[]): KnownMedia =>
  new Map(
    items.flatMap(({ id: _id, mediaId, ...rest }) =>
      mediaId === undefined ? [] : [mediaId, rest.url].map((key) => [key, { mediaId, ...rest }] as const),
    ),
  )
