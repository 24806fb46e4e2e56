import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Sheet } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import type { BusinessDetail } from '../types.ts'
import { useAsking } from '../use-asking.ts'

/** Closes a business, to be deleted after its grace. Whoever does it types its address, so that no other one is meant. */
export function DeleteSheet({ of: { id, name, slug }, onClose }: { of: BusinessDetail; onClose: () => void }) {
  const { t } = useLingui()
  const form = useId()
  const [typed, setTyped] = useState('')
  const { ask, error, waiting } = useAsking()
  const isMeant = typed.trim() === slug
  const reason = waiting ?? (isMeant ? undefined : t`Type the address of the business first.`)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason) return
    void ask(async () => {
      await kontor.operations.deleteOperatorBusiness({ path: { id }, query: { slug } })
      toast(t`${name} is closed, and will be deleted in 30 days.`)
      onClose()
    })
  }
  const foot = (
    <>
      <Button type="submit" form={form} look="destroy main" reason={reason}>{t`Delete ${name}`}</Button>
      <Button look="quiet" onClick={onClose}>{t`Keep it`}</Button>
    </>
  )
  return (
    <Sheet open onClose={onClose} title={t`Delete ${name}`} foot={foot}>
      <form id={form} className="op-form" onSubmit={submit}>
        {error !== undefined && <Problem error={error} kept={t`The business is as it was.`} />}
        <ul className="op-then soft">
          <li>
            <Trans>
              Its shop, its people and its keys are refused from the next request on, and its letters pause.
            </Trans>
          </li>
          <li>
            <Trans>Its members get a mail.</Trans>
          </li>
          <li>
            <Trans>
              After 30 days every record and every file of it is deleted. Until then it can be had back here.
            </Trans>
          </li>
          <li>
            <Trans>Paid plans go on at the payment provider: end them there first.</Trans>
          </li>
        </ul>
        <Field
          label={
            <Trans>
              To delete it, type <b>{slug}</b>
            </Trans>
          }
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </form>
    </Sheet>
  )
}
