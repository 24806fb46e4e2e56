import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import { Sheet } from './dialog.tsx'

const BESIDE = '(min-width: 1401px)'

const watch = (listener: () => void) => {
  const media = matchMedia(BESIDE)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}
const useIsBeside = () => useSyncExternalStore(watch, () => matchMedia(BESIDE).matches)

/** Where the work of a sheet begins. */
const FIRST = '.body :is(input, select, textarea):not(:disabled)'

type Props = { onClose: () => void; title: string; children: ReactNode; foot?: ReactNode }

/**
 * A task beside the work: a column above 1400 px, over the work below, a whole page on a phone. Inside of `.with-sheet`.
 * Whoever shows it gives it an address.
 */
export function SideSheet({ onClose, title, children, foot }: Props) {
  return useIsBeside() ? (
    <Column {...{ onClose, title, foot }}>{children}</Column>
  ) : (
    <Sheet
      open
      {...{ onClose, title, foot }}
      initialFocus={() => document.querySelector<HTMLElement>(`.sheet-layer ${FIRST}`)}
    >
      {children}
    </Sheet>
  )
}

function Column({ onClose, title, children, foot }: Props) {
  const { t } = useLingui()
  const column = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const first = column.current?.querySelector<HTMLElement>(FIRST)
    ;(first ?? column.current)?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <aside
      className="sheet"
      ref={column}
      tabIndex={-1}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose()
      }}
    >
      <header>
        <h2>{title}</h2>
        <Button look="quiet" icon={X} only={t`Close`} onClick={onClose} />
      </header>
      <div className="body">{children}</div>
      {foot && <footer>{foot}</footer>}
    </aside>
  )
}
