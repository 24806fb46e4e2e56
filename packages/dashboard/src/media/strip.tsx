import './strip.css'
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, ArrowRight, X } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import type { Item } from './picture.ts'
import { Thumb } from './thumb.tsx'

type Props = {
  label: string
  items: readonly Item[]
  onChange: (items: Item[]) => void
  /** How more are added. */
  children: ReactNode
}

const THUMB_PX = 112
const keyOf = ({ mediaId, url }: Item) => mediaId ?? url

/** Pictures in their order: dragged, or moved with the arrow keys; Del takes one away. The first is the one that lists show. */
export function Strip({ label, items, onChange, children }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const [held, setHeld] = useState<number>()
  const [gap, setGap] = useState<number>()
  const focusAt = useRef<number>(undefined)
  useEffect(() => {
    // The picture that was moved may have lost the focus with its place.
    const at = focusAt.current
    focusAt.current = undefined
    if (at !== undefined) list.current?.querySelectorAll<HTMLElement>('.grip')[at]?.focus()
  }, [items])
  const move = (from: number, to: number) => {
    const item = items[from]
    if (!item || to < 0 || to >= items.length || from === to) return
    onChange(items.toSpliced(from, 1).toSpliced(to, 0, item))
  }
  const remove = (index: number) => onChange(items.toSpliced(index, 1))
  const press = (event: KeyboardEvent, index: number) => {
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: items.length - 1 }[event.key]
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (to !== undefined) {
      focusAt.current = Math.max(0, Math.min(items.length - 1, to))
      move(index, focusAt.current)
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      focusAt.current = Math.min(index, items.length - 2)
      remove(index)
    } else return
    event.preventDefault()
  }
  const over = (event: DragEvent<HTMLElement>, index: number) => {
    if (held === undefined) return
    event.preventDefault()
    const box = event.currentTarget.getBoundingClientRect()
    setGap(event.clientX < box.left + box.width / 2 ? index : index + 1)
  }
  const drop = (event: DragEvent) => {
    if (held === undefined || gap === undefined) return
    event.preventDefault()
    move(held, gap > held ? gap - 1 : gap)
  }
  const end = () => {
    setHeld(undefined)
    setGap(undefined)
  }
  return (
    <ul className="strip" ref={list} aria-label={label}>
      {items.map((item, index) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons in it do the same
        <li
          key={keyOf(item)}
          className={[
            index === 0 ? 'first' : '',
            held === index ? 'held' : '',
            held !== undefined && gap === index ? 'gap-before' : '',
            held !== undefined && gap === items.length && index === items.length - 1 ? 'gap-after' : '',
          ].join(' ')}
          draggable
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = 'move'
            event.dataTransfer.setData('text/plain', keyOf(item))
            setHeld(index)
          }}
          onDragOver={(event) => over(event, index)}
          onDrop={drop}
          onDragEnd={end}
        >
          <Picture
            {...{ item, index }}
            count={items.length}
            onPress={(event) => press(event, index)}
            onMove={(to) => move(index, to)}
            onRemove={() => remove(index)}
          />
        </li>
      ))}
      <li className="strip-add">{children}</li>
    </ul>
  )
}

type PictureProps = {
  item: Item
  index: number
  count: number
  onPress: (event: KeyboardEvent) => void
  onMove: (to: number) => void
  onRemove: () => void
}

function Picture({ item, index, count, onPress, onMove, onRemove }: PictureProps) {
  const { t } = useLingui()
  return (
    <>
      <button
        type="button"
        className="grip"
        aria-label={t`Picture ${index + 1} of ${count}. The arrow keys move it, Del takes it away.`}
        onKeyDown={onPress}
      />
      <Thumb of={item} px={THUMB_PX} alt={t`Picture ${index + 1}`} />
      <AltNote item={item} />
      <span className="moves">
        <Button
          look="quiet small"
          icon={ArrowLeft}
          only={t`Move picture ${index + 1} forward`}
          reason={index === 0 ? t`Already first` : undefined}
          onClick={() => onMove(index - 1)}
        />
        <Button
          look="quiet small"
          icon={ArrowRight}
          only={t`Move picture ${index + 1} back`}
          reason={index === count - 1 ? t`Already last` : undefined}
          onClick={() => onMove(index + 1)}
        />
        <Button look="quiet small" icon={X} only={t`Take picture ${index + 1} away`} onClick={onRemove} />
      </span>
    </>
  )
}

/** What it says to those who do not see it; where it is a file of the library, that is changed there. */
function AltNote({ item }: { item: Item }) {
  const { t } = useLingui()
  const place = useBusiness()
  const { alt = {}, mediaId } = item
  const text = alt[place.defaultLocale]?.trim() || Object.values(alt).find((one) => one.trim())
  if (!mediaId) return <span className="note alt">{t`by its address`}</span>
  return (
    <Link
      to="/$business/media/$file"
      params={{ business: addressOf(place), file: mediaId }}
      className={text ? 'note alt' : 'note alt wait-text'}
      title={text}
      draggable={false}
    >
      {text ?? t`No alt text`}
    </Link>
  )
}
