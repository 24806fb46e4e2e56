import { useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { useAsk } from '../../outbox/use-outbox.ts'
import { Button } from '../../ui/button.tsx'
import { Select, Field as TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { Automation, Letter, Newsletter, Trigger } from '../types.ts'
import { useTitleOf } from '../words.tsx'
import type { Unit } from './form.ts'
import { useAutomation } from './use-automation.ts'
import { useSentence, useTriggerNames } from './words.ts'

/** As a letter names them. */
const GOODS = { names: '{{ goods.names }}', url: '{{ goods.url }}' }

type Props = {
  newsletter: Newsletter
  trigger: Trigger
  of: Automation | undefined
  letters: readonly Letter[]
  onClose: () => void
}

/** Sets up one of them, or changes it: the letter, when, how often, and in words what will happen. */
export function AutomationTask({ newsletter, trigger, of: automation, letters, onClose }: Props) {
  const { t } = useLingui()
  const names = useTriggerNames()
  const sentence = useSentence()
  const titleOf = useTitleOf()
  const ask = useAsk()
  const { form, change, body, wrong, save, discard, isAsked, isChanged, error, sheet } = useAutomation({
    newsletter,
    trigger,
    automation,
  })
  const [isTried, setTried] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const chosen = letters.find(({ id }) => id === form.entryId)
  const isDraft = chosen !== undefined && chosen.statuses.at(-1)?.status !== 'PUBLISHED'
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (wrong.size > 0 || isAsked) return
    if (await save()) onClose()
  }
  const why = isAsked ? t`Asked, not yet known.` : automation && !isChanged ? t`Nothing was changed.` : undefined
  return (
    <form className="task" aria-label={names[trigger]} onSubmit={(event) => void submit(event)}>
      <div className="line-form">
        <Select
          label={t`Letter`}
          value={form.entryId}
          onChange={(event) => change({ entryId: event.target.value })}
          problem={isTried && wrong.has('entryId') ? t`Choose a letter.` : undefined}
          hint={isDraft ? t`It is not published: nothing goes out until it is.` : undefined}
        >
          <option value="">{t`Choose a letter`}</option>
          {letters.map((letter) => (
            <option key={letter.id} value={letter.id}>
              {titleOf(letter)}
            </option>
          ))}
        </Select>
        <div className="pair">
          <TextField
            label={t`After`}
            inputMode="numeric"
            value={form.delay}
            onChange={(event) => change({ delay: event.target.value })}
            problem={wrong.has('delay') ? t`Up to 30 days.` : undefined}
          />
          <Select label={t`Unit`} value={form.unit} onChange={(event) => change({ unit: event.target.value as Unit })}>
            <option value="minutes">{t`minutes`}</option>
            <option value="hours">{t`hours`}</option>
            <option value="days">{t`days`}</option>
          </Select>
        </div>
        <div className="pair">
          <TextField
            label={t`At most (times)`}
            inputMode="numeric"
            value={form.times}
            onChange={(event) => change({ times: event.target.value })}
            problem={wrong.has('times') ? t`1 to 10.` : undefined}
          />
          <TextField
            label={t`in (days)`}
            inputMode="numeric"
            value={form.days}
            onChange={(event) => change({ days: event.target.value })}
            problem={wrong.has('days') ? t`1 to 365.` : undefined}
          />
        </div>
        <label className="box">
          <input
            type="checkbox"
            className="check"
            checked={form.isEnabled}
            onChange={(event) => change({ isEnabled: event.target.checked })}
          />
          {t`It goes out`}
        </label>
      </div>
      {wrong.size === 0 && (
        <p role="status" className="sentence">
          {sentence({ ...body, trigger, title: chosen ? titleOf(chosen) : '…' })}
        </p>
      )}
      {trigger !== 'WELCOME' && (
        <p className="note">{t`The letter can name the products: write ${GOODS.names} and ${GOODS.url} into its text.`}</p>
      )}
      {error !== undefined && <Problem error={error} kept={t`What you entered is still there.`} />}
      <div className="acts">
        <Button type="submit" look="main" reason={why}>
          {automation ? t`Save` : t`Set up`}
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            discard()
            onClose()
          }}
        >
          {isChanged ? t`Discard` : t`Close`}
        </Button>
        {automation && (
          <Button look="quiet" icon={Trash2} onClick={() => setDeleting(true)}>
            {t`Delete`}
          </Button>
        )}
      </div>
      {automation && isDeleting && (
        <DeleteDialog
          name={names[trigger]}
          remove={() =>
            ask({
              operation: 'deleteAutomation',
              input: { path: { collectionId: newsletter.id, id: automation.id } },
              label: t`Delete ${names[trigger]}`,
              about: [automation.id, newsletter.id],
            })
          }
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            discard()
            onClose()
          }}
        >
          {t`Whoever waits for it gets nothing. The letter itself, and who got it, stay.`}
        </DeleteDialog>
      )}
      {sheet}
    </form>
  )
}
