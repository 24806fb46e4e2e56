import type { PublicProduct } from '@kontor/sdk'
import { useState } from 'preact/hooks'
import { Picture } from './picture.tsx'

/** One large picture, and the others to choose from. */
export function Gallery({ media, name }: { media: PublicProduct['gallery']; name: string }) {
  const [at, setAt] = useState(0)
  const pictures = [...new Map(media.map((each) => [each.url, each])).values()].slice(0, 8)
  const shown = pictures[at] ?? pictures[0]
  return (
    <div class="gallery">
      <Picture media={shown} alt={name} isFirst sizes="(min-width: 60rem) 36rem, 100vw" />
      {pictures.length > 1 && (
        <div class="thumbs" role="group" aria-label="Pictures">
          {pictures.map((media, index) => (
            <button
              key={media.url}
              type="button"
              aria-label={`Picture ${index + 1} of ${pictures.length}`}
              aria-pressed={index === at}
              onClick={() => setAt(index)}
            >
              <Picture media={media} alt="" size={120} sizes="5rem" />
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
