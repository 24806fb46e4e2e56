import { type Media, plainOf } from '#vocabulary/media.ts'

const MAX_WIDTH = 240
const MAX_HEIGHT = 64

/** A logo as mails show it, from an address that every mail program can read; how large it is, if that is known. */
export function mailLogoOf(logo: Media | null) {
  if (!logo || !URL.canParse(logo.url)) return null
  const { url, width, height } = plainOf(logo)
  if (!width || !height) return { url, width: null, height: null, maxHeight: MAX_HEIGHT }
  const scale = Math.min(1, MAX_WIDTH / width, MAX_HEIGHT / height)
  const [shownWidth, shownHeight] = [width, height].map((side) => Math.max(1, Math.round(side * scale)))
  return { url, width: shownWidth, height: shownHeight, maxHeight: MAX_HEIGHT }
}
