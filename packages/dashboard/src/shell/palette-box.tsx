import { Dialog as Base } from '@base-ui/react/dialog'
import { Trans, useLingui } from '@lingui/react/macro'
import { type LucideIcon, Search } from 'lucide-react'
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { Icon } from '../ui/icon.tsx'
import { Mark } from '../ui/mark.tsx'
import { useEnter } from '../ui/use-enter.ts'
import { type Command, useAllCommands } from './commands.ts'
import { Keys } from './keys.tsx'

export type Item = {
  id: string
  group: string
  icon: LucideIcon | undefined
  label: string
  end?: ReactNode
  reason?: string | undefined
  run: () => void
}

type Props = {
  text: string
  onText: (text: string) => void
  /** The text that `records` are for: it may be behind the one that is typed. */
  searched: string
  records: readonly Item[]
  /** They are still those of an earlier text. */
  isSearching: boolean
  /** What can be typed, in the empty field. */
  placeholder: string
  onClose: () => void
}

/** One field, and what fits what is typed in it: chosen by arrows, opened by Enter. */
export function PaletteBox({ text, onText, searched, records, isSearching, placeholder, onClose }: Props) {
  const { t } = useLingui()
  const { first, rest } = useActions(searched)
  const items = [...first, ...records, ...rest]
  const [at, setAt] = useState(0)
  const listId = useId()
  const chosen = items[Math.min(at, items.length - 1)]
  const chosenId = chosen && `${listId}-${chosen.id}`
  useEffect(() => {
    if (chosenId) document.getElementById(chosenId)?.scrollIntoView({ block: 'nearest' })
  }, [chosenId])
  const run = (item: Item | undefined) => {
    if (!item || item.reason) return
    onClose()
    item.run()
  }
  const isBehind = searched !== text || (isSearching && first.length === 0)
  const enter = useEnter(isBehind, () => run(chosen))
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setAt((before) => (Math.min(before, items.length - 1) + step + items.length) % Math.max(items.length, 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      enter.press()
    }
  }
  return (
    <Base.Root open onOpenChange={(open) => open || onClose()}>
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup className="popup centre palette" aria-label={t`Find or do`}>
          <div className="ask">
            <Icon of={Search} />
            <input
              autoFocus
              role="combobox"
              aria-expanded="true"
              aria-controls={listId}
              aria-activedescendant={chosenId}
              aria-label={t`Find or do`}
              placeholder={placeholder}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => {
                onText(event.target.value)
                setAt(0)
                enter.forget()
              }}
              onKeyDown={press}
            />
            <kbd>Esc</kbd>
          </div>
          <div className="list" role="listbox" id={listId} aria-label={t`Found`}>
            {items.map((item, index) => (
              <Fragment key={item.id}>
                {item.group !== items[index - 1]?.group && <h3 role="presentation">{item.group}</h3>}
                {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field above has the keys */}
                <div
                  className="item"
                  role="option"
                  id={`${listId}-${item.id}`}
                  aria-selected={item === chosen}
                  aria-disabled={item.reason ? true : undefined}
                  onPointerMove={() => setAt(index)}
                  onClick={() => run(item)}
                >
                  {item.icon && <Icon of={item.icon} />}
                  <span className="cut">
                    <Mark text={item.label} words={text} />
                  </span>
                  <span className="end">{item.reason ?? item.end}</span>
                </div>
              </Fragment>
            ))}
            {items.length === 0 && (
              <p className="note p-2" role="presentation">
                <Trans>Nothing has that name or number.</Trans>
              </p>
            )}
          </div>
          <div className="foot hide-phone">
            <span>
              <kbd>↑</kbd> <kbd>↓</kbd> <Trans>choose</Trans>
            </span>
            <span>
              <kbd>Enter</kbd> <Trans>open</Trans>
            </span>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/**
 * What can be done here, by the words of its name. What can be done everywhere goes before the records that are found, where a word of it
 * begins so. What this screen offers goes after them: it names a record itself, as in "Refund" and a number.
 */
function useActions(text: string): { first: Item[]; rest: Item[] } {
  const { t } = useLingui()
  const wanted = text.trim().toLowerCase()
  const found = useAllCommands().filter(
    ({ label, inPalette = true }) => inPalette && label.toLowerCase().includes(wanted),
  )
  const toItem = (command: Command): Item => ({
    id: command.id.replaceAll(/[^a-z-]/g, '-'),
    group: t`Do`,
    icon: command.icon,
    label: command.label,
    end: command.keys && <Keys keys={command.keys} />,
    reason: command.reason,
    run: command.run,
  })
  const { first = [], rest = [] } = Object.groupBy(found, ({ label, isFrame }) =>
    isFrame && wanted.length > 1 && ` ${label.toLowerCase()}`.includes(` ${wanted}`) ? 'first' : 'rest',
  )
  return { first: first.map(toItem), rest: rest.map(toItem) }
}
