import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Sheet } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import type { BusinessDetail } from '../types.ts'
import { useAsking } from '../use-asking.ts'

/** Closes a business, with the reason that its people read. */
export function SuspendSheet({ of: { id, name }, onClose }: { of: BusinessDetail; onClose: () => void }) {
  const { t } = useLingui()
  const form = useId()
  const { ask, error, waiting } = useAsking()
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const reason = formText(event.currentTarget, 'reason').trim()
    if (!reason) return setProblem(t`Say why: its people read it.`)
    setProblem(undefined)
    void ask(async () => {
      await kontor.operations.suspendBusiness({ path: { id }, body: { reason } })
      toast(t`${name} suspended`)
      onClose()
    })
  }
  const foot = (
    <>
      <Button type="submit" form={form} look="destroy main" reason={waiting}>{t`Suspend ${name}`}</Button>
      <Button look="quiet" onClick={onClose}>{t`Leave it open`}</Button>
    </>
  )
  return (
    <Sheet open onClose={onClose} title={t`Suspend ${name}`} foot={foot}>
      <form id={form} className="op-form" onSubmit={submit}>
        {error !== undefined && <Problem error={error} kept={t`It is open as before.`} />}
        <TextField
          label={t`Reason`}
          name="reason"
          rows={4}
          maxLength={500}
          problem={problem}
          onChange={() => setProblem(undefined)}
          hint={t`In the log of the business, too: its people read it.`}
        />
        <ul className="op-then soft">
          <li>
            <Trans>Its shop, its people and its keys are refused from the next request on.</Trans>
          </li>
          <li>
            <Trans>Its letters pause.</Trans>
          </li>
          <li>
            <Trans>Payments under way are still completed, and readers can still unsubscribe.</Trans>
          </li>
          <li>
            <Trans>Nothing is deleted; it can be opened again at any time.</Trans>
          </li>
        </ul>
      </form>
    </Sheet>
  )
}
