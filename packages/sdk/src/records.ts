import { misuse } from './errors.ts'

/** Kept on the record itself, so that copies have it: a spread takes symbols along, and JSON leaves them out. */
const ETAG = Symbol.for('kontor.etag')

/** The record, with the version in which it was answered. */
export function withEtag(body: unknown, etag: string | null): unknown {
  if (etag !== null && typeof body === 'object' && body !== null) Object.assign(body, { [ETAG]: etag })
  return body
}

/** The version in which a record was answered; for `ifMatch`. Copies by spread know it, too. */
export function etagOf(record: object): string {
  const etag = (record as { [ETAG]?: unknown })[ETAG]
  if (typeof etag === 'string') return etag
  throw misuse(
    'The version of this record is not known: it came in a list, or through JSON or structuredClone. ' +
      'Read it with get(id), or keep etagOf(record) beside it.',
  )
}

type History<Status> = readonly { status: Status }[]

/** The current status of an order, product, collection or entry: the last one of its history. */
export const statusOf = <Status extends string>({ statuses }: { statuses: History<Status> }): Status => lastOf(statuses)

/** The current payment status of an order. */
export const paymentStatusOf = <Status extends string>(order: { paymentStatus: History<Status> }): Status =>
  lastOf(order.paymentStatus)

function lastOf<Status>(history: History<Status>): Status {
  const last = history.at(-1)
  if (last) return last.status
  throw misuse('This record has no status. Those of the service always have one: was it made by hand?')
}
