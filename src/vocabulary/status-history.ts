import { Type } from 'typebox'
import { type Detail, invalidFields } from './errors.ts'
import { newId } from './ids.ts'
import { MAX_STATUS_ENTRIES } from './limits.ts'
import { statusAhead, statusExists, tooManyStatuses } from './refusals.ts'
import { idOf, OneOf, UnixSeconds, UserId } from './schemas.ts'

const CHANGERS = ['USER', 'SYSTEM'] as const
const MAX_SECONDS_AHEAD = 300

export type StatusEntry<Status extends string> = {
  id: string
  status: Status
  changedBy: (typeof CHANGERS)[number]
  userId?: string | undefined
  timestamp: number
}

/** An entry as sent; missing fields are filled in. */
export type NewStatusEntry<Status extends string> = Partial<StatusEntry<Status>> & { status: Status }

const StatusId = idOf('sts', '01jcq3v7k8f5t9x2m4n6p8r0sw')
const ActingUser = Type.String({ ...UserId, description: 'The acting user, if there was one.' })
const ChangedBy = OneOf(CHANGERS)

export const StatusEntryOf = <const Values extends string[]>(values: readonly [...Values], title: string) =>
  Type.Object(
    {
      id: StatusId,
      status: OneOf(values),
      changedBy: ChangedBy,
      userId: Type.Optional(ActingUser),
      timestamp: UnixSeconds,
    },
    { title },
  )

export const NewStatusEntryOf = <const Values extends string[]>(values: readonly [...Values]) =>
  Type.Object({
    id: Type.Optional(StatusId),
    status: OneOf(values),
    changedBy: Type.Optional(ChangedBy),
    userId: Type.Optional(ActingUser),
    timestamp: Type.Optional(UnixSeconds),
  })

/**
 * The path of the entries in the body, their sender (undefined: the service itself), and the time. `isBody`: the body
 * is the one entry.
 */
type Sending = { field: string; isBody?: boolean; actor: { userId: string } | undefined; atSeconds: number }

/** The start of the history in a record stored as JSON. Inside a string its quotation marks would be escaped. */
export const HISTORY = '"statuses":['

/**
 * Removes the ids of users who changed the status from stored JSON: only callers who may change it see them. `at` is
 * where the history begins. A history contains only ids, fixed words and numbers, so the first closing bracket ends it,
 * and no parsing is needed.
 */
export function hideActors(json: string, at: number): string {
  if (at === -1) return json // no history
  const end = json.indexOf(']', at)
  return json.slice(0, at) + json.slice(at, end).replaceAll(/,"userId":"[^"]*"/g, '') + json.slice(end)
}

/** Removes the whole history that begins at `at` from stored JSON. Something always comes after it. */
export function dropHistory(json: string, at: number): string {
  if (at === -1) return json // no history
  return json.slice(0, at) + json.slice(json.indexOf(']', at) + 2)
}

/** `hideActors` for a history as an array. Readers keep seeing their `own` id. */
export const withoutActors = <Status extends string>(
  history: readonly StatusEntry<Status>[],
  own: string,
): StatusEntry<Status>[] => history.map(({ userId, ...entry }) => (userId === own ? { ...entry, userId } : entry))

export const currentOf = <Status extends string>(history: readonly StatusEntry<Status>[]): Status | undefined =>
  history.at(-1)?.status

/**
 * Append-only: entries whose id exists already are ignored, and so is an entry without an id that repeats the current
 * status. Returns the same array when there is nothing to add.
 */
export function appendStatuses<Status extends string>(
  history: StatusEntry<Status>[],
  sent: readonly NewStatusEntry<Status>[],
  { field, isBody = false, actor, atSeconds }: Sending,
): StatusEntry<Status>[] {
  const place = (index: number, name: string) => (isBody ? name : `${field}.${index}.${name}`)
  const known = new Map(history.map(({ id, status }) => [id, status]))
  const added: StatusEntry<Status>[] = []
  const details: Detail[] = []

  for (const [index, entry] of sent.entries()) {
    const before = entry.id === undefined ? undefined : known.get(entry.id)
    if (before !== undefined && before !== entry.status)
      throw statusExists({ field: place(index, 'id'), id: String(entry.id), status: before })
    if (before !== undefined) continue
    if (entry.id === undefined && entry.status === (currentOf(added) ?? currentOf(history))) continue

    if (entry.timestamp !== undefined && entry.timestamp > atSeconds + MAX_SECONDS_AHEAD) {
      const at = place(index, 'timestamp')
      details.push(statusAhead.asDetail({ at }))
    }
    const complete = fillIn(entry, actor, atSeconds)
    known.set(complete.id, complete.status)
    added.push(complete)
  }

  if (details.length > 0) throw invalidFields(details)
  if (added.length === 0) return history
  if (history.length + added.length > MAX_STATUS_ENTRIES) {
    throw tooManyStatuses({ field })
  }
  return [...history, ...added]
}

function fillIn<Status extends string>(
  entry: NewStatusEntry<Status>,
  actor: Sending['actor'],
  atSeconds: number,
): StatusEntry<Status> {
  const changedBy = entry.changedBy ?? (actor ? 'USER' : 'SYSTEM')
  const userId = entry.userId ?? (changedBy === 'USER' ? actor?.userId : undefined)
  return {
    id: entry.id ?? newId('sts'),
    status: entry.status,
    changedBy,
    ...(userId !== undefined && { userId }),
    timestamp: entry.timestamp ?? atSeconds,
  }
}
