import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import {
  ArrowDown,
  ArrowUp,
  ChevronDown,
  ChevronRight,
  Ellipsis,
  GripVertical,
  IndentDecrease,
  IndentIncrease,
  PencilLine,
  Plus,
  Trash2,
} from 'lucide-react'
import { memo, type PointerEvent, useRef, useState } from 'react'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem, MenuRule } from '../ui/menu.tsx'
import { Dot } from '../ui/status.tsx'
import { ProductsLink } from './products-link.tsx'
import type { Row, Step } from './tree.ts'
import { INDENT_PX } from './use-drag.ts'
import { useLocaleName } from './words.ts'

/** What can be done with a row. The functions stay the same, so that a row is drawn only when it changes. */
export type RowActs = {
  onPick: (id: string) => void
  onToggle: (id: string) => void
  onGrab: (event: PointerEvent, row: Row) => void
  onStep: (id: string, step: Step) => void
  onRename: (id: string, name: string | undefined) => void
  onStartRename: (id: string) => void
  onNew: (id: string) => void
  onDelete: (id: string) => void
  canStep: (id: string, step: Step) => boolean
}

type Props = RowActs & {
  row: Row
  id: string
  isAt: boolean
  isRenamed: boolean
  isWaiting: boolean
  isDragged: boolean
  /** In it and below it, as the list behind it has them. */
  products: number
  /** The locales in which it should have a name and an address. */
  translated: readonly string[]
}

export const CategoryRow = memo(function CategoryRow(props: Props) {
  const { t } = useLingui()
  const { row, id, isAt, isRenamed, isWaiting, isDragged, products, translated, onPick, onToggle, onGrab, onRename } =
    props
  const { node, level, index, count, hasBelow, isOpen } = row
  const business = addressOf(useBusiness())
  const localeName = useLocaleName()
  const missing = translated.filter((locale) => !node.locales.includes(locale))
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree has the keys
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      className={`branch ${isAt ? 'at' : ''} ${isDragged ? 'dragged' : ''}`}
      aria-level={level}
      aria-posinset={index}
      aria-setsize={count}
      aria-expanded={hasBelow ? isOpen : undefined}
      aria-selected={isAt}
      onClick={({ target }) => {
        const isControl = target instanceof Element && target.closest('a, button, input') !== null
        if (!isControl) onPick(node.id)
      }}
    >
      <span className="grip" aria-hidden="true" onPointerDown={(event) => onGrab(event, row)}>
        <Icon of={GripVertical} />
      </span>
      <span className="name" style={{ paddingInlineStart: (level - 1) * INDENT_PX }}>
        <button
          type="button"
          className={hasBelow ? 'twist' : 'twist none'}
          tabIndex={-1}
          aria-hidden="true"
          title={isOpen ? t`Close` : t`Open`}
          onClick={() => onToggle(node.id)}
        >
          <Icon of={isOpen ? ChevronDown : ChevronRight} />
        </button>
        {isRenamed ? (
          <Rename name={node.name} onEnd={(name) => onRename(node.id, name)} />
        ) : (
          <Link
            to="/$business/categories/$category"
            params={{ business, category: node.id }}
            className="cut"
            tabIndex={-1}
            draggable={false}
          >
            {node.name}
          </Link>
        )}
        {isWaiting && (
          <span title={t`Processing…`}>
            <Dot fill="unknown" tone="wait" />
          </span>
        )}
      </span>
      <span className="lacks hide-phone">
        {missing.length > 0 && (
          <span className="badge wait">
            <Trans>{missing.map(localeName).join(', ')} missing</Trans>
          </span>
        )}
      </span>
      <span className="goods">
        {products > 0 ? (
          <ProductsLink id={node.id} tabIndex={-1} className="plain">
            <Plural value={products} one="# product" other="# products" />
          </ProductsLink>
        ) : (
          <span className="soft">–</span>
        )}
      </span>
      <RowMenu {...props} />
    </div>
  )
})

function Rename({ name, onEnd }: { name: string; onEnd: (name: string | undefined) => void }) {
  const { t } = useLingui()
  const [typed, setTyped] = useState(name)
  // The field is left when it is taken away, too: only the first ending counts.
  const isOver = useRef(false)
  const endWith = (next: string | undefined) => {
    if (isOver.current) return
    isOver.current = true
    onEnd(next)
  }
  const end = () => endWith(typed.trim() && typed.trim() !== name ? typed.trim() : undefined)
  return (
    <input
      className="input"
      aria-label={t`Name of ${name}`}
      maxLength={200}
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for
      autoFocus
      onFocus={(event) => event.target.select()}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={end}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') end()
        if (event.key === 'Escape') endWith(undefined)
      }}
    />
  )
}

function RowMenu({ row: { node }, canStep, onStep, onStartRename, onNew, onDelete }: Props) {
  const { t } = useLingui()
  const step = (one: Step) => ({
    reason: canStep(node.id, one) ? undefined : t`not from here`,
    onClick: () => onStep(node.id, one),
  })
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- only keeps its keys
    <span className="acts" onKeyDown={(event) => event.stopPropagation()}>
      <Menu
        align="end"
        trigger={<Button look="quiet small" icon={Ellipsis} only={t`Do with ${node.name}`} tabIndex={-1} />}
      >
        <MenuItem icon={Plus} onClick={() => onNew(node.id)}>{t`New category in it`}</MenuItem>
        <MenuItem icon={PencilLine} end="F2" onClick={() => onStartRename(node.id)}>{t`Rename`}</MenuItem>
        <MenuRule />
        <MenuItem icon={ArrowUp} end="Alt ↑" {...step('up')}>{t`Move up`}</MenuItem>
        <MenuItem icon={ArrowDown} end="Alt ↓" {...step('down')}>{t`Move down`}</MenuItem>
        <MenuItem icon={IndentIncrease} end="Alt →" {...step('in')}>{t`Move into the one before`}</MenuItem>
        <MenuItem icon={IndentDecrease} end="Alt ←" {...step('out')}>{t`Move out`}</MenuItem>
        <MenuRule />
        <MenuItem icon={Trash2} end="Del" onClick={() => onDelete(node.id)}>{t`Delete`}</MenuItem>
      </Menu>
    </span>
  )
}
