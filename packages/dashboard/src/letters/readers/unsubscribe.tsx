import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { untilKnown } from '../../outbox/until-known.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Newsletter, Reader } from '../types.ts'

const LOOK_AGAIN_MS = 300

type Props = { of: Reader; newsletter: string; plans: Newsletter['plans'] }

/** Takes somebody off the list who has asked for it. */
export function Unsubscribe({ of: { email, status, planId }, newsletter, plans }: Props) {
  const { t } = useLingui()
  const { reason } = usePermissions()
  const [isAsking, setAsking] = useState(false)
  const { run, isBusy, error } = useUnsubscribe(newsletter, email)
  if (status === 'CANCELLED') return null
  const pays = (plans?.find(({ id }) => id === planId)?.price?.amount ?? 0) > 0
  const why =
    reason('NEWSLETTER_SEND') ??
    (pays ? t`Who pays leaves by the link in their letters, which ends the payments, too.` : undefined)
  const leave = async () => {
    if (await run()) setAsking(false)
  }
  return (
    <>
      <Button look="quiet small" reason={why} onClick={() => setAsking(true)} aria-label={t`Unsubscribe ${email}`}>
        {t`Unsubscribe`}
      </Button>
      <Dialog open={isAsking} onClose={() => setAsking(false)} title={t`Unsubscribe ${email}?`}>
        <p className="soft">
          <Trans>They get no letter of this newsletter any more. Only they themselves can come back.</Trans>
        </p>
        {error !== undefined && <Problem error={error} />}
        <div className="acts">
          <Button look="quiet" onClick={() => setAsking(false)}>{t`Keep them`}</Button>
          <Button
            look="destroy main"
            reason={isBusy ? t`Processing…` : undefined}
            onClick={() => void leave()}
          >{t`Unsubscribe`}</Button>
        </div>
      </Dialog>
    </>
  )
}

/** The API takes people off a list by an import that says so, here of one line. To send it again changes nothing more. */
function useUnsubscribe(id: string, email: string) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run = async (): Promise<boolean> => {
    setBusy(true)
    setError(undefined)
    try {
      const line = `${JSON.stringify({ email, status: 'CANCELLED' })}\n`
      const body = new Blob([line], { type: 'application/x-ndjson' })
      let made = await untilKnown(() => kontor.operations.importSubscribers({ path: { businessId, id }, body }))
      while (made.status !== 'DONE') {
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
        const path = { businessId, id, importId: made.id }
        made = await untilKnown(() => kontor.operations.getSubscriberImport({ path }))
      }
      await invalidate(businessId, /Subscri/)
      toast(
        made.updated > 0 ? t`${email} gets no more letters.` : t`Nothing was changed: they have left already, or pay.`,
      )
      return true
    } catch (cause) {
      setError(cause)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, error }
}
