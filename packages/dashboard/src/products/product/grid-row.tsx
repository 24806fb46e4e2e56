import { amountStep, formatPrice } from '@kontor/sdk'
import { Clock } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, memo, type ReactNode, useLayoutEffect, useRef } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { Dot } from '../../ui/status.tsx'
import { parseAmount } from '../amount.ts'
import { cellText, fieldIn, type GridColumn, isFixed, isWrong, type Sheet, signed } from './cells.ts'
import { type Edit, isPlanned, isUnsaved, type Row, readField, titleOf, variantOf } from './edits.ts'
import type { CellWords } from './use-cell-words.ts'
import type { Typing } from './use-grid.ts'

/** What happens to the stock while one edits, by variant: sold or come in since the page is open, and asked but not known. */
export type Live = { moved: ReadonlyMap<string, number>; asked: ReadonlyMap<string, number>; odd: ReadonlySet<string> }

type Props = {
  row: Row
  index: number
  sheet: Sheet
  live: Live
  words: CellWords
  /** The columns of the selection; −1: this row is not in it. */
  left: number
  right: number
  here: number
  typing: Typing | undefined
  /** The last row of the selection, and one that the corner is drawn over. */
  isEnd: boolean
  isFilled: boolean
  onType: (text: string) => void
  onPress: (event: KeyboardEvent<HTMLInputElement>) => void
  onPaste: (event: ClipboardEvent) => void
  onCopy: (event: ClipboardEvent) => void
  onLeave: () => void
}

/** Drawn again only when something of it has changed: every key would draw all rows otherwise. */
export const GridRow = memo(function GridRow(props: Props) {
  const { row, index, sheet, words, left, right, here, isEnd, isFilled } = props
  const title = titleOf(row) || words.only
  return (
    <tr data-row={index} aria-rowindex={index + 3}>
      <th scope="row" title={title}>
        {title}
        {row.isNew && !isUnsaved(sheet.product) && <span className="badge wait">{words.isNew}</span>}
      </th>
      {sheet.columns.map((column, place) => {
        const isIn = place >= left && place <= right
        const isHere = place === here
        const shown = cellOf(props, column)
        return (
          <td
            key={column.id}
            data-column={place}
            aria-colindex={place + 2}
            aria-selected={isIn || undefined}
            title={shown.title}
            className={[
              column.kind === 'sku' ? 'sku' : `num ${column.kind}`,
              shown.state,
              isIn || (isFilled && place >= left) ? 'in' : '',
              isHere ? 'here' : '',
            ].join(' ')}
          >
            {shown.content}
            {isHere && <CellInput {...props} column={column} label={`${title}, ${words.nameOf(column)}`} />}
            {isEnd && isIn && place === right && <span className="handle" />}
          </td>
        )
      })}
    </tr>
  )
}, isSameRow)

function isSameRow(one: Props, other: Props): boolean {
  const { sheet, live, typing: _typing, ...rest } = other
  const names = Object.keys(rest) as (keyof typeof rest)[]
  if (names.some((name) => name !== 'row' && one[name] !== other[name]) || one.typing !== other.typing) return false
  if (titleOf(one.row) !== titleOf(other.row) || one.row.isNew !== other.row.isNew) return false
  const { id } = other.row
  if (one.sheet.columns !== sheet.columns || one.sheet.locale !== sheet.locale) return false
  if (one.sheet.product !== sheet.product && variantOf(one.sheet.product, id) !== variantOf(sheet.product, id))
    return false
  if (
    one.live !== live &&
    (one.live.moved.get(id) !== live.moved.get(id) || one.live.asked.get(id) !== live.asked.get(id))
  )
    return false
  return sheet.columns.every((column) => {
    const field = fieldIn(column, id)
    return one.sheet.edits[field] === sheet.edits[field] && one.live.odd.has(field) === live.odd.has(field)
  })
}

type Shown = { state: string; content: ReactNode; title?: string | undefined }

/** A cell has one of seven states: plain, edited, selected, wrong, moved by somebody else, not sold there, fixed. */
function cellOf({ row, sheet, live, words }: Props, column: GridColumn): Shown {
  const { product, edits, locale } = sheet
  const field = fieldIn(column, row.id)
  const edit = edits[field]
  const value = edit ? edit.now : readField(product, field)
  const text = cellText(value, column, locale)
  if (column.kind === 'stock') return stockCell({ row, sheet, live, words }, column, edit)
  const was = edit && edit.was !== null && edit.was !== '' && !row.isNew && (
    <s className="was">{cellText(edit.was, column, locale)}</s>
  )
  if (isWrong(column, value)) {
    const currency = column.market?.currency ?? 'EUR'
    const isAmount = parseAmount(text, currency) !== undefined
    const least = formatPrice(amountStep(currency), currency, locale)
    const title = isAmount ? words.multipleOf(least) : words.noAmount
    return { state: 'wrong', content: text, title }
  }
  if (column.kind === 'price' && value === null) {
    const content = (
      <>
        {was}
        <span>{words.notSold}</span>
      </>
    )
    return { state: edit ? `none ${editedIn(sheet)}` : 'none', content }
  }
  const planned = column.kind === 'price' ? plannedOf(sheet, row, column) : undefined
  const content = (
    <>
      {planned && <Icon of={Clock} />}
      {was}
      {text}
    </>
  )
  const isOdd = live.odd.has(field)
  const title = isOdd ? words.far : planned && words.planned(planned)
  return { state: isOdd ? 'wrong' : edit ? editedIn(sheet) : '', content, title }
}

