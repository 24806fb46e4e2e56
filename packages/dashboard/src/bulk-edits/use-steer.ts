import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAsk } from '../outbox/use-outbox.ts'
import { useBusiness } from '../session/use-business.ts'
import { bulkEditQuery } from './queries.ts'
import type { BulkEdit } from './types.ts'

export type Verb = 'apply' | 'undo' | 'cancel' | 'discard'
const OPERATIONS = {
  apply: 'applyBulkEdit',
  undo: 'undoBulkEdit',
  cancel: 'cancelBulkEdit',
  discard: 'discardBulkEdit',
} as const

/** Asks for it, and shows at once what the service answers. */
export function useSteer(edit: BulkEdit) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const client = useQueryClient()
  const ask = useAsk()
  const [asked, setAsked] = useState<Verb>()
  const [error, setError] = useState<unknown>()
  const labels: Record<Verb, string> = {
    apply: t`Apply a bulk edit`,
    undo: t`Undo a bulk edit`,
    cancel: t`Stop a bulk edit`,
    discard: t`Throw a bulk edit away`,
  }
  const steer = async (verb: Verb): Promise<BulkEdit | undefined> => {
    setAsked(verb)
    setError(undefined)
    try {
      const path = { path: { id: edit.id } }
      const answer = await ask({ operation: OPERATIONS[verb], input: path, label: labels[verb], about: [edit.id] })
      if (answer.status !== 'DISCARDED') client.setQueryData(bulkEditQuery(businessId, edit.id).queryKey, answer)
      return answer
    } catch (cause) {
      setError(cause)
      return undefined
    } finally {
      setAsked(undefined)
    }
  }
  return { steer, asked, error }
}
