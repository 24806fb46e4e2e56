import { Trans, useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { useAsk } from '../../outbox/use-outbox.ts'
import { Button } from '../../ui/button.tsx'
import { Select, Field as TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { EditorLink } from '../editor-link.tsx'
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
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (wrong.size > 0 || isAsked) return
    if (await save()) onClose()
  }
  const [howOften, howLong] = [t`How many times at most`, t`In how many days`]
  const draftOf = (title: string) => t`${title} (not published)`
  const why = isAsked ? t`Processing…` : automation && !isChanged ? t`No changes` : undefined
  return (
    <form className="task" aria-label={names[trigger]} onSubmit={(event) => void submit(event)}>
      <div className="line-form">
        <Select
          label={t`Letter`}
          value={form.entryId}
          onChange={(event) => change({ entryId: event.target.value })}
          problem={isTried && wrong.has('entryId') ? t`Choose a letter.` : undefined}
          hint={
            chosen &&
            !isPublished(chosen) && (
              <Trans>
                It is not published: nothing goes out until it is.{' '}
                <EditorLink newsletter={newsletter.id} entry={chosen.id} className="link">
                  Open the letter
                </EditorLink>
              </Trans>
            )
          }
        >
          <option value="">{t`Choose a letter`}</option>
          {letters.map((letter) => (
            <option key={letter.id} value={letter.id}>
              {isPublished(letter) ? titleOf(letter) : draftOf(titleOf(letter))}
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
        <div className="limit">
          <p>
            <Trans>
              Nobody gets it more than{' '}
              <Figure
                label={howOften}
                value={form.times}
                isWrong={wrong.has('times')}
                onChange={(times) => change({ times })}
              />{' '}
              times in{' '}
              <Figure
                label={howLong}
                value={form.days}
                isWrong={wrong.has('days')}
                onChange={(days) => change({ days })}
              />{' '}
              days.
            </Trans>
          </p>
          {wrong.has('times') && <p className="problem">{t`1 to 10 times.`}</p>}
          {wrong.has('days') && <p className="problem">{t`1 to 365 days.`}</p>}
        </div>
        <label className="box">
          <input
            type="checkbox"
            className="check"
            checked={form.isEnabled}
            onChange={(event) => change({ isEnabled: event.target.checked })}
          />
          {t`It goes out by itself`}
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

const isPublished = ({ statuses }: Letter) => statuses.at(-1)?.status === 'PUBLISHED'

type FigureProps = { label: string; value: string; isWrong: boolean; onChange: (typed: string) => void }

/** A number within a sentence. */
const Figure = ({ label, value, isWrong, onChange }: FigureProps) => (
  <input
    className="input"
    aria-label={label}
    aria-invalid={isWrong || undefined}
    inputMode="numeric"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
)
