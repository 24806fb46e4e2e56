import { nearest } from '../http/nearest.ts'
import type { CsvRecord } from './csv.ts'

/** How a CSV cell is read and written. A column without `read` is for information: the import ignores it. */
export type Cell<Value> = { read?: (text: string) => unknown; write: (value: Value) => string }

/** The column of each field, in the order of the file. A missing field does not compile. */
export type Columns<Fields> = {
  [Path in keyof Fields]-?: readonly [name: string, cell: Cell<NonNullable<Fields[Path]>>]
}

/** The fields of a group flattened into the record: `inventory.quantity`. */
export type Flat<Item, Group extends keyof Item & string> = Omit<Item, Group> & {
  [Field in keyof Item[Group] & string as `${Group}.${Field}`]: Item[Group][Field]
}

export type Cells = CsvRecord['record']

export const TEXT: Cell<string> = { read: String, write: String }

/** A cell that is not a number stays text, so that the schema refuses it by its name. */
export const toInteger = (text: string) => (/^-?\d{1,16}$/.test(text) ? Number(text) : text)
export const INTEGER: Cell<number> = { read: toInteger, write: String }

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
  ['yes', true],
  ['no', false],
])
export const BOOLEAN: Cell<boolean> = { read: (text) => BOOLEANS.get(text.toLowerCase()) ?? text, write: String }

type AnyColumns = Readonly<Record<string, readonly [name: string, cell: Cell<never>]>>

export const namesOf = (columns: AnyColumns) => Object.values(columns).map(([name]) => name)

/** The fields of a row. Empty cells and absent columns are left out. */
export function readCells(columns: AnyColumns, cells: Cells): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [path, [name, { read }]] of Object.entries(columns)) {
    const text = cells[name]
    if (!read || text === undefined || text === '') continue
    const [group, field] = splitPath(path)
    if (group === undefined) fields[field] = read(text)
    else fields[group] = { ...(fields[group] as object | undefined), [field]: read(text) }
  }
  return fields
}

/** A cell for each column; absent values are empty. */
export const writeCells = (columns: AnyColumns, item: object): string[] =>
  Object.entries(columns).map(([path, [, { write }]]) => {
    const [group, field] = splitPath(path)
    const fields = (group === undefined ? item : item[group as keyof typeof item]) as
      | Record<string, unknown>
      | undefined
    const value = fields?.[field]
    return value === undefined || value === null ? '' : write(value as never)
  })

function splitPath(path: string): [group: string | undefined, field: string] {
  const dot = path.indexOf('.')
  return dot === -1 ? [undefined, path] : [path.slice(0, dot), path.slice(dot + 1)]
}

/** Case, spaces and the like do not matter: `Variant name` and `variant_name` are `variantName`. */
export const bareName = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Maps the names of the header line to columns; if two mean the same, the exact spelling wins, or else the first. */
export function readNames(names: string[], toColumn: (name: string) => string | false): (string | false)[] {
  const known = names.map(toColumn)
  const chosen = new Map<string, number>()
  for (const [index, column] of known.entries()) {
    if (column === false) continue
    const before = chosen.get(column)
    if (before === undefined || (names[index] === column && names[before] !== column)) chosen.set(column, index)
  }
  return known.map((column, index) => column !== false && chosen.get(column) === index && column)
}

/** The column that a name may stand for: by another name that people give it, else by a similar spelling. */
export function suggestColumn(
  name: string,
  known: readonly string[],
  otherNames: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  const bare = bareName(name)
  if (known.some((each) => bareName(each) === bare)) return undefined // the file has this column twice
  const [meant] = Object.entries(otherNames).find(([, others]) => others.some((each) => bareName(each) === bare)) ?? []
  return meant ?? nearest(bare, known)
}

/** For `readNames`: maps names to the columns that the import reads. */
export function byName(...tables: AnyColumns[]): (name: string) => string | false {
  const read = tables.flatMap((columns) => Object.values(columns)).filter(([, cell]) => cell.read)
  const known = new Map(read.map(([name]) => [bareName(name), name]))
  return (name) => known.get(bareName(name)) ?? false
}
