import { Type } from 'typebox'
import { conflict, type Detail, invalid, invalidFields } from './errors.ts'
import { newId } from './ids.ts'
import { idOf, OneOf, UnixSeconds, UserId } from './schemas.ts'

const CHANGERS = ['USER', 'SYSTEM'] as const
const MAX_ENTRIES = 1000
const MAX_SECONDS_AHEAD = 300

export type StatusEntry<Status extends string> = {
  id: string
  status: Status
  changedBy: (typeof CHANGERS)[number]
  userId?: string | undefined
  timestamp: number
}

/** What a caller sends; the rest is filled in. */
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

/** Where the entries were sent, by whom (nobody: the service itself), and when. `isBody`: the one entry is the body itself. */
type Sending = { field: string; isBody?: boolean; actor: { userId: string } | undefined; atSeconds: number }

/** Where the history begins in a record that is stored as JSON. Inside of a text its quotation marks would be escaped. */
export const HISTORY = '"statuses":['

/**
 * Stored JSON without the ids of those who have changed its status: they are for who may change it, too. `at` is where its
 * history begins. Only ids, fixed words and numbers are in one, so the first bracket ends it, and nothing has to be parsed.
 */
export function hideActors(json: string, at: number): string {
  if (at === -1) return json // no history, nobody to hide
  const end = json.indexOf(']', at)
  return json.slice(0, at) + json.slice(at, end).replaceAll(/,"userId":"[^"]*"/g, '') + json.slice(end)
}

/** The same for a history that is no text yet. Who reads it knows their `own` id. */
export const withoutActors = <Status extends string>(
  history: readonly StatusEntry<Status>[],
  own: string,
): StatusEntry<Status>[] => history.map(({ userId, ...entry }) => (userId === own ? { ...entry, userId } : entry))

export const currentOf = <Status extends string>(history: readonly StatusEntry<Status>[]): Status | undefined =>
  history.at(-1)?.status

/**
 * A history only grows: entries whose id it has are left as they are, and one without an id that repeats the current status
 * is not added. Answers the very array it was given when there is nothing to add.
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
    if (before !== undefined && before !== entry.status) throw statusExists(place(index, 'id'), entry.id, before)
    if (before !== undefined) continue
    if (entry.id === undefined && entry.status === (currentOf(added) ?? currentOf(history))) continue

    if (entry.timestamp !== undefined && entry.timestamp > atSeconds + MAX_SECONDS_AHEAD) {
      const at = place(index, 'timestamp')
      details.push({ field: at, error: 'INVALID', message: `${at} is more than 5 minutes ahead.` })
    }
    const complete = fillIn(entry, actor, atSeconds)
    known.set(complete.id, complete.status)
    added.push(complete)
  }

  if (details.length > 0) throw invalidFields(details)
  if (added.length === 0) return history
  if (history.length + added.length > MAX_ENTRIES) {
    throw invalid(field, 'TOO_MANY', `${field} cannot have more than ${MAX_ENTRIES} entries.`)
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

const statusExists = (field: string, id: string | undefined, status: string) =>
  conflict(field, 'STATUS_EXISTS', `The entry ${id} is there already, with the status ${status}.`)
