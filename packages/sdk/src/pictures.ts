import { pick } from './blocks.ts'
import type { Media } from './generated/types.gen.ts'

export type Picture = {
  /** For `<source>`, the best first. None if only the address is known: then there is one picture for every screen. */
  sources: { type: string; srcSet: string }[]
  /** For `<img>`: what every browser can read. */
  src: string
  /** So that the browser keeps the room free. */
  width: number | undefined
  height: number | undefined
  /** In the language that was asked for, or the nearest one; empty if nobody has described it. */
  alt: string
  /** A tiny picture as a `data:` address, to be seen until the real one has come. */
  placeholder: string | undefined
  /** Of CSS: what stays visible when the picture is cropped. */
  objectPosition: string | undefined
}

const BEST_FIRST = ['image/avif', 'image/webp']

/** What a page needs to show a picture. Say in `sizes` how wide it will be, and the browser takes the file that fits. */
export function pictureOf(media: Media, locale?: string): Picture {
  const { url, renditions = [], placeholder, focalPoint, alt = {} } = media
  const plain = renditions.find((rendition) => rendition.url === url) ?? media
  return {
    sources: BEST_FIRST.flatMap((type) => {
      const srcSet = of(renditions, type).map((rendition) => `${rendition.url} ${rendition.width}w`)
      return srcSet.length > 0 ? [{ type, srcSet: srcSet.join(', ') }] : []
    }),
    src: url,
    width: plain.width ?? undefined,
    height: plain.height ?? undefined,
    alt: pick(alt, locale) ?? '',
    placeholder: placeholder ?? undefined,
    objectPosition: focalPoint ? `${percent(focalPoint.x)} ${percent(focalPoint.y)}` : undefined,
  }
}

/** One address, where there can be only one: the narrowest WebP that is at least so wide, or the widest that there is. */
export function pictureUrl({ url, renditions = [] }: Media, width: number): string {
  const known = of(renditions, 'image/webp').toSorted((one, other) => one.width - other.width)
  return (known.find((rendition) => rendition.width >= width) ?? known.at(-1))?.url ?? url
}

type Renditions = NonNullable<Media['renditions']>

const of = (renditions: Renditions, type: string) => renditions.filter(({ mimeType }) => mimeType === type)
const percent = (share: number) => `${Math.round(share * 1_000) / 10}%`