/** Of a product that is not stored yet all is new: nothing stands out. */
const editedIn = ({ product }: Sheet) => (isUnsaved(product) ? '' : 'edited')

function stockCell(
  { row, sheet, live, words }: Pick<Props, 'row' | 'sheet' | 'live' | 'words'>,
  column: GridColumn,
  edit: Edit | undefined,
): Shown {
  if (isFixed(column, sheet.product, row)) return { state: 'fixed', content: words.notCounted }
  const quantity = variantOf(sheet.product, row.id)?.inventory.quantity ?? 0
  if (edit && isWrong(column, edit.now)) return { state: 'wrong', content: edit.now as string, title: words.noPieces }
  if (edit && row.isNew) return { state: editedIn(sheet), content: String(edit.now) }
  const changed = (delta: number) => (
    <>
      {quantity} <b>{signed(delta)}</b>
    </>
  )
  if (edit) return { state: 'edited', content: changed(edit.now as number) }
  const asked = live.asked.get(row.id)
  if (asked) {
    const content = (
      <>
        {changed(asked)} <Dot fill="unknown" tone="wait" />
      </>
    )
    return { state: 'moved', content, title: words.asked }
  }
  const moved = live.moved.get(row.id) ?? 0
  if (moved === 0) return { state: quantity === 0 && !row.isNew ? 'gone' : '', content: quantity }
  const content = (
    <>
      {quantity}
      <span className="badge">{moved < 0 ? words.sold(-moved) : words.came(moved)}</span>
    </>
  )
  return { state: 'moved', content }
}

const day = (seconds: number | undefined, locale: string) =>
  seconds === undefined ? '…' : new Date(seconds * 1_000).toLocaleDateString(locale)

function plannedOf({ product, locale }: Sheet, { id }: Row, column: GridColumn): string | undefined {
  const planned = (variantOf(product, id)?.pricing.markets ?? []).filter(
    (price) => price.marketId === column.market?.id && isPlanned(price),
  )
  if (planned.length === 0) return undefined
  return planned
    .map(
      ({ price, validFrom, validTo }) =>
        `${cellText(price, column, locale)} (${day(validFrom, locale)} – ${day(validTo, locale)})`,
    )
    .join(', ')
}

/** The field of the cell that one is at. It is not seen until something is typed: what is typed takes the place of what is there. */
function CellInput(props: Props & { column: GridColumn; label: string }) {
  const { row, sheet, column, typing, label, onType, onPress, onPaste, onCopy, onLeave } = props
  const field = useRef<HTMLInputElement>(null)
  const value = readText(sheet, row, column)
  const isTyping = typing !== undefined
  useLayoutEffect(() => {
    const input = field.current
    const box = input?.closest('.grid-box')
    // Only where the grid is worked in: the page is not scrolled to it when it opens.
    if (!input || !box?.hasAttribute('data-entered')) return
    const { activeElement } = document
    if (activeElement !== document.body && !box.contains(activeElement)) return
    input.focus({ preventScroll: true })
    input.closest('td')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [])
  useLayoutEffect(() => {
    // To select takes the focus, too: only where it is already.
    if (field.current !== document.activeElement) return
    if (!isTyping) field.current?.select()
    else if (typing.isCaret) field.current?.setSelectionRange(typing.text.length, typing.text.length)
  }, [isTyping, value])
  return (
    <input
      ref={field}
      className={isTyping ? 'cell-input typing' : 'cell-input'}
      aria-label={label}
      inputMode={column.kind === 'sku' ? 'text' : 'decimal'}
      autoComplete="off"
      spellCheck={false}
      value={typing?.text ?? value}
      onChange={(event) => onType(event.target.value)}
      onFocus={(event) => {
        event.target.closest('.grid-box')?.setAttribute('data-entered', '')
        if (!isTyping) event.target.select()
      }}
      onBlur={onLeave}
      onKeyDown={onPress}
      onPaste={onPaste}
      onCopy={onCopy}
    />
  )
}

function readText({ product, edits, locale }: Sheet, row: Row, column: GridColumn): string {
  const field = fieldIn(column, row.id)
  const value = edits[field] ? edits[field].now : readField(product, field)
  if (column.kind === 'stock' && value === 0) return String(variantOf(product, row.id)?.inventory.quantity ?? 0)
  return cellText(value, column, locale)
}
