import { useLingui } from '@lingui/react/macro'
import type { Editor } from '@tiptap/core'
import { redo, redoDepth, undo, undoDepth } from '@tiptap/pm/history'
import {
  Bold,
  Braces,
  Code,
  Image,
  Italic,
  Link,
  List,
  ListOrdered,
  type LucideIcon,
  Minus,
  MoreHorizontal,
  Quote,
  Redo2,
  RemoveFormatting,
  Strikethrough,
  Table,
  Underline,
  Undo2,
} from 'lucide-react'
import { type KeyboardEvent, useEffect, useReducer, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem, MenuRule } from '../../ui/menu.tsx'
import { Popover } from '../../ui/popover.tsx'
import { toWritten } from '../variable-words.ts'
import type { Variable } from './editor.tsx'
import { LinkForm } from './link-form.tsx'
import { PictureForm } from './picture-form.tsx'
import { addColumn, addRow, deleteColumn, deleteRow, deleteTable, hasJoined, insertTable, spotOf } from './table.ts'
import { insertVariable } from './variables.ts'

const LEVELS = [1, 2, 3, 4, 5, 6] as const

type Props = {
  editor: Editor | undefined
  name: string
  lang: string | undefined
  variables?: readonly Variable[] | undefined
}

/** What can be done with the text. One stop for Tab; arrows go through it. */
export function Toolbar({ editor, name, lang, variables = [] }: Props) {
  const { t } = useLingui()
  const bar = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<'link' | 'picture'>()
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    editor?.on('transaction', redraw)
    return () => void editor?.off('transaction', redraw)
  }, [editor])
  useEffect(() => {
    const stops = [...(bar.current?.querySelectorAll<HTMLElement>('button, select') ?? [])]
    const held = stops.find((one) => one === document.activeElement) ?? stops[0]
    for (const stop of stops) stop.tabIndex = stop === held ? 0 : -1
  })
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (event.key === 'Escape') editor?.commands.focus()
    if (!by || (event.target instanceof HTMLSelectElement && event.altKey)) return
    const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('button, select')]
    const at = stops.indexOf(document.activeElement as HTMLElement)
    if (at < 0) return
    event.preventDefault()
    const next = stops[(at + by + stops.length) % stops.length]
    for (const stop of stops) stop.tabIndex = stop === next ? 0 : -1
    next?.focus()
  }
  const chain = () => editor?.chain().focus()
  const isOn = (what: string) => editor?.isActive(what) ?? false
  const button = (icon: LucideIcon, label: string, isPressed: boolean | undefined, run: () => unknown) => (
    <button
      type="button"
      className="tool"
      aria-label={label}
      title={label}
      {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
      onClick={() => void run()}
    >
      <Icon of={icon} />
    </button>
  )
  const mark = (icon: LucideIcon, label: string, what: string) =>
    button(icon, label, isOn(what), () => chain()?.toggleMark(what).run())
  const level = LEVELS.find((one) => editor?.isActive('heading', { level: one }))
  const style = isOn('codeBlock') ? 'code' : level === undefined ? 'text' : String(level)
  const setStyle = (next: string) => {
    if (next === 'text') chain()?.setNode('paragraph').run()
    else if (next === 'code') chain()?.setNode('codeBlock').run()
    else
      chain()
        ?.setNode('heading', { level: Number(next) })
        .run()
  }
  const spot = editor && spotOf(editor)
  const isJoined = spot !== undefined && hasJoined(spot) ? t`The table has joined cells.` : undefined
  const isBack = editor !== undefined && undoDepth(editor.state) > 0
  const isForth = editor !== undefined && redoDepth(editor.state) > 0
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its buttons have the focus
    <div className="toolbar" role="toolbar" aria-label={t`Format ${name}`} ref={bar} onKeyDown={press}>
      <select
        className="tool-select"
        aria-label={t`Kind of paragraph`}
        value={style}
        onChange={({ target }) => setStyle(target.value)}
      >
        <option value="text">{t`Text`}</option>
        {LEVELS.filter((one) => (one > 1 && one < 5) || one === level).map((one) => (
          <option key={one} value={String(one)}>
            {t`Heading ${one}`}
          </option>
        ))}
        <option value="code">{t`Code`}</option>
      </select>
      {mark(Bold, t`Bold`, 'bold')}
      {mark(Italic, t`Italic`, 'italic')}
      {mark(Underline, t`Underlined`, 'underline')}
      <Popover
        label={t`Link`}
        open={open === 'link'}
        onOpenChange={(isOpen) => setOpen(isOpen ? 'link' : undefined)}
        trigger={button(Link, t`Link`, isOn('link'), () => {})}
      >
        {editor && <LinkForm editor={editor} onDone={() => setOpen(undefined)} />}
      </Popover>
      {button(List, t`List`, isOn('bulletList'), () => chain()?.toggleList('bulletList', 'listItem').run())}
      {button(ListOrdered, t`Numbered list`, isOn('orderedList'), () =>
        chain()?.toggleList('orderedList', 'listItem').run(),
      )}
      {button(Quote, t`Quotation`, isOn('blockquote'), () => chain()?.toggleWrap('blockquote').run())}
      <Popover
        label={t`Picture`}
        open={open === 'picture'}
        onOpenChange={(isOpen) => setOpen(isOpen ? 'picture' : undefined)}
        trigger={button(Image, t`Picture`, isOn('image'), () => {})}
      >
        {editor && <PictureForm editor={editor} onDone={() => setOpen(undefined)} />}
      </Popover>
      <Menu trigger={button(Table, t`Table`, spot !== undefined, () => {})}>
        {editor && spot ? (
          <>
            <MenuItem onClick={() => addRow(editor, spot)}>{t`Row below`}</MenuItem>
            <MenuItem reason={isJoined} onClick={() => addColumn(editor, spot)}>{t`Column after`}</MenuItem>
            <MenuRule />
            <MenuItem onClick={() => deleteRow(editor, spot)}>{t`Delete the row`}</MenuItem>
            <MenuItem reason={isJoined} onClick={() => deleteColumn(editor, spot)}>{t`Delete the column`}</MenuItem>
            <MenuItem onClick={() => deleteTable(editor, spot)}>{t`Delete the table`}</MenuItem>
          </>
        ) : (
          <MenuItem onClick={() => editor && insertTable(editor)}>{t`Insert a table`}</MenuItem>
        )}
      </Menu>
      {variables.length > 0 && (
        <Menu trigger={button(Braces, t`Variable`, undefined, () => {})}>
          {variables.map((variable) => (
            <MenuItem
              key={variable.name}
              end={variable.hint}
              onClick={() => editor && insertVariable(editor, toWritten(variable.name, lang))}
            >
              {variable.label}
            </MenuItem>
          ))}
        </Menu>
      )}
      <Menu trigger={button(MoreHorizontal, t`More`, undefined, () => {})}>
        <MenuItem
          icon={Strikethrough}
          onClick={() => chain()?.toggleMark('strike').run()}
        >{t`Struck through`}</MenuItem>
        <MenuItem icon={Code} onClick={() => chain()?.toggleMark('code').run()}>{t`Code`}</MenuItem>
        <MenuItem onClick={() => chain()?.toggleMark('superscript').run()}>{t`Raised`}</MenuItem>
        <MenuItem onClick={() => chain()?.toggleMark('subscript').run()}>{t`Lowered`}</MenuItem>
        <MenuItem icon={Minus} onClick={() => chain()?.insertContent({ type: 'horizontalRule' }).run()}>
          {t`Line across`}
        </MenuItem>
        <MenuItem icon={RemoveFormatting} onClick={() => chain()?.unsetAllMarks().clearNodes().run()}>
          {t`Plain text again`}
        </MenuItem>
      </Menu>
      <span className="end">
        {isBack && button(Undo2, t`Undo`, undefined, () => editor && undo(editor.state, editor.view.dispatch))}
        {isForth && button(Redo2, t`Redo`, undefined, () => editor && redo(editor.state, editor.view.dispatch))}
      </span>
    </div>
  )
}
