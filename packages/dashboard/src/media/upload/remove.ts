import { t } from '@lingui/core/macro'
import { ask } from '../../outbox/outbox.ts'
import type { Kept } from './store.ts'

/** By the outbox: it is deleted even if the line is gone now. Nobody waits for it. */
export function removeFromLibrary({ businessId, fileName }: Pick<Kept, 'businessId' | 'fileName'>, id: string): void {
  const label = t`Delete the upload ${fileName}`
  ask(businessId, { operation: 'deleteMedia', input: { path: { id } }, label, about: [id] }).catch(() => {})
}
