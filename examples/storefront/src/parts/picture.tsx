import { type Media, pictureOf } from '@kontor/sdk'
import { useState } from 'preact/hooks'
import { useLanguage } from '../state/kontor.ts'
import { Icon } from './icons.tsx'

type PictureProps = {
  /** Or only its address, as the cart keeps it. */
  media: Media | string | undefined
  /** What it shows, unless whoever uploaded it has said so; empty where a text beside it does. */
  alt: string
  /** It is seen without scrolling. */
  isSeen?: boolean
  /** It is the largest thing on the page: it comes before all others. */
  isFirst?: boolean
  /** Its width and height in the page, at most. */
  size?: number
  /** How wide it is in the page, for `<source>`. */
  sizes?: string
}

/** Square, and as large before it has come as afterwards. */
export function Picture({ media, alt, isFirst = false, isSeen = isFirst, size = 800, sizes }: PictureProps) {
  const { language } = useLanguage()
  const [failed, setFailed] = useState('')
  const [arrived, setArrived] = useState('')
  const item = typeof media === 'string' ? { id: '', url: media, mimeType: '' } : media
  if (!item || failed === item.url) {
    return (
      <span class="picture">
        <Icon name="anchor" />
      </span>
    )
  }
  const {
    sources,
    src,
    width = size,
    height = size,
    placeholder,
    objectPosition,
    ...described
  } = pictureOf(item, language)
  const isComing = placeholder && arrived !== src
  return (
    <span class="picture">
      <picture>
        {sources.map(({ type, srcSet }) => (
          <source key={type} type={type} srcset={srcSet} sizes={sizes} />
        ))}
        <img
          src={src}
          alt={alt && (described.alt || alt)}
          width={width}
          height={height}
          loading={isSeen ? 'eager' : 'lazy'}
          fetchpriority={isFirst ? 'high' : undefined}
          decoding="async"
          // Until it has come: what is see-through would show it for ever.
          style={{ objectPosition, backgroundImage: isComing ? `url("${placeholder}")` : undefined }}
          onLoad={() => setArrived(src)}
          onError={() => setFailed(src)}
        />
      </picture>
    </span>
  )
}
