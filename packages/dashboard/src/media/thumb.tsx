import './thumb.css'
import { AudioLines, Clapperboard, File, FileText, ImageOff } from 'lucide-react'
import { useState } from 'react'
import { Icon } from '../ui/icon.tsx'
import { isPicture, positionOf, type Shown, sourceFor } from './picture.ts'

type Props = {
  of: Shown & { mimeType: string }
  /** How wide it is shown, in CSS pixels. */
  px: number
  alt?: string
  isWhole?: boolean
}

/**
 * A picture in a box of a fixed size: first its placeholder, then the picture, cropped around its focal point. What is
 * none has the drawing of its kind.
 */
export function Thumb({ of, px, alt = '', isWhole = false }: Props) {
  const [state, setState] = useState<'loading' | 'shown' | 'broken'>('loading')
  const source = sourceFor(of, px * Math.min(devicePixelRatio, 2))
  const isShown = source !== undefined && (isPicture(of) || of.mimeType.startsWith('image/')) && !isSvg(of)
  if (!isShown || state === 'broken')
    return (
      <span className="media-box plain" role={alt ? 'img' : undefined} aria-label={alt || undefined}>
        <Icon of={state === 'broken' ? ImageOff : iconOf(of.mimeType)} big />
      </span>
    )
  const isWaiting = state === 'loading' && of.placeholder
  return (
    <span
      className={isWaiting ? 'media-box waiting' : 'media-box'}
      style={isWaiting ? { backgroundImage: `url("${of.placeholder}")` } : undefined}
    >
      <img
        src={source}
        alt={alt}
        width={of.width ?? undefined}
        height={of.height ?? undefined}
        loading="lazy"
        decoding="async"
        draggable={false}
        style={isWhole ? { objectFit: 'contain' } : { objectPosition: positionOf(of.focalPoint) }}
        onLoad={() => setState('shown')}
        onError={() => setState('broken')}
      />
    </span>
  )
}

/** Served as a download only: browsers do not draw it. */
const isSvg = ({ mimeType, renditions }: Props['of']) => mimeType === 'image/svg+xml' && renditions?.length === 0

export const iconOf = (mimeType: string) => {
  if (mimeType.startsWith('video/')) return Clapperboard
  if (mimeType.startsWith('audio/')) return AudioLines
  return /pdf|text|word|epub/.test(mimeType) ? FileText : File
}
