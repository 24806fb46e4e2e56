import { useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { formText } from '../ui/form-text.ts'
import { Icon } from '../ui/icon.tsx'
import { useProblem } from '../ui/problem.tsx'

type Named = { name: string; isShared: boolean }
type Props = { before: Named; onSave: (named: Named) => Promise<void>; onCancel: () => void }

/** A view gets its name where its tab will be. What was typed stays until it is saved. */
export function NameForm({ before, onSave, onCancel }: Props) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const name = formText(form, 'name').trim()
    if (!name) return setProblem(t`Enter a name.`)
    setBusy(true)
    try {
      await onSave({ name, isShared: formText(form, 'isShared') === 'on' })
    } catch (error) {
      setProblem(wordsOf(error).what || wordsOf(error).title)
      setBusy(false)
    }
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onCancel()
  }
  return (
    <form className="name-view" onSubmit={(event) => void submit(event)} onKeyDown={press}>
      <input
        className="input"
        name="name"
        maxLength={100}
        aria-label={t`Name of the view`}
        placeholder={t`Name of the view`}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? 'view-problem' : undefined}
        autoComplete="off"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was asked for just now
        autoFocus
        defaultValue={before.name}
      />
      <label className="choice">
        <input type="checkbox" className="check" name="isShared" defaultChecked={before.isShared} />
        {t`For the whole team`}
      </label>
      <Button type="submit" look="small" reason={isBusy ? t`Saving…` : undefined}>{t`Save`}</Button>
      <Button look="quiet small" onClick={onCancel}>{t`Cancel`}</Button>
      {problem && (
        <p className="problem" id="view-problem" role="alert">
          <Icon of={TriangleAlert} />
          {problem}
        </p>
      )}
    </form>
  )
}
