import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { sendQuery } from '../queries.ts'
import type { Send } from '../types.ts'

export type Verb = 'pause' | 'resume' | 'cancel'
const OPERATIONS = { pause: 'pauseSend', resume: 'resumeSend', cancel: 'cancelSend' } as const

/** Asks for it, and shows at once what the service answers. */
export function useSteer({ id, entryId }: Send) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const client = useQueryClient()
  const ask = useAsk()
  const [asked, setAsked] = useState<Verb>()
  const [error, setError] = useState<unknown>()
  const labels: Record<Verb, string> = {
    pause: t`Pause a send`,
    resume: t`Resume a send`,
    cancel: t`Cancel a send`,
  }
  const steer = async (verb: Verb): Promise<void> => {
    setAsked(verb)
    setError(undefined)
    try {
      const answer = await ask({
        operation: OPERATIONS[verb],
        input: { path: { entryId, id } },
        label: labels[verb],
        about: [id, entryId],
      })
      client.setQueryData(sendQuery(businessId, entryId, id).queryKey, answer)
    } catch (cause) {
      setError(cause)
    } finally {
      setAsked(undefined)
    }
  }
  return { steer, asked, error }
}
