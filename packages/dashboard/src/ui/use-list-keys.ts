import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { useCommands } from '../shell/commands.ts'

type Options<Row> = {
  rows: readonly Row[]
  onOpen: (row: Row) => void
  onPick: (index: number) => void
  onPickAll: () => void
  onClear: () => void
  hasPicks: boolean
}

/** j and k go down and up, x picks, a picks all, e opens, Esc clears what is picked. The link of the row has the focus, so Enter works, too. */
export function useListKeys<Row>({ rows, onOpen, onPick, onPickAll, onClear, hasPicks }: Options<Row>) {
  const { t } = useLingui()
  const [at, setAt] = useState<number>()
  const go = (step: number) =>
    setAt((before) => Math.max(0, Math.min(rows.length - 1, (before ?? (step > 0 ? -1 : rows.length)) + step)))
  useEffect(() => {
    if (at === undefined) return undefined
    // The row may have to be drawn first.
    const frame = requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`tr[data-index="${at}"] [data-row-link]`)?.focus({ preventScroll: true }),
    )
    return () => cancelAnimationFrame(frame)
  }, [at])
  const row = at === undefined ? undefined : rows[at]
  useCommands([
    { id: 'next-row', label: t`Next row`, keys: 'j', inPalette: false, run: () => go(1) },
    { id: 'last-row', label: t`Row before`, keys: 'k', inPalette: false, run: () => go(-1) },
    { id: 'pick-row', label: t`Pick this row`, keys: 'x', inPalette: false, run: () => at !== undefined && onPick(at) },
    { id: 'pick-all', label: t`Pick all rows`, keys: 'a', inPalette: false, run: onPickAll },
    {
      id: 'open-row',
      label: t`Open this row`,
      keys: 'e',
      inPalette: false,
      run: () => row !== undefined && onOpen(row),
    },
    ...(hasPicks
      ? [{ id: 'clear', label: t`Clear the selection`, keys: 'Escape', inPalette: false, run: onClear }]
      : []),
  ])
  return { at }
}
