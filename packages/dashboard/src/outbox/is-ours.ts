import type { KontorError, OperationId } from '@kontor/sdk'
import type { Entry } from './store.ts'

type Found = Record<string, unknown>
export type Read = (operation: OperationId, path: Record<string, string>) => Promise<unknown>

/** The histories of an order that these add to. They take no key: the second time they meet what the first has changed. */
const HISTORIES: Partial<Record<OperationId, string>> = {
  setOrderStatus: 'statuses',
  setPaymentStatus: 'paymentStatus',
}

/** How a changed record is read again: `updateOrder` takes its id in the body, the others in the path. */
export const readerOf = (operation: OperationId) =>
  operation in HISTORIES ? 'getOrder' : (operation.replace(/^update/, 'get') as OperationId)

/** The id in the body of a status is that of its entry in the history; the order's is in the path, which goes before. */
export function pathOf({ businessId, input }: Entry): Record<string, string> {
  const { id } = (input.body ?? {}) as Found
  return { businessId, ...(typeof id === 'string' && { id }), ...input.path }
}

/**
 * The answer to an earlier attempt was lost, and this one was refused: was it because the first had done it? A deleted
 * record is gone; a changed one has what we wrote. Answers what the first attempt would have; undefined: not ours.
 */
export async function isOurs(entry: Entry, error: KontorError, read: Read): Promise<unknown> {
  const { operation, input } = entry
  if (error.status === 404 && takesAway(entry)) return { success: true }
  const history = HISTORIES[operation]
  const isKnown = history !== undefined || operation.startsWith('update')
  if (!isKnown || error.status !== 412) return undefined
  const body = (input.body ?? {}) as Found
  const now = (await read(readerOf(operation), pathOf(entry))) as Found
  const isDone = history
    ? lastOf(now[history])?.status === body.status
    : Object.entries(body).every(([field, value]) => covers(now[field], value))
  return isDone ? now : undefined
}

/** Afterwards there is nothing: no record, no invitation, no member without a role. */
const takesAway = ({ operation, input }: Entry) =>
  /^(delete|revoke)/.test(operation) ||
  (operation === 'setMemberRoles' && (input.body as { roleIds?: string[] } | undefined)?.roleIds?.length === 0)

/** Whether a record has what was sent of it: parts that were not sent may be anything. */
function covers(now: unknown, sent: unknown): boolean {
  if (sent === null || sent === undefined) return now === null || now === undefined
  if (Array.isArray(sent))
    return Array.isArray(now) && now.length === sent.length && sent.every((one, index) => covers(now[index], one))
  if (typeof sent !== 'object') return now === sent
  return (
    typeof now === 'object' &&
    now !== null &&
    Object.entries(sent).every(([field, value]) => covers((now as Found)[field], value))
  )
}

const lastOf = (list: unknown): Found | undefined => (Array.isArray(list) ? (list.at(-1) as Found) : undefined)
