import { type Body, KontorError } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { UserRoundKey } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { kontor } from '../api/client.ts'
import { endProof } from '../api/proof.ts'
import { invalidate, query } from '../api/query.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Notice } from '../ui/notice.tsx'
import { useProblem } from '../ui/problem.tsx'
import { CodeField } from './code-field.tsx'
import { askForPasskey, canUsePasskeys, isGivenUp } from './passkeys.ts'
import { meQuery } from './queries.ts'
import { useSigned } from './use-signed.ts'
import { useTooOften } from './use-too-often.ts'

/** Asks once more whether it is this person. What waits for it is done right after, and nothing typed is lost. */
export function ProofDialog() {
  const { t } = useLingui()
  const factor = useQuery(query('-', 'getSecondFactor'))
  const passkeys = useQuery(query('-', 'listPasskeys'))
  const hasApp = factor.data?.isOn === true
  const hasPasskey = (passkeys.data?.items.length ?? 0) > 0
  const isKnown = !factor.isPending && !passkeys.isPending
  const isSigned = useSigned() !== undefined
  useEffect(() => {
    if (!isSigned) endProof(false)
  }, [isSigned])
  useEscape(() => endProof(false))
  const way = useProve()
  const isLimited = useQuery(meQuery()).data?.needsConfirmation === true
  return (
    <Dialog open onClose={() => endProof(false)} title={isLimited ? t`Confirm it’s you` : t`Is it you?`}>
      <p className="soft">
        {isLimited ? (
          <Trans>
            Your company’s sign-in gives you access to its business only. To use your other businesses and your account
            settings, confirm it’s you.
          </Trans>
        ) : (
          <Trans>To continue, confirm it’s you. Nothing you entered is lost.</Trans>
        )}
      </p>
      <div className="ask-proof">
        {!isKnown ? (
          <Bones rows={2} columns={1} bleed={false} />
        ) : hasApp ? (
          <>
            <ByCode {...way} />
            {hasPasskey && canUsePasskeys() && <OrByPasskey {...way} />}
          </>
        ) : hasPasskey ? (
          <ByPasskey {...way} />
        ) : (
          <ByPassword {...way} isLimited={isLimited} />
        )}
      </div>
    </Dialog>
  )
}

/** What lies below may be a dialog as well: this key is meant for this one only. */
function useEscape(close: () => void) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopImmediatePropagation()
      close()
    }
    addEventListener('keydown', press, true)
    return () => removeEventListener('keydown', press, true)
  }, [])
}

type Proof = Body<'reauthenticate'>
type Prove = (proof: () => Promise<Proof> | Proof) => Promise<void>
type Way = { prove: Prove; problem: string | undefined; isBusy: boolean }

function useProve(): Way {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const tooOften = useTooOften()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const wordsFor = (error: unknown) => {
    if (isGivenUp(error)) return t`Nothing was confirmed. Try again, or choose another way.`
    if (!(error instanceof KontorError)) return wordsOf(error).what
    if (error.has('PASSWORD_WRONG')) return t`This is not your password.`
    if (error.has('CODE_WRONG'))
      return t`This code is not right, or was used already. Your app shows a new one every half minute.`
    if (error.has('PASSKEY_INVALID')) return t`This passkey does not belong to your account.`
    return tooOften(error) ?? wordsOf(error).what
  }
  const prove: Prove = async (proof) => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      await kontor.operations.reauthenticate({ body: await proof() })
      endProof(true)
      // Other businesses may be open from now on, and a role may count in one that wants a second factor.
      void invalidate('-', ['getMe', 'listBusinesses', 'listMyInvitations', 'listKeys'])
    } catch (error) {
      setProblem(wordsFor(error))
    } finally {
      setBusy(false)
    }
  }
  return { prove, problem, isBusy }
}

function ByCode({ prove, problem, isBusy }: Way) {
  const { t } = useLingui()
  const [code, setCode] = useState('')
  const send = (whole: string) => void prove(() => ({ code: whole }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(code)
  }
  return (
    <form onSubmit={submit}>
      <CodeField
        label={t`Code of your authenticator app`}
        code={code}
        onChange={setCode}
        onWhole={send}
        problem={problem}
      />
      <p className="note">
        <Trans>Without your device?</Trans> <SignInAgain />{' '}
        <Trans>with a recovery code: for ten minutes after that nothing is asked.</Trans>
      </p>
      <Acts isBusy={isBusy} />
    </form>
  )
}

/** What waits is given up, and this page is where it leads to. */
function SignInAgain() {
  const { t } = useLingui()
  const to = location.pathname + location.search
  return <Link className="link" to="/login" search={{ to }} onClick={() => endProof(false)}>{t`Sign in again`}</Link>
}

/** The company's sign-in can't lift its own limit, so the password reset link is sent by email. */
function SetPassword() {
  const { t } = useLingui()
  return (
    <Link
      className="link"
      to="/login"
      search={{ forgotten: true }}
      onClick={() => endProof(false)}
    >{t`Set a password`}</Link>
  )
}

function ByPassword({ prove, problem, isBusy, isLimited }: Way & { isLimited: boolean }) {
  const { t } = useLingui()
  const { data: me } = useQuery(meQuery())
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = formText(event.currentTarget, 'password')
    void prove(() => ({ password }))
  }
  return (
    <form onSubmit={submit}>
      <input type="email" name="email" autoComplete="username" value={me?.email ?? ''} readOnly hidden />
      <Field
        label={t`Password`}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        problem={problem}
      />
      <p className="note">
        {isLimited ? (
          <>
            <Trans>No password yet?</Trans> <SetPassword />
          </>
        ) : (
          <>
            <Trans>No password because you use your company’s sign-in?</Trans> <SignInAgain />
          </>
        )}
      </p>
      <Acts isBusy={isBusy} />
    </form>
  )
}

function Acts({ isBusy }: { isBusy: boolean }) {
  const { t } = useLingui()
  return (
    <div className="acts">
      <Button look="quiet" onClick={() => endProof(false)}>{t`Leave it`}</Button>
      <Button type="submit" look="main" reason={isBusy ? t`Confirming…` : undefined}>{t`Confirm`}</Button>
    </div>
  )
}

const showPasskey = async () => ({
  passkey: await askForPasskey(await kontor.operations.getPasskeyLoginOptions({ body: {} })),
})

function OrByPasskey({ prove, isBusy }: Way) {
  const { t } = useLingui()
  return (
    <>
      <p className="or">{t`or`}</p>
      <Button
        icon={UserRoundKey}
        reason={isBusy ? t`Confirming…` : undefined}
        onClick={() => void prove(showPasskey)}
      >{t`Use a passkey`}</Button>
    </>
  )
}

/** Whoever has a passkey has to show it: a password alone could be somebody else's by now. */
function ByPasskey({ prove, problem, isBusy }: Way) {
  const { t } = useLingui()
  const reason = isBusy
    ? t`Confirming…`
    : canUsePasskeys()
      ? undefined
      : t`This browser, or this address, has no passkeys.`
  return (
    <>
      {problem && <Notice tone="alert" title={problem} />}
      <p className="note">
        <Trans>
          You have a passkey, so a password is not enough here. Have you lost it? Whoever runs this service can take it
          off your account.
        </Trans>
      </p>
      <div className="acts">
        <Button look="quiet" onClick={() => endProof(false)}>{t`Leave it`}</Button>
        <Button
          look="main"
          icon={UserRoundKey}
          autoFocus
          reason={reason}
          onClick={() => void prove(showPasskey)}
        >{t`Use a passkey`}</Button>
      </div>
    </>
  )
}
