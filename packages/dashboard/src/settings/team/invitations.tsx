import { useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Send, UserPlus, X } from 'lucide-react'
import { useState } from 'react'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useColleagues } from '../../session/use-colleagues.ts'
import { useFormat } from '../../session/use-format.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Problem, useProblem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Invitation, invitationsQuery, rolesQuery } from '../queries.ts'

/** Invitations that wait, and those that came too late. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const { t } = useLingui()
  const business = useBusiness()
  const waiting = useInfiniteQuery(invitationsQuery(business.id, 'PENDING'))
  const late = useInfiniteQuery(invitationsQuery(business.id, 'EXPIRED'))
  const all = [waiting, late].flatMap(({ data }) => data?.pages.flatMap(({ items }) => items) ?? [])
  const error = waiting.error ?? late.error
  const more = waiting.hasNextPage ? waiting : late
  if (error)
    return (
      <div className="page">
        <Problem error={error} onRetry={() => void Promise.all([waiting.refetch(), late.refetch()])} />
      </div>
    )
  if (waiting.isPending || late.isPending) return <Bones rows={4} columns={4} />
  if (all.length === 0)
    return (
      <div className="page">
        <Empty
          title={t`Nobody is invited now`}
          action={<Button look="main" icon={UserPlus} onClick={onInvite}>{t`Invite somebody`}</Button>}
        >
          {t`Whoever was invited stands here until they accept, or for seven days.`}
        </Empty>
      </div>
    )
  return (
    <>
      <ul className="invitations">
        {all.map((invitation) => (
          <Row key={invitation.id} of={invitation} />
        ))}
      </ul>
      {more.hasNextPage && (
        <div className="page">
          <Button onClick={() => void more.fetchNextPage()}>{t`Show more`}</Button>
        </div>
      )}
    </>
  )
}

function Row({ of: invitation }: { of: Invitation }) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const format = useFormat()
  const colleague = useColleagues()
  const { may } = usePermissions()
  const { data: roles } = useQuery(rolesQuery(business.id))
  const [isSending, setSending] = useState(false)
  const isAsked = useAsked(invitation.id).length > 0 || isSending
  const { id, email, userId, roleId, expiresAt, invitedBy } = invitation
  const role = roles?.items.find((one) => one.id === roleId)
  const who = email ?? (userId && colleague(userId)) ?? t`Somebody with an account`
  const isLate = expiresAt * 1_000 <= Date.now()
  const lacks =
    (role && !role.permissions.every(may) ? t`The role may do more than you.` : undefined) ??
    (isAsked ? t`Processing…` : undefined)
  const attempt = async (work: () => Promise<unknown>, done: string) => {
    setSending(true)
    try {
      await work()
      toast(done)
    } catch (error) {
      toast(t`Something went wrong. ${wordsOf(error).what}`)
    } finally {
      setSending(false)
    }
  }
  const again = () =>
    attempt(
      () =>
        ask({
          operation: 'createInvitation',
          input: { body: { email: email ?? '', roleId } },
          label: t`Invite ${who} again`,
          about: [id],
        }),
      t`${who} gets another mail; the link before is void.`,
    )
  const withdraw = () =>
    attempt(
      () =>
        ask({
          operation: 'revokeInvitation',
          input: { path: { id } },
          label: t`Withdraw the invitation of ${who}`,
          about: [id],
        }),
      t`Invitation of ${who} canceled`,
    )
  const by = colleague(invitedBy)
  return (
    <li>
      <div className="grow">
        <b className="strong">{who}</b>
        <span className="soft">{[role?.name, by && t`invited by ${by}`].filter(Boolean).join(' · ')}</span>
      </div>
      <Status fill={isLate ? 'off' : 'ring'} tone={isLate ? 'soft' : 'wait'}>
        {isLate ? t`came too late` : t`waits until ${format.date(expiresAt)}`}
      </Status>
      <div className="acts">
        <Button
          look="small"
          icon={Send}
          reason={
            lacks ??
            (email === null ? t`It was offered to an account: withdraw it, and give the role again.` : undefined)
          }
          onClick={() => void again()}
        >{t`Send again`}</Button>
        <Button look="quiet small" icon={X} reason={lacks} onClick={() => void withdraw()}>
          {isLate ? t`Remove` : t`Withdraw`}
        </Button>
      </div>
    </li>
  )
}
