import { KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { CodeField } from '../../session/code-field.tsx'
import { useTooOften } from '../../session/use-too-often.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem, useProblem } from '../../ui/problem.tsx'
import { secondFactorQuery } from '../queries.ts'
import { SecurityCrumbs } from './crumbs.tsx'
import { QrCode } from './qr-code.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Begun = { secret: string; uri: string }

/** Three steps on one page: the app learns the secret, a code proves it, the recovery codes are kept. */
export function AppPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [codes, setCodes] = useState<string[]>()
  const { data: factor } = useQuery(secondFactorQuery())
  const isSetUp = factor?.isOn === true && !codes
  return (
    <>
      <SecurityCrumbs>{t`Authenticator app`}</SecurityCrumbs>
      <Head title={codes ? t`Keep these ten codes` : t`Set up an authenticator app`} />
      <div className="page steps">
        {codes ? (
          <RecoveryCodes codes={codes} onKept={() => void navigate({ to: '/profile/security' })} />
        ) : isSetUp ? (
          <Notice
            tone="calm"
            title={t`An app is set up.`}
            action={<Link className="button small" to="/profile/security">{t`Security`}</Link>}
          >
            {t`Remove it first if you want to use another one.`}
          </Notice>
        ) : (
          <SetUp onConfirmed={setCodes} />
        )}
      </div>
    </>
  )
}

function SetUp({ onConfirmed }: { onConfirmed: (codes: string[]) => void }) {
  const { t } = useLingui()
  const { begun, error, begin } = useBegun()
  if (error !== undefined) return <Problem error={error} onRetry={begin} />
  if (!begun) return <Bones rows={4} columns={2} bleed={false} />
  return (
    <ol className="numbered">
      <li>
        <h2>{t`Scan this with the app`}</h2>
        <p className="soft">
          <Trans>
            Any app for one-time codes will do: that of your password manager, or one from the store of your phone.
          </Trans>
        </p>
        <p className="only-phone">
          <a className="button" href={begun.uri}>{t`Open it in the app on this phone`}</a>
        </p>
        <div className="own-scan">
          <QrCode text={begun.uri} label={t`QR code for the app`} />
          <div>
            <p className="note">
              <Trans>No camera? Type this key into the app; it is time-based:</Trans>
            </p>
            <p className="secret mono" data-testid="secret">
              {begun.secret.match(/.{1,4}/g)?.join(' ')}
            </p>
            <CopyButton text={begun.secret}>{t`Copy the key`}</CopyButton>
          </div>
        </div>
      </li>
      <li>
        <h2>{t`Type the code that it shows`}</h2>
        <Confirm onConfirmed={onConfirmed} />
      </li>
    </ol>
  )
}

/** The secret of this attempt: made once while the page is open, and of no use until it is confirmed. */
function useBegun() {
  const [begun, setBegun] = useState<Begun>()
  const [error, setError] = useState<unknown>()
  const isAsked = useRef(false)
  const begin = () => {
    setError(undefined)
    kontor.operations.beginSecondFactor().then(setBegun, setError)
  }
  useEffect(() => {
    if (isAsked.current) return
    isAsked.current = true
    begin()
  }, [])
  return { begun, error, begin }
}

function Confirm({ onConfirmed }: { onConfirmed: (codes: string[]) => void }) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const tooOften = useTooOften()
  const [code, setCode] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const send = async (whole: string) => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      const { recoveryCodes } = await kontor.operations.confirmSecondFactor({ body: { code: whole } })
      onConfirmed(recoveryCodes)
      await invalidate('-', /./)
    } catch (error) {
      const isWrong = error instanceof KontorError && error.has('CODE_WRONG')
      setProblem(
        isWrong
          ? t`This code is not right. Take the newest one, and see that the clock of your phone is right.`
          : (tooOften(error) ?? wordsOf(error).what),
      )
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(code)
  }
  return (
    <form className="own-narrow" onSubmit={submit}>
      <CodeField
        label={t`Code`}
        code={code}
        onChange={setCode}
        onWhole={(whole) => void send(whole)}
        isLater={matchMedia('(max-width: 640px)').matches} // its keyboard would cover the QR code
        problem={problem}
        hint={t`Six digits. They change every half minute.`}
      />
      <div>
        <Button type="submit" look="main" reason={isBusy ? t`Confirming…` : undefined}>{t`Confirm`}</Button>
      </div>
    </form>
  )
}
