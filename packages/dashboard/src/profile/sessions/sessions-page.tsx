import type { Answer } from '@kontor/sdk'
import { KontorError } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Laptop, Smartphone, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { query } from '../../api/query.ts'
import { ask } from '../../outbox/outbox.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { Moment } from '../moment.tsx'
import { ProfileHead } from '../profile-head.tsx'
import { Sure } from '../sure.tsx'
import { type Device, deviceOf } from './device.ts'

type Session = Answer<'listSessions'>['items'][number]

/** Where one is signed in. Each can be ended from here, and is refused from then on. */
export function SessionsPage() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(query('-', 'listSessions'))
  const sessions = data?.items.toSorted((one, other) => Number(other.current) - Number(one.current))
  const others = sessions?.filter(({ current }) => !current).length ?? 0
  const [isAsking, setAsking] = useState(false)
  const [refused, setRefused] = useState<unknown>()
  const end = useEnd(setRefused)
  const reason = others === 0 ? t`There is no other one.` : undefined
  useCommands([
    { id: 'end-others', label: t`End all other sessions`, icon: Laptop, reason, run: () => setAsking(true) },
  ])
  return (
    <>
      <ProfileHead title={t`Sessions`}>
        <Button reason={reason} onClick={() => setAsking(true)}>{t`End all others`}</Button>
      </ProfileHead>
      <div className="page">
        <p className="intro">
          <Trans>
            Wherever you are signed in. One that you do not know may be somebody else: end it, then change your
            password.
          </Trans>
        </p>
        {refused !== undefined && <Problem error={refused} />}
        {error ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : sessions ? (
          <ul className="things">
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} onEnd={() => end(session.id)} />
            ))}
          </ul>
        ) : (
          <Bones rows={3} columns={2} bleed={false} />
        )}
      </div>
      {isAsking && (
        <Sure
          title={t`End all other sessions?`}
          verb={t`End all others`}
          done={t`Other sessions ended`}
          act={() => ask('-', { operation: 'endSessions', input: {}, label: t`End all other sessions` })}
          onClose={() => setAsking(false)}
        >
          <Plural
            value={others}
            one="One other browser or program is signed out at once. This one stays."
            other="# other browsers and programs are signed out at once. This one stays."
          />{' '}
          <Trans>API keys go on working.</Trans>
        </Sure>
      )}
    </>
  )
}

/** That it had ended already is as good. */
function useEnd(onRefused: (error: unknown) => void) {
  const { t } = useLingui()
  return (id: string) => {
    onRefused(undefined)
    const say = () => toast(t`Session ended`)
    ask('-', { operation: 'endSessions', input: { query: { id } }, label: t`End a session`, about: [id] }).then(
      say,
      (error: unknown) => {
        if (error instanceof KontorError && error.status === 404) say()
        else onRefused(error)
      },
    )
  }
}

const iconOf = ({ browser, system, isPhone }: Device) =>
  isPhone ? Smartphone : browser && !system ? SquareTerminal : Laptop

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { t } = useLingui()
  const device = deviceOf(session.userAgent)
  const { browser, system } = device
  const name = browser && system ? t`${browser} on ${system}` : (browser ?? system ?? t`Unknown program`)
  return (
    <li>
      <Icon of={iconOf(device)} />
      <div>
        <p className="what">
          {name} {session.current && <span className="badge good">{t`this one`}</span>}
        </p>
        <p className="note">
          {session.address && <>{session.address} · </>}
          <Trans>
            since <Moment at={session.createdAt} />
          </Trans>
          {' · '}
          <Trans>
            last used <Moment at={session.lastUsedAt} />
          </Trans>
        </p>
      </div>
      {!session.current && <Button look="small" aria-label={t`End ${name}`} onClick={onEnd}>{t`End`}</Button>}
    </li>
  )
}
