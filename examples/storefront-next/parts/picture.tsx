import { type Media, pictureOf } from '@kontor/sdk'

type PictureProps = {
  media: Media | undefined
  /** What it shows, unless whoever uploaded it has said so; empty where a text beside it does. */
  alt: string
  /** It is seen without scrolling. */
  isSeen?: boolean
  /** It is the largest thing on the page: it comes before all others. */
  isFirst?: boolean
  /** How wide it is in the page. */
  sizes: string
}

/** As large before it has come as afterwards. The first of a page is asked for at once, the others when they are near. */
export function Picture({ media, alt, isFirst = false, isSeen = isFirst, sizes }: PictureProps) {
  if (!media) return <span className="picture" />
  const { sources, src, width = 640, height = 640, alt: described, placeholder, objectPosition } = pictureOf(media)
  // A JPEG covers it when it has come; what is see-through would show it for ever.
  const isCovered = media.mimeType === 'image/jpeg'
  return (
    <picture>
      {sources.map(({ type, srcSet }) => (
        <source key={type} type={type} srcSet={srcSet} sizes={sizes} />
      ))}
      <img
        className="picture"
        src={src}
        alt={alt && (described || alt)}
        width={width}
        height={height}
        style={{ objectPosition, ...(placeholder && isCovered && { backgroundImage: `url("${placeholder}")` }) }}
        {...(isFirst && { fetchPriority: 'high' })}
        {...(isSeen ? {} : { loading: 'lazy', decoding: 'async' })}
      />
    </picture>
  )
}
