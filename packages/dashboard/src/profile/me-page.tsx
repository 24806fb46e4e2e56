import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { choose, LANGUAGES, type Language } from '../i18n/i18n.ts'
import { ask } from '../outbox/outbox.ts'
import { meQuery } from '../session/queries.ts'
import { setTheme, type Theme, useTheme } from '../shell/theme.ts'
import { Field } from '../ui/field.tsx'
import { LeaveDialog } from '../ui/leave-dialog.tsx'
import { useProblem } from '../ui/problem.tsx'
import { SaveBar } from '../ui/save-bar.tsx'
import { toast } from '../ui/toast.tsx'
import { useDraft, useLeaveGuard } from '../ui/use-draft.ts'
import { Part } from './part.tsx'
import { ProfileHead } from './profile-head.tsx'

/** Who one is, and how this browser shows it. */
export function MePage() {
  const { t } = useLingui()
  const { data: me } = useSuspenseQuery(meQuery())
  const { name, edited, change, changes, isSaving, problem, save } = useName(me)
  const guard = useLeaveGuard(edited)
  return (
    <>
      <ProfileHead title={t`Your profile`} />
      <div className="page parts">
        <Part title={t`Name and address`} about={t`Colleagues see the name beside what you did.`}>
          <Field
            label={t`Name`}
            autoComplete="name"
            maxLength={200}
            value={name}
            edited={edited}
            problem={problem}
            onChange={({ target }) => change(target.value)}
          />
          <Field
            label={t`Email`}
            type="email"
            value={me.email ?? ''}
            readOnly
            hint={t`You sign in with it. It cannot be changed here.`}
          />
        </Part>
        <Part title={t`This browser`} about={t`How it looks to you here. It holds at once, and for this browser only.`}>
          <LanguageChoice />
          <ThemeChoice />
        </Part>
      </div>
      <SaveBar changes={changes} isSaving={isSaving} onSave={() => void save()} onDiscard={() => change(me.name)} />
      <LeaveDialog guard={guard} />
    </>
  )
}

function useName({ id, name: saved }: { id: string; name: string }) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const [typed, setTyped] = useDraft<string>(`name:${id}`)
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<string>()
  const name = typed ?? saved
  const edited = name !== saved
  const change = (next: string) => {
    setProblem(undefined)
    setTyped(next === saved ? undefined : next)
  }
  const save = async () => {
    setSaving(true)
    try {
      await ask('-', { operation: 'updateMe', input: { body: { name: name.trim() } }, label: t`Save your name` })
      setTyped(undefined)
      toast(t`Changes saved`)
    } catch (error) {
      setProblem(wordsOf(error).what)
    } finally {
      setSaving(false)
    }
  }
  return { name, edited, change, save, isSaving, problem, changes: edited ? [t`Name: ${name}`] : [] }
}

function LanguageChoice() {
  const { t, i18n } = useLingui()
  return (
    <Choice
      legend={t`Language`}
      chosen={i18n.locale as Language}
      of={Object.keys(LANGUAGES) as Language[]}
      words={LANGUAGES}
      onChoose={(language) => void choose(language)}
    />
  )
}

function ThemeChoice() {
  const { t } = useLingui()
  const words = { system: t`As the system`, light: t`Light`, dark: t`Dark` }
  return (
    <Choice<Theme>
      legend={t`Theme`}
      chosen={useTheme()}
      of={['system', 'light', 'dark']}
      words={words}
      onChoose={setTheme}
    />
  )
}

type ChoiceProps<Word extends string> = {
  legend: string
  chosen: Word
  of: Word[]
  words: Record<Word, string>
  onChoose: (word: Word) => void
}

function Choice<Word extends string>({ legend, chosen, of, words, onChoose }: ChoiceProps<Word>) {
  const name = useId()
  return (
    <fieldset className="field">
      <legend className="label">{legend}</legend>
      <div className="segment">
        {of.map((word) => (
          <label key={word}>
            <input type="radio" name={name} checked={word === chosen} onChange={() => onChoose(word)} />
            {words[word]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
