import type { Answer } from '@kontor/sdk'

type MediaFile = Answer<'getMedia'>
type Rendition = MediaFile['renditions'][number]
type Point = { x: number; y: number }

/** What is shown of a picture, whether it is a file of the library or the copy of it in a record. */
export type Shown = {
  url: string | null
  renditions?: Rendition[] | undefined
  width?: number | null | undefined
  height?: number | null | undefined
  placeholder?: string | null | undefined
  focalPoint?: Point | null | undefined
}

export const isPicture = ({ renditions }: Pick<Shown, 'renditions'>) => (renditions?.length ?? 0) > 0

/**
 * The smallest rendition that is as wide as it is shown, else the widest. WebP: every browser has it, and it is there
 * as soon as the file is READY. A picture by its address has none.
 */
export function sourceFor({ url, renditions = [] }: Pick<Shown, 'url' | 'renditions'>, px: number): string | undefined {
  const webp = renditions
    .filter(({ mimeType }) => mimeType === 'image/webp')
    .toSorted((one, other) => one.width - other.width)
  return (webp.find(({ width }) => width >= px) ?? webp.at(-1))?.url ?? url ?? undefined
}

/** As CSS has it: the point of the picture lies at the same point of the box. */
export const positionOf = (point: Point | null | undefined) =>
  point ? `${round(point.x * 100)}% ${round(point.y * 100)}%` : '50% 50%'

const round = (value: number) => Math.round(value * 10) / 10

export const missingAlt = (alt: Readonly<Record<string, string>>, locales: readonly string[]) =>
  locales.filter((locale) => !alt[locale]?.trim())

/** The copy that a record holds, as the service will make it: so that what was chosen is shown before it is saved. */
export function toItem(file: MediaFile) {
  const { id, url, mimeType, width, height, alt, placeholder, focalPoint, renditions } = file
  return {
    id,
    url: url ?? '',
    // The address is that of the plain rendition, the last one; what is no picture is served as it is.
    mimeType: renditions.at(-1)?.mimeType ?? mimeType,
    mediaId: id,
    width,
    height,
    alt,
    placeholder,
    focalPoint,
    renditions,
  }
}
export type Item = {
  id?: string
  url: string
  mimeType: string
  mediaId?: string
  alt?: Record<string, string>
} & Omit<Shown, 'url'>

/** As the API takes it: a file by its id, anything else by its address. */
export const toNewMedia = ({ id, url, mimeType, mediaId }: Item) => ({
  ...(id && { id }),
  ...(mediaId ? { mediaId } : { url, mimeType }),
})
