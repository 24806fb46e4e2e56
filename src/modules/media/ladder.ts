/** What renditions follow from; all of it is stored, so that nobody has to list them. */
export type Picture = { width: number; height: number; isTransparent: boolean; isAnimated: boolean }
export type Rung = { name: string; width: number; height: number; mimeType: string }

const WIDTHS = [320, 640, 960, 1280, 1920, 2560]
/** For mails, PDF and whoever takes one address only. */
const PLAIN_WIDTH = 1280

/** No rendition is wider than the picture; one that is narrower than a step has its own width as the last. */
const widthsOf = ({ width }: Picture) => [...new Set(WIDTHS.map((step) => Math.min(step, width)))]

const rungOf = ({ width, height }: Picture, to: number, ending: string, mimeType: string): Rung => ({
  name: `${to}.${ending}`,
  width: to,
  height: Math.max(1, Math.round((height * to) / width)),
  mimeType,
})

export const webpRungs = (picture: Picture): Rung[] =>
  widthsOf(picture).map((width) => rungOf(picture, width, 'webp', 'image/webp'))

/** Moving pictures have none: the encoder makes stills only. */
export const avifRungs = (picture: Picture): Rung[] =>
  picture.isAnimated ? [] : widthsOf(picture).map((width) => rungOf(picture, width, 'avif', 'image/avif'))

/** A JPEG, or a PNG where something shows through; of a moving picture its first frame. */
export function plainRung(picture: Picture): Rung {
  const width = Math.min(PLAIN_WIDTH, picture.width)
  return picture.isTransparent
    ? rungOf(picture, width, 'png', 'image/png')
    : rungOf(picture, width, 'jpg', 'image/jpeg')
}

/** Each is there as soon as the picture is READY: until an AVIF is made, its address answers the WebP of its width. */
export const ladderOf = (picture: Picture): Rung[] => [...avifRungs(picture), ...webpRungs(picture), plainRung(picture)]
