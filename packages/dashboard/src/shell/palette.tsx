import { Dialog as Base } from '@base-ui/react/dialog'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Box, type LucideIcon, ReceiptText, Search, User } from 'lucide-react'
import { Fragment, type KeyboardEvent, type ReactNode, useDeferredValue, useId, useState } from 'react'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Icon } from '../ui/icon.tsx'
import { Mark } from '../ui/mark.tsx'
import { Money } from '../ui/money.tsx'
import { useAllCommands } from './commands.ts'
import { useFound } from './find.ts'
import { Keys } from './keys.tsx'

type Item = {
  id: string
  group: string
  icon: LucideIcon | undefined
  label: string
  end?: ReactNode
  reason?: string | undefined
  run: () => void
}

/** Ctrl K: finds and does. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const items = useItems(useDeferredValue(text))
  const chosen = items[Math.min(at, items.length - 1)]
  const run = (item: Item | undefined) => {
    if (!item || item.reason) return
    onClose()
    item.run()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setAt((before) => (Math.min(before, items.length - 1) + step + items.length) % Math.max(items.length, 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(chosen)
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
              aria-activedescendant={chosen && `${listId}-${chosen.id}`}
              aria-label={t`Find or do`}
              placeholder={t`A number, a name, or what to do`}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => {
                setText(event.target.value)
                setAt(0)
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

function useItems(text: string): Item[] {
  const { t } = useLingui()
  const navigate = useNavigate()
  const business = addressOf(useBusiness())
  const commands = useAllCommands()
  const found = useFound(text)
  const wanted = text.trim().toLowerCase()
  const orders = (found?.orders ?? []).map(
    (order): Item => ({
      id: order.id,
      group: t`Orders`,
      icon: ReceiptText,
      label: [order.number, order.email].filter(Boolean).join(', '),
      end: <Money amount={order.total} currency={order.currency} />,
      run: () => void navigate({ to: '/$business/orders/$order', params: { business, order: order.id } }),
    }),
  )
  const customers = (found?.customers ?? []).map(
    (customer): Item => ({
      id: customer.id,
      group: t`Customers`,
      icon: User,
      label: [customer.name, customer.email].filter(Boolean).join(', ') || customer.id,
      run: () => void navigate({ to: '/$business/customers/$customer', params: { business, customer: customer.id } }),
    }),
  )
  const { may, mayAny } = usePermissions()
  const products = (may('PRODUCTS_WRITE') ? (found?.products ?? []) : []).map(
    (product): Item => ({
      id: product.id,
      group: t`Products`,
      icon: Box,
      label: [product.name, product.sku].filter(Boolean).join(', '),
      run: () => void navigate({ to: '/$business/products/$product', params: { business, product: product.id } }),
    }),
  )
  const entries = (mayAny('CONTENT_WRITE', 'CONTENT_READ_DRAFTS') ? (found?.entries ?? []) : []).flatMap(
    ({ id, title, collectionId: collection }): Item[] =>
      collection === null
        ? []
        : [
            {
              id,
              group: t`Content`,
              icon: commands.find((one) => one.id === 'go /$business/content')?.icon,
              label: title || id,
              run: () =>
                void navigate({
                  to: '/$business/content/$collection/$entry',
                  params: { business, collection, entry: id },
                }),
            },
          ],
  )
  const actions = commands
    .filter(({ label, inPalette = true }) => inPalette && label.toLowerCase().includes(wanted))
    .map((command) => ({
      id: command.id.replaceAll(/[^a-z-]/g, '-'),
      group: t`Do`,
      icon: command.icon,
      label: command.label,
      end: command.keys && <Keys keys={command.keys} />,
      reason: command.reason,
      run: command.run,
    }))
  return [...orders, ...products, ...customers, ...entries, ...actions]
}
