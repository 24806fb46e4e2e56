import { KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { isGivenUp, isMadeAlready, makePasskey } from '../../session/passkeys.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { deviceOf } from '../sessions/device.ts'

/** Its name first, so that one knows later which is which; then the browser asks where to keep it. */
export function AddPasskey({ onDone }: { onDone: () => void }) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const { browser, system } = deviceOf(navigator.userAgent)
  const wordsFor = (error: unknown) => {
    if (isGivenUp(error)) return t`No passkey was made. Try again, or close this.`
    if (isMadeAlready(error)) return t`This device has a passkey for you already.`
    if (error instanceof KontorError && error.has('PASSKEY_INVALID'))
      return t`That took too long, or the answer of the device does not hold. Try again.`
    return wordsOf(error).what
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = formText(event.currentTarget, 'name').trim()
    setBusy(true)
    setProblem(undefined)
    try {
      const options = await kontor.operations.getPasskeyOptions()
      const passkey = await makePasskey(options)
      await kontor.operations.createPasskey({ body: { passkey, name } })
      await invalidate('-', /./) // other sessions have ended, and a role may count from now on
      toast(t`Next time ${name} signs you in.`)
      onDone()
    } catch (error) {
      setProblem(wordsFor(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field
        label={t`Name of the passkey`}
        name="name"
        required
        maxLength={100}
        autoFocus
        autoComplete="off"
        defaultValue={[system, browser].filter(Boolean).join(', ')}
        hint={t`So that you know later which device it is on.`}
        problem={problem}
      />
      <div className="acts">
        <Button type="submit" look="main" reason={isBusy ? t`Waiting for your browser…` : undefined}>
          {t`Make the passkey`}
        </Button>
        <Button look="quiet" onClick={onDone}>{t`Close`}</Button>
      </div>
    </form>
  )
}
