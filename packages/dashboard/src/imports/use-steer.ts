import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../api/query.ts'
import { useAsk } from '../outbox/use-outbox.ts'
import { useBusiness } from '../session/use-business.ts'
import type { Import } from './types.ts'

export type Verb = 'apply' | 'discard' | 'undo'
const OPERATIONS = { apply: 'applyImport', discard: 'discardImport', undo: 'undoImport' } as const

/** Asks for it, and shows at once what the service answers. */
export function useSteer({ id }: Import) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const client = useQueryClient()
  const ask = useAsk()
  const [asked, setAsked] = useState<Verb>()
  const [error, setError] = useState<unknown>()
  const labels: Record<Verb, string> = {
    apply: t`Apply an import`,
    discard: t`Stop an import`,
    undo: t`Undo an import`,
  }
  const steer = async (verb: Verb): Promise<Import | undefined> => {
    setAsked(verb)
    setError(undefined)
    try {
      const answer = await ask({
        operation: OPERATIONS[verb],
        input: { path: { id } },
        label: labels[verb],
        about: [id],
      })
      client.setQueryData(query(businessId, 'getImport', { path: { id } }).queryKey, answer)
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
