import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { UserMinus } from 'lucide-react'
import { useState } from 'react'
import { invalidate } from '../../api/query.ts'
import { isSame } from '../../merge/is-same.ts'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { usePermissionLine } from '../../session/permission-words.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useSigned } from '../../session/use-signed.ts'
import { Button } from '../../ui/button.tsx'
import { Sheet } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Member, rolesQuery } from '../queries.ts'

/** One member: which roles they have, and the way out of the team. */
export function MemberSheet({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const format = useFormat()
  const words = usePermissionLine()
  const { reason: lacking } = usePermissions()
  const isMe = useSigned()?.userId === member.id
  const { data: roles } = useQuery(rolesQuery(business.id))
  const held = member.roles.map(({ id }) => id)
  const [chosen, setChosen] = useState<string[]>(held)
  const [isLeaving, setLeaving] = useState(false)
  const [error, setError] = useState<unknown>()
  const isAsked = useAsked(member.id).length > 0
  const name = member.name || member.email || member.id
  const lacks = lacking('ADMIN')
  const waits = isAsked ? t`Processing…` : undefined
  const isChanged = !isSame(chosen.toSorted(), held.toSorted())
  const isAdmin = member.roles.some(({ permissions }) => permissions.includes('ADMIN'))
  const becomesAdmin =
    !isAdmin && roles?.items.some(({ id, permissions }) => chosen.includes(id) && permissions.includes('ADMIN'))
  const set = async (roleIds: string[]) => {
    setError(undefined)
    try {
      await ask({
        operation: 'setMemberRoles',
        input: { path: { id: member.id }, body: { roleIds } },
        label: roleIds.length === 0 ? t`Remove ${name} from the team` : t`Set the roles of ${name}`,
        about: [member.id],
      })
      await invalidate('-', ['getMe', 'listBusinesses'])
      toast(roleIds.length === 0 ? t`${name} removed from the team` : t`Changes saved`)
      onClose()
    } catch (cause) {
      setError(cause)
    }
  }
  const foot = isLeaving ? (
    <div className="flex gap-2 justify-end">
      <Button look="quiet" onClick={() => setLeaving(false)}>{t`Keep them`}</Button>
      <Button
        look="destroy main"
        reason={lacks ?? waits}
        onClick={() => void set([])}
      >{t`Remove from the team`}</Button>
    </div>
  ) : (
    <div className="flex gap-2">
      <Button
        look="destroy"
        icon={UserMinus}
        reason={lacks ?? waits}
        onClick={() => setLeaving(true)}
      >{t`Remove`}</Button>
      <span className="grow" />
      <Button
        look="main"
        reason={
          lacks ??
          waits ??
          (chosen.length === 0
            ? t`A member has one role at least. Remove them instead.`
            : isChanged
              ? undefined
              : t`No changes`)
        }
        onClick={() => void set(chosen)}
      >{t`Save the roles`}</Button>
    </div>
  )
  return (
    <Sheet open onClose={onClose} title={name} foot={foot}>
      {error !== undefined && <Problem error={error} kept={t`Their roles are as they were.`} />}
      <dl className="pairs">
        <dt>{t`Email`}</dt>
        <dd>{member.email ?? '–'}</dd>
        <dt>{t`In the team since`}</dt>
        <dd>{format.date(member.joinedAt)}</dd>
      </dl>
      {isLeaving ? (
        <p>
          {isMe ? (
            <Trans>You would leave the team yourself, and could not come back without an invitation.</Trans>
          ) : (
            <Trans>
              {name} loses all roles at once, and open invitations to them. What they have done stays, and stays in the
              audit log.
            </Trans>
          )}
        </p>
      ) : (
        <fieldset className="role-choices">
          <legend className="label">{t`Roles`}</legend>
          {lacks && <p className="note">{lacks}</p>}
          {roles?.items
            .toSorted((one, other) => one.name.localeCompare(other.name))
            .map((role) => {
              const isPending = member.pendingRoles.some(({ id }) => id === role.id)
              return (
                <label key={role.id} className="choice" title={lacks}>
                  <input
                    type="checkbox"
                    className="check"
                    checked={chosen.includes(role.id)}
                    disabled={lacks !== undefined}
                    onChange={() =>
                      setChosen((before) =>
                        before.includes(role.id) ? before.filter((id) => id !== role.id) : [...before, role.id],
                      )
                    }
                  />
                  <span>
                    {role.name} {isPending && <span className="wait-text">{t`offered, not accepted yet`}</span>}
                    <span className="note">{words(role.permissions)}</span>
                  </span>
                </label>
              )
            })}
        </fieldset>
      )}
      {!isLeaving && becomesAdmin && (
        <Notice tone="calm" title={t`They have to accept it.`}>
          {t`Nobody becomes an admin unasked: they get a mail, and keep the roles that they have until they accept.`}
        </Notice>
      )}
      {!isLeaving && isMe && isChanged && !lacks && (
        <Notice tone="wait" title={t`These are your own roles.`}>
          {t`What you take from yourself, somebody else has to give back.`}
        </Notice>
      )}
    </Sheet>
  )
}
