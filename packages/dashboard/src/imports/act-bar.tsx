import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Check, Square, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { type Command, useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { canUndo, type Import } from './types.ts'
import { useSteer } from './use-steer.ts'

const KEEP_SECONDS = 30 * 86_400

/** What can be done with it now. */
export function ActBar({ of: one }: { of: Import }) {
  const { t } = useLingui()
  const business = useBusiness()
  const navigate = useNavigate()
  const { reason } = usePermissions()
  const { steer, asked, error } = useSteer(one)
  const why = reason('PRODUCTS_WRITE') ?? (asked ? t`Processing…` : undefined)
  const { status, created, updated } = one
  const writes = created + updated
  const leave = async () => {
    const answer = await steer('discard')
    if (answer?.status !== 'DISCARDED') return
    toast(t`Import discarded. Nothing was imported.`)
    void navigate({ to: '/$business/products/imports', params: { business: addressOf(business) } })
  }
  const apply = () => void steer('apply')
  const undo = () => void steer('undo')
  const canApply = status === 'READY' && writes > 0
  const canDiscard = status === 'READY' || status === 'DRY_RUN'
  const commands: (Command | false)[] = [
    canApply && { id: 'apply', label: t`Apply`, keys: 'mod+Enter', icon: Check, reason: why, run: apply },
    canUndo(one) && { id: 'undo', label: t`Undo this import`, keys: 'u', icon: Undo2, reason: why, run: undo },
    status === 'RUNNING' && {
      id: 'stop',
      label: t`Stop`,
      keys: 's',
      icon: Square,
      reason: why,
      run: () => void leave(),
    },
  ]
  useCommands(commands.filter((command) => command !== false))
  const [what, more] = useWhat(one)
  return (
    <div className="float savebar" role="region" aria-label={t`What to do`}>
      <div className="what">
        <b className="strong">{what}</b>
        {more && <p className="soft">{more}</p>}
        {error !== undefined && <Problem error={error} />}
      </div>
      <div className="acts">
        {status === 'RUNNING' && <Button icon={Square} reason={why} onClick={() => void leave()}>{t`Stop`}</Button>}
        {canDiscard && <Button look="quiet" reason={why} onClick={() => void leave()}>{t`Discard`}</Button>}
        {canUndo(one) && (
          <Button icon={Undo2} reason={why} onClick={undo}>
            <Plural value={writes} one="Undo # product" other="Undo # products" />
          </Button>
        )}
        {canApply && (
          <Button look="main" reason={why} onClick={apply}>
            <Plural value={writes} one="Apply # line" other="Apply # lines" />
            <kbd className="hide-phone">Ctrl ↵</kbd>
          </Button>
        )}
      </div>
    </div>
  )
}

/** How things stand, and what follows from it. */
function useWhat(one: Import): [what: ReactNode, more: ReactNode] {
  const { t } = useLingui()
  const format = useFormat()
  const { status, created, updated, skipped, undone, kept, failed } = one
  const [made, changed] = [format.number(created), format.number(updated)]
  const until = format.date(one.createdAt + KEEP_SECONDS)
  const canBeUndone = one.isUndoable ? (
    <Trans>You can undo it until {until}; what others change in between is left alone.</Trans>
  ) : (
    t`With more than 100,000 lines it cannot be undone.`
  )
  switch (status) {
    case 'RECEIVING':
    case 'DRY_RUN':
      return [t`Dry run in progress. Nothing is saved.`, t`You may leave this page.`]
    case 'RUNNING':
      return [t`A worker imports it. You may leave this page.`, t`Stopping keeps what was done so far.`]
    case 'UNDOING':
      return [t`A worker puts it back. You may leave this page.`, t`Stock is left as it is.`]
    case 'DISCARDED':
      return [t`This import was discarded. Nothing was imported.`, undefined]
    case 'UNDONE':
      return [
        <Plural key="what" value={undone} one="# product was put back" other="# products were put back" />,
        kept > 0 ? (
          <Plural
            value={kept}
            one="# was changed since, and is left alone. Stock stays as it is."
            other="# were changed since, and are left alone. Stock stays as it is."
          />
        ) : (
          t`What was new is archived. Stock stays as it is.`
        ),
      ]
    case 'READY':
      if (created + updated === 0)
        return [t`Nothing would change.`, failed > 0 ? t`Only wrong lines are left.` : undefined]
      return [
        <Trans key="what">
          {made} products will be made, {changed} will change
        </Trans>,
        <>
          {failed > 0 && (
            <Plural value={failed} one="# wrong line is left out. " other="# wrong lines are left out. " />
          )}
          {canBeUndone}
        </>,
      ]
    default:
      if (created + updated === 0) return [t`No changes`, undefined]
      return [
        <Trans key="what">
          {made} products were made, {changed} were changed
        </Trans>,
        <>
          {skipped > 0 && status === 'DONE' && (
            <Plural
              value={skipped}
              one="# was left alone: somebody had changed it. "
              other="# were left alone: somebody had changed them. "
            />
          )}
          {canBeUndone}
        </>,
      ]
  }
}
