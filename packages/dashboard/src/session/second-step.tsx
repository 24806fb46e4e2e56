import { KontorError } from '@kontor/sdk'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { KeyRound, Smartphone, UserRoundKey } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { kontor } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Notice } from '../ui/notice.tsx'
import { useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { CodeField } from './code-field.tsx'
import { LostDevice } from './lost-device.tsx'
import { askForPasskey, canUsePasskeys, isGivenUp } from './passkeys.ts'
import type { Challenge } from './session.ts'
import { useTooOften } from './use-too-often.ts'

type Way = 'TOTP' | 'PASSKEY' | 'RECOVERY_CODE'

/** As the service counts them for one challenge. */
const TRIES = 5
/** A challenge that was tried too often is of no use at once; everything else that is counted takes a while. */
const AT_ONCE_SECONDS = 1

/** Why this login has to begin anew. */
export type Ended = 'late' | 'tried-often'

type Props = {
  asked: Challenge
  enter: (body: object) => Promise<void>
  onBack: (why?: Ended) => void
}

/** The password was right; the account has a second factor. */
export function SecondStep({ asked, enter, onBack }: Props) {
  const { t } = useLingui()
  const ways = (['TOTP', 'PASSKEY', 'RECOVERY_CODE'] as const).filter(
    (way) => asked.methods.includes(way) && (way !== 'PASSKEY' || canUsePasskeys()),
  )
  const [way, setWay] = useState<Way>(ways[0] ?? 'RECOVERY_CODE')
  const [isLost, setLost] = useState(false)
  const answer = useAnswer({ asked, enter, onBack })
  const choose = (next: Way) => {
    answer.forget()
    setLost(false)
    setWay(next)
  }
  const others = ways.filter((one) => one !== way)
  if (isLost)
    return <LostDevice hasPasskey={ways.includes('PASSKEY')} onChoose={choose} onBack={() => setLost(false)} />
  return (
    <div className="form">
      <div>
        <h1>{t`One more step`}</h1>
        <p className="lead">
          {way === 'TOTP' && <Trans>Type the six digits that your authenticator app shows for this service.</Trans>}
          {way === 'PASSKEY' && <Trans>Confirm with your passkey: a finger, a face, or a key.</Trans>}
          {way === 'RECOVERY_CODE' && (
            <Trans>Type one of the ten codes that you kept when you set up your app. Each works once.</Trans>
          )}
        </p>
      </div>
      {way === 'TOTP' && <ByCode answer={answer} />}
      {way === 'PASSKEY' && <ByPasskey answer={answer} challenge={asked.challenge} />}
      {way === 'RECOVERY_CODE' && <ByRecoveryCode answer={answer} />}
      {others.length > 0 && (
        <>
          <p className="or">{t`or`}</p>
          <div className="others">
            {others.map((other) => (
              <OtherWay key={other} way={other} onChoose={() => choose(other)} />
            ))}
          </div>
        </>
      )}
      <p className="note">
        <button type="button" className="link" onClick={() => setLost(true)}>{t`I have lost my device`}</button>
        {' · '}
        <button type="button" className="link" onClick={() => onBack()}>{t`Back to signing in`}</button>
      </p>
    </div>
  )
}

function OtherWay({ way, onChoose }: { way: Way; onChoose: () => void }) {
  const { t } = useLingui()
  const icon = { TOTP: Smartphone, PASSKEY: UserRoundKey, RECOVERY_CODE: KeyRound }[way]
  const words = {
    TOTP: t`Use a code of the app`,
    PASSKEY: t`Use a passkey`,
    RECOVERY_CODE: t`Use a recovery code`,
  }[way]
  return (
    <Button icon={icon} onClick={onChoose}>
      {words}
    </Button>
  )
}

type Answer = ReturnType<typeof useAnswer>

/** Sends what was given, and says what is left to do where it was wrong. */
function useAnswer({ asked, enter, onBack }: Props) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const tooOften = useTooOften()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [wrong, setWrong] = useState(0)

  const wordsFor = (error: unknown): string => {
    if (isGivenUp(error)) return t`Nothing was confirmed. Try again, or choose another way.`
    if (!(error instanceof KontorError)) return wordsOf(error).what
    if (!isWrong(error)) return tooOften(error) ?? wordsOf(error).what
    const left = TRIES - wrong - 1
    const tries = t`${plural(left, { one: '# try is left.', other: '# tries are left.' })}`
    if (error.has('PASSKEY_INVALID')) return t`This passkey does not belong to your account. ${tries}`
    return error.details.some(({ field }) => field === 'recoveryCode')
      ? t`This is none of your recovery codes, or you have used it already. ${tries}`
      : t`This code is not right, or was used already. Your app shows a new one every half minute. ${tries}`
  }
  return {
    isBusy,
    problem,
    forget: () => setProblem(undefined),
    /** Whether one is in. */
    async give(proof: () => Promise<object> | object): Promise<boolean> {
      if (isBusy) return false
      setBusy(true)
      setProblem(undefined)
      try {
        await enter({ challenge: asked.challenge, ...(await proof()) })
        return true
      } catch (error) {
        const ended = endedBy(error, wrong)
        if (ended) onBack(ended)
        else setProblem(wordsFor(error))
        if (isWrong(error)) setWrong(wrong + 1)
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

const isWrong = (error: unknown) =>
  error instanceof KontorError && ['CODE_WRONG', 'PASSKEY_INVALID'].some((code) => error.has(code))

/** Nothing more can be given here: then whoever it is begins anew, and is not left with a field that helps no more. */
function endedBy(error: unknown, wrongBefore: number): Ended | undefined {
  if (!(error instanceof KontorError)) return undefined
  if (error.has('CHALLENGE_INVALID')) return 'late'
  const isSpent = error.status === 429 && (error.retryAfterSeconds ?? 0) <= AT_ONCE_SECONDS
  return isSpent || (isWrong(error) && wrongBefore + 1 >= TRIES) ? 'tried-often' : undefined
}

function ByCode({ answer }: { answer: Answer }) {
  const { t } = useLingui()
  const [code, setCode] = useState('')
  const send = (whole: string) => void answer.give(() => ({ code: whole }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(code)
  }
  return (
    <form className="others" onSubmit={submit}>
      <CodeField label={t`Code`} code={code} onChange={setCode} onWhole={send} problem={answer.problem} />
      <Button type="submit" look="main" reason={answer.isBusy ? t`Signing in…` : undefined}>{t`Sign in`}</Button>
    </form>
  )
}

function ByPasskey({ answer, challenge }: { answer: Answer; challenge: string }) {
  const { t } = useLingui()
  const press = () =>
    answer.give(async () => ({
      passkey: await askForPasskey(await kontor.operations.getPasskeyLoginOptions({ body: { challenge } })),
    }))
  return (
    <>
      {answer.problem && <Notice tone="alert" title={answer.problem} />}
      <Button
        look="main"
        className="tall"
        icon={UserRoundKey}
        autoFocus
        reason={answer.isBusy ? t`Waiting for your browser…` : undefined}
        onClick={() => void press()}
      >{t`Continue with a passkey`}</Button>
    </>
  )
}

function ByRecoveryCode({ answer }: { answer: Answer }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const recoveryCode = formText(event.currentTarget, 'recoveryCode').trim()
    if (!(await answer.give(() => ({ recoveryCode })))) return
    const label = t`Set up your new device`
    toast(t`This recovery code is used up.`, {
      action: { label, run: () => void navigate({ to: '/profile/security' }) },
    })
  }
  return (
    <form className="others" onSubmit={(event) => void submit(event)}>
      <Field
        label={t`Recovery code`}
        name="recoveryCode"
        className="mono"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        autoFocus
        problem={answer.problem}
      />
      <Button type="submit" look="main" reason={answer.isBusy ? t`Signing in…` : undefined}>{t`Sign in`}</Button>
    </form>
  )
}
