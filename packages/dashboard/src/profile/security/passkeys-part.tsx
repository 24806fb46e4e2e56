import type { Answer } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Plus, UserRoundKey } from 'lucide-react'
import { useState } from 'react'
import { ask } from '../../outbox/outbox.ts'
import { canUsePasskeys } from '../../session/passkeys.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Moment } from '../moment.tsx'
import { Part } from '../part.tsx'
import { passkeysQuery } from '../queries.ts'
import { Sure } from '../sure.tsx'
import { AddPasskey } from './add-passkey.tsx'

type Passkey = Answer<'listPasskeys'>['items'][number]

/** Passkeys: signing in with one press, and with nothing that could be copied. */
export function PasskeysPart() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(passkeysQuery())
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Passkey>()
  const reason = canUsePasskeys() ? undefined : t`This browser, or this address, has no passkeys.`
  return (
    <Part
      title={t`Passkeys`}
      about={
        <Trans>
          One press, and finger, face or key sign you in, without password and code. Nobody can copy them or lure them
          out of you. Have two: one may get lost.
        </Trans>
      }
    >
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Bones rows={2} columns={2} bleed={false} />
      ) : (
        <>
          {data.items.length === 0 && !isAdding && <p className="soft">{t`You have none yet.`}</p>}
          {data.items.length > 0 && (
            <ul className="things">
              {data.items.map((passkey) => (
                <Row key={passkey.id} passkey={passkey} onRemove={() => setRemoved(passkey)} />
              ))}
            </ul>
          )}
          {isAdding ? (
            <AddPasskey onDone={() => setAdding(false)} />
          ) : (
            <div>
              <Button icon={Plus} reason={reason} onClick={() => setAdding(true)}>{t`Add a passkey`}</Button>
              {reason && <p className="note">{reason}</p>}
            </div>
          )}
        </>
      )}
      {removed && (
        <RemoveDialog passkey={removed} isLast={data?.items.length === 1} onClose={() => setRemoved(undefined)} />
      )}
    </Part>
  )
}

function Row({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const { t } = useLingui()
  const { name, createdAt, lastUsedAt } = passkey
  return (
    <li>
      <Icon of={UserRoundKey} />
      <div>
        <p className="what break">{name}</p>
        <p className="note">
          <Trans>
            since <Moment at={createdAt} />
          </Trans>
          {' · '}
          {lastUsedAt === null ? (
            t`not used yet`
          ) : (
            <Trans>
              last used <Moment at={lastUsedAt} />
            </Trans>
          )}
        </p>
      </div>
      <Button look="small" aria-label={t`Remove ${name}`} onClick={onRemove}>{t`Remove`}</Button>
    </li>
  )
}

function RemoveDialog({ passkey, isLast, onClose }: { passkey: Passkey; isLast: boolean; onClose: () => void }) {
  const { t } = useLingui()
  const { id, name } = passkey
  return (
    <Sure
      title={t`Remove ${name}?`}
      verb={t`Remove`}
      done={t`${name} removed`}
      act={() =>
        ask('-', { operation: 'deletePasskey', input: { path: { id } }, label: t`Remove a passkey`, about: [id] })
      }
      onClose={onClose}
    >
      {isLast ? (
        <Trans>It is your only one: after this you sign in with your password. All other sessions end.</Trans>
      ) : (
        <Trans>It no longer signs you in. All other sessions end. Remove it from the device as well.</Trans>
      )}
    </Sure>
  )
}
