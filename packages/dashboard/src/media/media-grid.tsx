import type { Answer } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef } from 'react'
import { useFormat } from '../session/use-format.ts'
import { useLatest } from '../ui/use-latest.ts'
import { Thumb } from './thumb.tsx'
import { FileState, useFileSize } from './words.tsx'

type MediaFile = Answer<'getMedia'>

type Props = {
  label: string
  files: readonly MediaFile[]
  /** The whole tile: a link that opens, or a button that picks. It has `data-tile`, and its content is given. */
  tile: (file: MediaFile, content: ReactNode) => ReactNode
  onEnd: () => void
}

const THUMB_PX = 240

/** Tiles, to be walked through with the arrow keys. The end of the list asks for more. */
export function MediaGrid({ label, files, tile, onEnd }: Props) {
  const grid = useRef<HTMLUListElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const more = useLatest(onEnd)
  useEffect(() => {
    if (!end.current) return undefined
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) more()
      },
      { rootMargin: '600px' },
    )
    watch.observe(end.current)
    return () => watch.disconnect()
    // What came may not have filled the page.
  }, [more, files.length])
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its tiles have the focus */}
      <ul className="media-grid" ref={grid} aria-label={label} onKeyDown={(event) => walk(event, grid.current)}>
        {files.map((file) => (
          <li key={file.id}>{tile(file, <TileContent file={file} />)}</li>
        ))}
      </ul>
      <div ref={end} />
    </>
  )
}

export const tilesIn = (root: ParentNode | null) => [...(root?.querySelectorAll<HTMLElement>('[data-tile]') ?? [])]

/** Left and right by one, up and down by a row, whatever the width of the window makes of it. */
function walk(event: KeyboardEvent, root: ParentNode | null): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const tiles = tilesIn(root)
  const at = tiles.indexOf(document.activeElement as HTMLElement)
  if (at < 0) return
  const top = (tile: HTMLElement | undefined) => tile?.getBoundingClientRect().top
  const second = tiles.findIndex((tile) => top(tile) !== top(tiles[0]))
  const columns = second < 0 ? tiles.length : second
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    Home: -at,
    End: tiles.length - 1 - at,
  }
  const step = steps[event.key]
  if (step === undefined) return
  event.preventDefault()
  const next = at + step
  tiles[next < 0 || next >= tiles.length ? at : next]?.focus()
}

/** Picture, name, how large, and its state. Drawn once, however long the list becomes. */
const TileContent = memo(function TileContent({ file }: { file: MediaFile }) {
  return (
    <>
      <Thumb of={file} px={THUMB_PX} />
      <span className="name cut" title={file.fileName}>
        {file.fileName}
      </span>
      <span className="note cut">
        <Measures file={file} />
      </span>
      <span className="note">
        <FileState file={file} />
      </span>
    </>
  )
})

export function Measures({ file: { width, height, size, mimeType, renditions } }: { file: MediaFile }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const sizeOf = useFileSize()
  const kind = mimeType.split('/')[1]?.toUpperCase() ?? ''
  if (width !== null && height !== null && renditions.length > 0)
    return t`${number(width)} × ${number(height)}, ${sizeOf(size)}`
  return kind.length > 4 ? sizeOf(size) : `${kind}, ${sizeOf(size)}`
}
