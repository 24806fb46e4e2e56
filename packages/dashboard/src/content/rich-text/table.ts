import type { Editor } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'

type Spot = { table: Node; tableAt: number; rowAt: number; row: Node; column: number }

const isCell = (node: Node) => node.type.name === 'tableCell' || node.type.name === 'tableHeader'

/** The table, row and column that the cursor is in. */
export function spotOf({ state }: Editor): Spot | undefined {
  const { $from } = state.selection
  let found: Partial<Spot> = {}
  for (let depth = $from.depth; depth > 0; depth--) {
    const node = $from.node(depth)
    if (isCell(node) && found.column === undefined) found.column = $from.index(depth - 1)
    if (node.type.name === 'tableRow' && !found.row) found = { ...found, row: node, rowAt: $from.before(depth) }
    if (node.type.name === 'table') {
      const { row, rowAt, column } = found
      if (!row || rowAt === undefined || column === undefined) return undefined
      return { table: node, tableAt: $from.before(depth), row, rowAt, column }
    }
  }
  return undefined
}

/** Columns are only counted where no cell takes the place of several. */
export function hasJoined({ table }: Spot): boolean {
  let isJoined = false
  table.descendants((node) => {
    if (isCell(node) && [node.attrs.colspan, node.attrs.rowspan].some((span) => span !== null && span !== '1'))
      isJoined = true
    return !isCell(node)
  })
  return isJoined
}

const cell = (type = 'tableCell') => ({ type, content: [{ type: 'paragraph' }] })
const rowOf = (count: number, type?: string) => ({
  type: 'tableRow',
  content: Array.from({ length: count }, () => cell(type)),
})

export const insertTable = (editor: Editor) =>
  editor
    .chain()
    .focus()
    .insertContent({
      type: 'table',
      content: [
        { type: 'tableSection', attrs: { tag: 'thead' }, content: [rowOf(3, 'tableHeader')] },
        { type: 'tableSection', attrs: { tag: 'tbody' }, content: [rowOf(3), rowOf(3)] },
      ],
    })
    .run()

export function addRow(editor: Editor, { rowAt, row }: Spot): void {
  const made = editor.schema.nodeFromJSON(rowOf(row.childCount))
  editor.view.dispatch(editor.state.tr.insert(rowAt + row.nodeSize, made).scrollIntoView())
}

/** Every row of the table, the last first, so that places before stay what they are. */
function rowsBackwards({ table, tableAt }: Spot): { row: Node; at: number }[] {
  const rows: { row: Node; at: number }[] = []
  table.descendants((node, offset) => {
    if (node.type.name === 'tableRow') rows.push({ row: node, at: tableAt + 1 + offset })
    return node.type.name === 'tableSection'
  })
  return rows.toReversed()
}

const placeIn = (row: Node, at: number, column: number) => {
  let place = at + 1
  for (let index = 0; index < Math.min(column, row.childCount); index++) place += row.child(index).nodeSize
  return place
}

export function addColumn(editor: Editor, spot: Spot): void {
  const { tr } = editor.state
  for (const { row, at } of rowsBackwards(spot)) {
    const type = row.maybeChild(spot.column)?.type.name ?? 'tableCell'
    tr.insert(placeIn(row, at, spot.column + 1), editor.schema.nodeFromJSON(cell(type)))
  }
  editor.view.dispatch(tr)
}

export function deleteColumn(editor: Editor, spot: Spot): void {
  if (spot.row.childCount === 1) return deleteTable(editor, spot)
  const { tr } = editor.state
  for (const { row, at } of rowsBackwards(spot)) {
    const gone = row.maybeChild(spot.column)
    const place = placeIn(row, at, spot.column)
    if (gone) tr.delete(place, place + gone.nodeSize)
  }
  editor.view.dispatch(tr)
}

export function deleteRow(editor: Editor, spot: Spot): void {
  if (rowsBackwards(spot).length === 1) return deleteTable(editor, spot)
  editor.view.dispatch(editor.state.tr.delete(spot.rowAt, spot.rowAt + spot.row.nodeSize))
}

export function deleteTable(editor: Editor, { tableAt, table }: Spot): void {
  editor.view.dispatch(editor.state.tr.delete(tableAt, tableAt + table.nodeSize))
}
