import type { Readable } from 'node:stream'
import { type Static, type TInteger, type TSchema, Type } from 'typebox'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { Id, idOf, Nullable, OneOf, UnixSeconds } from '#vocabulary/schemas.ts'
import type { DB as CellTables } from '../database/cell-tables.ts'
import type { ControlDb, Tx } from '../database/database.ts'
import type { NewEvent } from '../events/define.ts'
import type { CellJob } from '../jobs/define.ts'
import type { Storage } from '../storage/storage.ts'
import type { FileLine } from './file.ts'

type TableWith<Columns> = {
  [Table in keyof CellTables]: [Columns] extends [keyof CellTables[Table]] ? Table : never
}[keyof CellTables]

/** Tables of the module: only the module's own code may name them. `items`: for kinds that keep a report, line by line. */
export type ImportTables = {
  imports: TableWith<
    'businessId' | 'id' | 'status' | 'total' | 'failed' | 'position' | 'actor' | 'finishedAt' | 'unknownColumns'
  >
  rows: TableWith<'businessId' | 'importId' | 'number' | 'line' | 'details'>
  items?: TableWith<'businessId' | 'importId' | 'number' | 'status' | 'changes'>
  /** Further tables with rows for each line. They are deleted with the import. */
  further?: readonly TableWith<'businessId' | 'importId' | 'number'>[]
}

/** The columns that place an import within the business, such as its collection. */
export type Place = Readonly<Record<string, string>>

/** A line of the file that fits the schema. */
export type Line<Sent> = { number: number; sent: Sent }
/** `parsed`: the line as JSON, if it is JSON. */
export type FailedLine = { number: number; details: Detail[]; parsed?: unknown }

export type Running<Context> = {
  businessId: string
  importId: string
  /** The sender of the file; undefined from the command line. */
  actor: Actor | undefined
  place: Place
  context: Context
  /** The import itself, with what further columns say of it. */
  row: object
  /** Lines of the batch that do not fit the schema. */
  invalid: readonly FailedLine[]
  /** Nothing is written: only the report is wanted. */
  isDryRun: boolean
  /** A person has seen what a dry run found, and wants exactly that. */
  isAgreed: boolean
}

export type Written<Counter extends string> = {
  /** Lines by outcome. Failed lines are counted separately. */
  counts: Record<Counter, number>
  failed: readonly FailedLine[]
  /** The report of the others, as rows of the table of items. */
  items?: readonly ({ number: number } & Record<string, unknown>)[]
  /** The first line left for the next transaction, because it must see the effect of the lines before it. */
  leftFrom?: number | undefined
}

/** A module's part of an import. Everything else is shared. */
export type ImportKind<Schema extends TSchema, Counter extends string, Context> = {
  /** Also the name of the job. */
  name: string
  tables: ImportTables
  place?: readonly string[]
  /** The import in the API reference: its title, what its lines are, and what it makes of them. */
  title: string
  total: string
  counters: Record<Counter, string>
  /** A line as JSON. A CSV is read into such lines, too. */
  schema: Schema
  readCsv: (file: Readable, business: Business, onUnknown: OnUnknown) => AsyncIterable<FileLine>
  maxLineBytes: number
  /** Lines per transaction. */
  batchRows: number
  /** Called before each run of the job, outside of any transaction. Undefined: the business no longer exists. */
  prepare: (control: ControlDb, businessId: string, storage?: Storage) => Promise<Context | undefined>
  /** Writes the lines, in a number of statements that does not grow with theirs. */
  writeRows: (tx: Tx, lines: Line<Static<Schema>>[], running: Running<Context>) => Promise<Written<Counter>>
  /** The detail for a line that lost a race, such as for a unique value; undefined: the error is something else. */
  findConflict?: (error: unknown) => Detail | undefined
  /** Makes the event at the end: its place, its counters and the number of failed lines. */
  finished(event: { businessId: string; subject: string; data: Record<string, number | string> }): NewEvent
  /** The job that deletes old imports. */
  tidy: { name: string; cron: string }
}

/** A column of a CSV file that the import does not read. */
const UnknownColumn = Type.Object(
  {
    name: Type.String({ description: 'Name of the column in the file.', examples: ['stock'] }),
    suggestions: Type.Array(Type.String(), {
      description: 'Supported columns with a similar name or meaning.',
      examples: [['quantity']],
    }),
  },
  { title: 'UnknownColumn' },
)
export type UnknownColumn = Static<typeof UnknownColumn>
/** Called once, before the first line. */
export type OnUnknown = (columns: readonly UnknownColumn[]) => void
export const MAX_UNKNOWN_COLUMNS = 100

export const ImportPayload = Type.Object({ businessId: Id, importId: Id })
export type ImportJob = CellJob<typeof ImportPayload>

/** The part of a kind that storing and presenting an import needs. */
export type ImportStore<Counter extends string = string> = Pick<
  ImportKind<TSchema, Counter, never>,
  'tables' | 'counters'
>

const STATUSES = [
  'RECEIVING',
  'DRY_RUN',
  'READY',
  'RUNNING',
  'DONE',
  'STOPPED',
  'DISCARDED',
  'UNDOING',
  'UNDONE',
] as const
export type ImportStatus = (typeof STATUSES)[number]
/** Of kinds that keep no report. */
const PLAIN_STATUSES: readonly ImportStatus[] = ['RECEIVING', 'RUNNING', 'DONE']

const Count = (description: string, example = 0) => Type.Integer({ minimum: 0, description, examples: [example] })

/** The schema of an import in the API. */
export function importOf<Counter extends string>({ title, total, counters, tables }: Shown<Counter>) {
  const counted = Object.entries<string>(counters).map(([name, says]) => [name, Count(says, 300)])
  const counts = Object.fromEntries(counted) as Record<Counter, TInteger>
  return Type.Object(
    {
      id: idOf('imp', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
      status: OneOf(tables.items ? STATUSES : (PLAIN_STATUSES as typeof STATUSES)),
      total: Count(total, 1200),
      done: Count('Those that did not fail, so far.', 600),
      ...counts,
      failed: Count('Their errors can be listed.'),
      unknownColumns: Type.Array(UnknownColumn, {
        description: `Columns of the CSV file that are not imported, in file order. Contains up to ${MAX_UNKNOWN_COLUMNS}.`,
      }),
      createdAt: UnixSeconds,
      finishedAt: Nullable(UnixSeconds),
    },
    { title },
  )
}
type Shown<Counter extends string> = Pick<
  ImportKind<TSchema, Counter, never>,
  'title' | 'total' | 'counters' | 'tables'
>

export type ImportReport<Counter extends string = string> = {
  id: string
  status: ImportStatus
  total: number
  done: number
  failed: number
  unknownColumns: UnknownColumn[]
  createdAt: number
  finishedAt: number | null
} & Record<Counter, number>

/** The schema of a failed line in the API. */
export const importErrorOf = ({ title }: { title: string }) =>
  Type.Object(
    {
      number: Type.Integer({ minimum: 1, description: 'The line of the file.', examples: [17] }),
      line: Type.String({ description: 'The line, shortened.', examples: ['{"name":""}'] }),
      details: Type.Array(
        Type.Object({
          field: Type.String({ examples: ['name'] }),
          error: Type.String({ examples: ['TOO_SHORT'] }),
          message: Type.String({ examples: ['Fill in the name.'] }),
        }),
      ),
    },
    { title: `${title}Error` },
  )
