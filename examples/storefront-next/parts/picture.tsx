import type { Media } from '@kontor/sdk'

/** Square, so that nothing moves when it arrives. The first of a page is asked for at once, the others when they are near. */
export const Picture = ({ media, alt, isFirst }: { media: Media | undefined; alt: string; isFirst?: boolean }) =>
  media ? (
    <img
      className="picture"
      src={media.url}
      alt={alt}
      width={640}
      height={640}
      {...(isFirst ? { fetchPriority: 'high' } : { loading: 'lazy', decoding: 'async' })}
    />
  ) : (
    <span className="picture" />
  )
