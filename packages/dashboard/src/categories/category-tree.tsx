import { useLingui } from '@lingui/react/macro'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useBusiness } from '../session/use-business.ts'
import { useLatest } from '../ui/use-latest.ts'
import { CategoryRow, type RowActs } from './category-row.tsx'
import { countProducts, type Place, rowsOf, type Step, stepOf, type Tree } from './tree.ts'
import { type Drop, INDENT_PX, useDrag } from './use-drag.ts'
import { useTreeKeys } from './use-tree-keys.ts'
import { usePlaceWords } from './words.ts'

const ROW_PX = 34
const TOUCH_ROW_PX = 44
const isTouch = () => matchMedia('(pointer: coarse), (max-width: 640px)').matches
const NAME_PX = 32

type Props = {
  tree: Tree
  waiting: ReadonlySet<string>
  at: string | undefined
  closed: ReadonlySet<string>
  onAt: (id: string) => void
  onToggle: (id: string) => void
  onOpenAll: (ids: readonly string[]) => void
  onMove: (id: string, place: Place, isByHand: boolean) => void
  onRename: (id: string, name: string) => void
  onOpen: (id: string) => void
  onNew: (id: string) => void
  onDelete: (id: string) => void
}

/** Only the rows in sight are in the page, however many there are. */
export function CategoryTree(props: Props) {
  const { t } = useLingui()
  const { tree, waiting, closed, onMove, onRename, onOpen, onNew, onDelete } = props
  const { locales, defaultLocale } = useBusiness()
  const baseId = useId()
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [rowPx] = useState(() => (isTouch() ? TOUCH_ROW_PX : ROW_PX))
  const [renamed, setRenamed] = useState<string>()
  const [said, setSaid] = useState('')
  const words = usePlaceWords(tree)
  const rows = useMemo(() => rowsOf(tree, closed), [tree, closed])
  const at = Math.max(
    0,
    rows.findIndex(({ node }) => node.id === props.at),
  )
  useLayoutEffect(() => setTop((box.current?.getBoundingClientRect().top ?? 0) + scrollY), [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => rows[index]?.node.id ?? index,
  })
  const { drag, grab } = useDrag({ tree, closed, rowPx, box, onDrop: (id, place) => onMove(id, place, true) })
  const draggedAt = drag ? rows.findIndex(({ node }) => node.id === drag.id) : -1
  const goTo = (id: string) => {
    props.onAt(id)
    const index = rows.findIndex(({ node }) => node.id === id)
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' })
  }
  const step = (id: string, wanted: Step) => {
    const place = stepOf(tree, id, wanted)
    props.onAt(id)
    if (!place) return setSaid(t`It cannot go further that way.`)
    onMove(id, place, false)
    setSaid(words(place))
  }
  const endRename = (id: string, name: string | undefined) => {
    setRenamed(undefined)
    box.current?.focus({ preventScroll: true })
    if (name !== undefined) onRename(id, name)
  }
  const press = useTreeKeys({
    tree,
    rows,
    at,
    goTo,
    step,
    go: (index) => goTo(rows[index]?.node.id ?? ''),
    toggle: props.onToggle,
    openAll: props.onOpenAll,
    open: onOpen,
    rename: setRenamed,
    remove: onDelete,
    add: onNew,
  })
  const acts: RowActs = {
    onPick: useLatest(props.onAt),
    onToggle: useLatest(props.onToggle),
    onGrab: grab,
    onStep: useLatest(step),
    onRename: useLatest(endRename),
    onStartRename: useLatest((id: string) => setRenamed(id)),
    onNew: useLatest(onNew),
    onDelete: useLatest(onDelete),
    canStep: useLatest((id: string, one: Step) => stepOf(tree, id, one) !== undefined),
  }
  const translated = useMemo(() => locales.filter((locale) => locale !== defaultLocale), [locales, defaultLocale])
  const shown = virtual.getVirtualItems()
  const current = rows[at]?.node.id
  return (
    <>
      <div
        ref={box}
        role="tree"
        className={`category-tree ${drag ? 'dragging' : ''}`}
        tabIndex={0}
        aria-label={t`Categories`}
        aria-activedescendant={shown.some(({ index }) => index === at) ? `${baseId}${current}` : undefined}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={press}
      >
        {shown.map(({ index, start }) => {
          const row = rows[index]
          if (!row) return null
          const { id } = row.node
          return (
            <div key={id} role="presentation" className="at-row" style={{ top: start - top, height: rowPx }}>
              <CategoryRow
                row={row}
                id={`${baseId}${id}`}
                isAt={index === at}
                isRenamed={renamed === id}
                isWaiting={waiting.has(id)}
                isDragged={isPart(rows, draggedAt, index)}
                products={countProducts(tree, id)}
                translated={translated}
                {...acts}
              />
            </div>
          )
        })}
        {drag?.drop && (
          <DropLine drop={drag.drop} words={words(drag.drop)} y={yOf(rows, draggedAt, drag.drop, rowPx)} />
        )}
      </div>
      <p className="unseen" role="status">
        {drag ? (drag.drop ? words(drag.drop) : '') : said}
      </p>
    </>
  )
}

type Rows = ReturnType<typeof rowsOf>

/** The dragged row and those below it, which come along. */
function isPart(rows: Rows, draggedAt: number, index: number): boolean {
  const dragged = rows[draggedAt]
  if (!dragged || index < draggedAt) return false
  return rows.slice(draggedAt + 1, index + 1).every(({ level }) => level > dragged.level)
}

/** The gap is counted without what is dragged, the line is drawn among all rows. */
function yOf(rows: Rows, draggedAt: number, { gap }: Drop, rowPx: number): number {
  const parts = rows.filter((_, index) => isPart(rows, draggedAt, index)).length
  return (gap > draggedAt ? gap + parts : gap) * rowPx
}

const DropLine = ({ drop: { level }, words, y }: { drop: Drop; words: string; y: number }) => (
  <div
    role="presentation"
    className="drop-line"
    style={{ top: y, insetInlineStart: `calc(var(--edge) + ${NAME_PX + (level - 1) * INDENT_PX}px)` }}
  >
    <span aria-hidden="true">{words}</span>
  </div>
)
