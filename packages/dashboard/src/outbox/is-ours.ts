import type { KontorError, OperationId } from '@kontor/sdk'
import { kontor } from '../api/client.ts'
import { isSame } from '../merge/is-same.ts'
import type { Entry } from './store.ts'

type Call = (input: unknown, options?: object) => Promise<unknown>

/** How a changed record is read again: `updateOrder` takes its id in the body, the others in the path. */
const readerOf = (operation: OperationId) => operation.replace(/^update/, 'get') as OperationId

/**
 * The answer to an earlier attempt was lost, and this one was refused: was it because the first had done it? A deleted
 * record is gone; a changed one has what we wrote. Answers what the first attempt would have; undefined: not ours.
 */
export async function isOurs(entry: Entry, error: KontorError): Promise<unknown> {
  const { operation, businessId, input } = entry
  if (operation.startsWith('delete') && error.status === 404) return { success: true }
  if (!operation.startsWith('update') || error.status !== 412) return undefined
  const body = (input.body ?? {}) as Record<string, unknown>
  const path = { businessId, ...(typeof body.id === 'string' && { id: body.id }), ...input.path }
  const now = (await (kontor.operations[readerOf(operation)] as Call)({ path })) as Record<string, unknown>
  return Object.entries(body).every(([field, value]) => isSame(now[field], value)) ? now : undefined
}
