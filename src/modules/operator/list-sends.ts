import type { Static } from 'typebox'
import { findNames } from '#modules/access/index.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { askCells, type CellContext, presentAsked } from './ask-cells.ts'
import { cellUnknown } from './errors.ts'
import type { OperatorSend, SEND_STATES, SendsQuery } from './schemas.ts'

type SendState = (typeof SEND_STATES)[number]
type Shown = Static<typeof OperatorSend>
type Times = 'scheduledAt' | 'startedAt' | 'finishedAt'

/** As the newsletter module finds them. */
export type SendOfCell = Omit<Shown, Times | 'cell' | 'businessName' | 'status'> & {
  status: string
  scheduledAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

export type Letters = {
  list: (
    cell: Db,
    query: { states: readonly SendState[]; businessId: string | undefined; before: string | undefined; limit: number },
  ) => Promise<SendOfCell[]>
  count: (cell: Db) => Promise<{ running: number; scheduled: number; paused: number; stopped: number }>
}

const BY_DEFAULT: readonly SendState[] = ['RUNNING', 'PAUSED', 'FAILED']

/** By id, which is by when they were planned. */
export async function listSends(
  context: CellContext & { control: ControlDb; letters: Letters },
  query: Static<typeof SendsQuery>,
) {
  const { limit = 20, cursor, cell: only, businessId, state: states = BY_DEFAULT } = query
  if (only !== undefined && !context.cells.has(only)) throw cellUnknown({ cell: only })
  const filters = { list: 'operator-sends', cell: only, businessId, states }
  const before = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const answers = await askCells(
    context,
    (tx) => context.letters.list(tx, { states, businessId, before, limit: limit + 1 }),
    only,
  )
  const sends = answers
    .flatMap(({ cell, value = [] }) => value.map((send) => ({ ...send, cell })))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit + 1)
  const names = await findNames(
    context.control,
    sends.map((send) => send.businessId),
  )
  const page = toPage(
    sends,
    limit,
    filters,
    ({ id }) => [id],
    (send): Shown => ({
      id: send.id,
      cell: send.cell,
      businessId: send.businessId,
      businessName: names.get(send.businessId) ?? null,
      collectionId: send.collectionId,
      entryId: send.entryId,
      status: send.status as Shown['status'],
      problem: send.problem,
      total: send.total,
      sent: send.sent,
      failed: send.failed,
      suppressed: send.suppressed,
      uncertain: send.uncertain,
      scheduledAt: toSeconds(send.scheduledAt),
      startedAt: send.startedAt && toSeconds(send.startedAt),
      finishedAt: send.finishedAt && toSeconds(send.finishedAt),
    }),
  )
  return { cells: presentAsked(answers), ...page }
}
