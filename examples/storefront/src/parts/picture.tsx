import { useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

type PictureProps = {
  url: string | undefined
  alt: string
  /** It is seen without scrolling. */
  isSeen?: boolean
  /** It is the largest thing on the page: it comes before all others. */
  isFirst?: boolean
  /** Its width and height in the page, at most. */
  size?: number
}

/** Square, and as large before it has come as afterwards. */
export function Picture({ url, alt, isFirst = false, isSeen = isFirst, size = 800 }: PictureProps) {
  const [failed, setFailed] = useState('')
  return (
    <span class="picture">
      {url && failed !== url ? (
        <img
          src={url}
          alt={alt}
          width={size}
          height={size}
          loading={isSeen ? 'eager' : 'lazy'}
          fetchpriority={isFirst ? 'high' : undefined}
          decoding="async"
          onError={() => setFailed(url)}
        />
      ) : (
        <Icon name="anchor" />
      )}
    </span>
  )
}
