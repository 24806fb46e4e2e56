import type { Body } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { toast } from '../../ui/toast.tsx'
import type { Send } from '../types.ts'

/** Asks for the letter to be sent, or for a test of it. */
export function useSendLetter(entryId: string) {
  const { t } = useLingui()
  const ask = useAsk()
  const [asked, setAsked] = useState<'send' | 'test'>()
  const [error, setError] = useState<unknown>()
  const run = async <Answer>(what: 'send' | 'test', work: () => Promise<Answer>): Promise<Answer | undefined> => {
    setAsked(what)
    setError(undefined)
    try {
      return await work()
    } catch (cause) {
      setError(cause)
      return undefined
    } finally {
      setAsked(undefined)
    }
  }
  const send = (body: Body<'sendEntry'>): Promise<Send | undefined> =>
    run('send', () =>
      ask({ operation: 'sendEntry', input: { path: { entryId }, body }, label: t`Send a letter`, about: [entryId] }),
    )
  const test = (email: string) =>
    run('test', async () => {
      await ask({
        operation: 'testEntry',
        input: { path: { entryId } },
        label: t`Send a test mail`,
        about: [entryId],
      })
      toast(t`Test email sent to ${email}`)
    })
  return { send, test, asked, error }
}
