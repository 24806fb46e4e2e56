import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Check, Square, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { type BulkEdit, isRunning, leftOf } from './types.ts'
import { useSteer, type Verb } from './use-steer.ts'

/** What can be done with it now. */
export function ActBar({ edit }: { edit: BulkEdit }) {
  const { t } = useLingui()
  const business = useBusiness()
  const navigate = useNavigate()
  const format = useFormat()
  const { steer, asked, error } = useSteer(edit)
  const busy = asked ? t`Processing…` : undefined
  const { status, changing, applied, undone, kept, skipped, appliedAt } = edit
  const left = leftOf(edit)
  const canUndo = (status === 'DONE' || (status === 'FAILED' && appliedAt !== null)) && applied > undone + kept
  const canApply =
    (status === 'READY' || ((status === 'DONE' || status === 'FAILED') && appliedAt !== null && undone + kept === 0)) &&
    left > 0
  const until = format.date(edit.expiresAt)

  const leave = async (verb: Verb) => {
    const answer = await steer(verb)
    if (answer?.status !== 'DISCARDED') return
    toast(t`Bulk edit discarded. No products changed.`)
    void navigate({ to: '/$business/bulk-edits', params: { business: addressOf(business) } })
  }
  const canDiscard = !isRunning(edit) && applied === 0 && status !== 'UNDONE'
  useCommands([
    ...(canApply
      ? [{ id: 'apply', label: t`Apply`, keys: 'mod+Enter', icon: Check, reason: busy, run: () => void steer('apply') }]
      : []),
    ...(canUndo
      ? [{ id: 'undo', label: t`Undo`, keys: 'u', icon: Undo2, reason: busy, run: () => void steer('undo') }]
      : []),
    ...(isRunning(edit)
      ? [{ id: 'stop', label: t`Stop`, keys: 's', icon: Square, reason: busy, run: () => void leave('cancel') }]
      : []),
  ])
  const words = (): [ReactNode, ReactNode] => {
    if (isRunning(edit))
      return [t`A worker is at it. You may leave this page.`, t`Stopping keeps what was done so far.`]
    if (status === 'UNDONE')
      return [
        <Plural key="undone" value={undone} one="# product is as it was" other="# products are as they were" />,
        kept > 0 ? (
          <Plural
            value={kept}
            one="# was changed since, and is left alone."
            other="# were changed since, and are left alone."
          />
        ) : (
          ''
        ),
      ]
    if (canUndo)
      return [
        <Plural
          key="applied"
          value={applied - undone - kept}
          one="# product is changed"
          other="# products are changed"
        />,
        <>
          {skipped > 0 && (
            <Plural
              value={skipped}
              one="# was skipped: somebody changed it. "
              other="# were skipped: somebody changed them. "
            />
          )}
          <Trans>You can undo it until {until}; what others change in between is left alone.</Trans>
        </>,
      ]
    if (canApply)
      return [
        <Plural key="changing" value={changing} one="# product will change" other="# products will change" />,
        <Trans key="until">
          Nothing is written yet. You can undo it until {until}; what others change in between is left alone.
        </Trans>,
      ]
    return [t`No product changes.`, t`Try something else.`]
  }
  const [what, more] = words()
  return (
    <div className="float savebar" role="region" aria-label={t`What to do`}>
      <div className="what">
        <b className="strong">{what}</b>
        <p className="soft">{more}</p>
        {error !== undefined && <Problem error={error} />}
      </div>
      <div className="acts">
        {isRunning(edit) && <Button icon={Square} reason={busy} onClick={() => void leave('cancel')}>{t`Stop`}</Button>}
        {canDiscard && <Button look="quiet" reason={busy} onClick={() => void leave('discard')}>{t`Discard`}</Button>}
        {canUndo && (
          <Button icon={Undo2} reason={busy} onClick={() => void steer('undo')}>
            <Plural value={applied - undone - kept} one="Undo # change" other="Undo # changes" />
          </Button>
        )}
        {canApply && (
          <Button look="main" reason={busy} onClick={() => void steer('apply')}>
            {status === 'READY' ? (
              <Plural value={left} one="Apply # change" other="Apply # changes" />
            ) : (
              <Plural value={left} one="Apply # more" other="Apply # more" />
            )}
          </Button>
        )}
      </div>
    </div>
  )
}
