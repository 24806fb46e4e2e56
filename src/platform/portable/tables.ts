import type { Flaw } from './flaw.ts'

/** A row of an archive, by its columns. */
export type ArchivedRow = Readonly<Record<string, unknown>>

/**
 * A table with rows of businesses, as its module declares it. Export, import and deletion go by this list, and nothing
 * else knows which tables there are.
 */
export type BusinessTable = {
  in: 'control' | 'cell'
  table: string
  /** The column that names the business. */
  of: string
  /** What orders the rows of a business, and tells one from another. */
  key: readonly string[]
  is: TableKind
  /** Columns that no archive holds: secrets, and who is working on it. They get their default, or what `set` says. */
  without: readonly string[]
  /** SQL for columns that have another value after an import. */
  set: Readonly<Record<string, string>>
  /** Columns with the id of a member: in another deployment that may be another account. */
  people: readonly string[]
  /** Columns in which `infinity` is a time. */
  endless: readonly string[]
  /** Finds what the database would store and this service could not read. Runs before an import writes anything. */
  check?: (row: ArchivedRow, businessId: string) => Flaw | undefined
  /** A column that the database numbers; unique together with the column `within`. */
  numbered?: { column: string; within: string }
  /** A column with numbers of a `numbered` table. Rows whose `within` is one of `except` have numbers of their own. */
  refersTo?: { table: string; column: string; within: string; except: readonly string[] }
  /** Numbered columns are copied. False in an import: the numbers are shared by all businesses of the database. */
  keepsNumbers: boolean
  /** Rows refer to others of the table: all of them are written in one statement, and deleted in one. Only where they are few. */
  isLinked: boolean
  /** Rows may come of themselves before an import has written any: they do not show that it has. */
  hearsEarly: boolean
  /** The time by which the table is cut into months. */
  byMonth?: string
  /** Columns that say who is working on it: those work in the cell that a business leaves. They get their default where it goes. */
  leases: readonly string[]
  /** False: its rows stay behind when a business moves to another cell, and go with the old ones. */
  moves: boolean
  /**
   * Who writes rows of many businesses at once, and is passed over instead of refused where one of them lives elsewhere. Only where
   * nothing is lost by it: a worker whose write was passed over does not know.
   */
  passesOver: 'nobody' | 'workers' | 'all'
  /** What of it nobody may read in a file, so that somebody has to enter it again after an import. */
  toSetAgain?: string
}

/**
 * - kept: what the business has. In every archive.
 * - derived: made from what is kept. In every archive, too: making it anew would take longer, and it is whole in a snapshot.
 * - queue: waits for a worker. In every archive; the column `position` is counted anew.
 * - left out: in no archive, because it is short-lived, secret or about people of this deployment. Deleted with the business.
 * - stays: what operators did to it. Neither copied nor deleted: who took its data, or wanted it deleted, is known until it goes by age.
 */
export type TableKind = 'kept' | 'derived' | 'queue' | 'left out' | 'stays'

type Options = Partial<
  Pick<
    BusinessTable,
    | 'of'
    | 'without'
    | 'set'
    | 'people'
    | 'endless'
    | 'check'
    | 'numbered'
    | 'refersTo'
    | 'isLinked'
    | 'hearsEarly'
    | 'byMonth'
    | 'toSetAgain'
    | 'leases'
    | 'moves'
    | 'passesOver'
  >
>

const define =
  (place: BusinessTable['in']) =>
  (is: TableKind, table: string, key: readonly string[], options: Options = {}): BusinessTable => ({
    in: place,
    table,
    of: 'business_id',
    key,
    is,
    without: [],
    set: {},
    people: [],
    endless: [],
    keepsNumbers: false,
    isLinked: false,
    hearsEarly: false,
    leases: [],
    moves: true,
    passesOver: 'nobody',
    ...options,
  })

/** Tables of a list are in the order in which rows can be written: those that others refer to come first. */
export const cellTable = define('cell')
export const controlTable = define('control')

export const isCopied = ({ is }: Pick<BusinessTable, 'is'>): boolean =>
  is === 'kept' || is === 'derived' || is === 'queue'
export const isDeleted = ({ is }: Pick<BusinessTable, 'is'>): boolean => is !== 'stays'

/** The table as it is read and written when a business moves: whole, but for who is working on it. Secrets stay what they are. */
export const asMoved = <Table extends BusinessTable>(table: Table): Table => ({
  ...table,
  without: table.leases,
  set: {},
  keepsNumbers: true,
})

/** The row that is the business. */
export const isItself = ({ of }: Pick<BusinessTable, 'of'>): boolean => of === 'id'
