import { type Answer, KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { usagesQuery } from '../queries.ts'
import { UsageList } from './usages.tsx'

type Props = { file: Answer<'getMedia'>; onClose: () => void; onDeleted: () => void }

/** Says where it is shown before it goes. It goes anyway only if a person has read that and says so. */
export function DeleteFile({ file, onClose, onDeleted }: Props) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const { data, refetch } = useQuery(usagesQuery(business.id, file.id))
  const [isSent, setIsSent] = useState(false)
  const [isRead, setIsRead] = useState(false)
  const [error, setError] = useState<unknown>()
  const { id, fileName } = file
  const usages = data?.items ?? []
  const isUsed = usages.length > 0
  const remove = async () => {
    setIsSent(true)
    setError(undefined)
    try {
      const input = { path: { id }, ...(isUsed && { query: { force: true } }) }
      await ask({ operation: 'deleteMedia', input, label: t`Delete the file ${fileName}`, about: [id] })
      toast(t`${fileName} deleted`)
      onDeleted()
    } catch (cause) {
      setIsSent(false)
      // Somebody has put it somewhere since: where, is read again and shown.
      if (cause instanceof KontorError && cause.has('IN_USE')) await refetch()
      else setError(cause)
    }
  }
  const reason = isSent
    ? t`Processing…`
    : data === undefined
      ? t`Loading the file’s usage…`
      : isUsed && !isRead
        ? t`Say first that you have seen where it is shown.`
        : undefined
  return (
    <Dialog open onClose={onClose} title={t`Delete ${fileName}?`}>
      <div className="media-delete">
        {error !== undefined && <Problem error={error} kept={t`Nothing was deleted.`} />}
        {isUsed ? (
          <>
            <p className="soft">
              <Trans>It is shown here. Take it out there first; otherwise these pages have a hole in its place:</Trans>
            </p>
            <UsageList usages={usages} />
            {data?.cursor && <p className="note">{t`and more`}</p>}
            <label className="choice">
              <input
                type="checkbox"
                className="check"
                checked={isRead}
                onChange={(event) => setIsRead(event.target.checked)}
              />
              {t`Delete it anyway, and leave the holes`}
            </label>
          </>
        ) : (
          <p className="soft">
            <Trans>Nothing shows it. It is gone for good, with all its sizes.</Trans>
          </p>
        )}
        <div className="acts">
          <Button look="quiet" onClick={onClose}>{t`Keep it`}</Button>
          <Button look="destroy main" reason={reason} onClick={() => void remove()}>
            {isUsed ? t`Delete anyway` : t`Delete`}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
