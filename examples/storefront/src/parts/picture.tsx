import { useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

type PictureProps = { url: string | undefined; alt: string; isFirst?: boolean; size?: number }

/** Square, and as large before it has come as afterwards. */
export function Picture({ url, alt, isFirst = false, size = 800 }: PictureProps) {
  const [failed, setFailed] = useState('')
  return (
    <span class="picture">
      {url && failed !== url ? (
        <img
          src={url}
          alt={alt}
          width={size}
          height={size}
          loading={isFirst ? 'eager' : 'lazy'}
          decoding="async"
          onError={() => setFailed(url)}
        />
      ) : (
        <Icon name="anchor" />
      )}
    </span>
  )
}
