import { Trans, useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { atOnce } from '../at-once.ts'
import { AttemptView } from './attempt.tsx'
import type { Attempt, Endpoint } from './queries.ts'

/** A test event, sent while one waits. */
export function usePing({ id }: Endpoint) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const [isSending, setSending] = useState(false)
  const [answer, setAnswer] = useState<Attempt>()
  const [error, setError] = useState<unknown>()
  const clear = () => {
    setAnswer(undefined)
    setError(undefined)
  }
  const ask = async () => {
    setSending(true)
    clear()
    try {
      const path = { businessId, id }
      setAnswer(await atOnce(businessId, () => kontor.operations.pingWebhookEndpoint({ path })))
    } catch (cause) {
      setError(cause)
    } finally {
      setSending(false)
    }
  }
  return {
    answer,
    error,
    clear,
    isSending,
    reason: isSending ? t`It has 15 seconds to answer.` : undefined,
    send: () => void ask(),
  }
}

/** What came of the test event, until it is closed. */
export function PingAnswer({ of: { answer, error, isSending, clear } }: { of: ReturnType<typeof usePing> }) {
  const { t } = useLingui()
  if (error !== undefined)
    return (
      <div className="page ping">
        <Problem error={error} />
      </div>
    )
  if (!isSending && !answer) return null
  return (
    <section className="page ping" aria-label={t`Answer to the test event`} aria-live="polite">
      <div className="ping-in">
        <div className="section-head">
          <h2>{t`Test event`}</h2>
          {answer && <Button look="quiet small" icon={X} only={t`Close the answer`} className="end" onClick={clear} />}
        </div>
        {answer ? (
          <AttemptView of={answer} />
        ) : (
          <p className="soft">
            <Trans>Sent; waiting for the answer.</Trans>
          </p>
        )}
      </div>
    </section>
  )
}
