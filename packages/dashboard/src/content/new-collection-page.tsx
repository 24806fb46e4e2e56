import './content.css'
import { useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { useAsk, useAsked } from '../outbox/use-outbox.ts'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { Problem, useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { useDraft } from '../ui/use-draft.ts'
import { useIsShown } from '../ui/use-is-shown.ts'
import type { Collection } from './queries.ts'
import { SETS, type SetName, useStartingSets } from './starting-sets.ts'

type Form = { name: string; type: Collection['type']; set: SetName }
const EMPTY: Form = { name: '', type: 'STANDARD', set: 'article' }

/** A name, a kind, and the fields to begin with. It is a draft: nobody outside sees it yet. */
export function NewCollectionPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const navigate = useNavigate()
  const ask = useAsk()
  const wordsOf = useProblem()
  const { reason: lacking } = usePermissions()
  const sets = useStartingSets()
  const about = `new-collection:${business.id}`
  const [kept, setDraft] = useDraft<Form>(about)
  const [sent, setSent] = useState<Form>()
  const [error, setError] = useState<unknown>()
  const isShown = useIsShown()
  const isAsking = useAsked(about).length > 0 || sent !== undefined
  const form = sent ?? kept ?? EMPTY
  const lacks = lacking('CONTENT_WRITE')
  const reason =
    lacks ?? (isAsking ? t`Processing…` : undefined) ?? (form.name.trim() === '' ? t`Enter a name.` : undefined)
  usePageTitle(t`New collection`)
  const change = (changes: Partial<Form>) => {
    setError(undefined)
    setDraft({ ...form, ...changes })
  }
  const create = async () => {
    if (reason) return
    setSent(form)
    setDraft(undefined)
    setError(undefined)
    const name = form.name.trim()
    try {
      const { id } = await ask({
        operation: 'createCollection',
        input: { body: { name, type: form.type, blocks: sets[form.set].blocks } },
        label: t`New collection ${name}`,
        about: [about],
      })
      toast(t`${name} created. Publish it to make it visible.`)
      if (isShown.current)
        void navigate({
          to: '/$business/content/$collection/schema',
          params: { business: address, collection: id },
        })
    } catch (cause) {
      setDraft(form)
      setSent(undefined)
      setError(cause)
      if (!isShown.current)
        toast(t`Couldn’t create the collection. Your changes are still here. ${wordsOf(cause).what}`)
    }
  }
  useCommands([
    {
      id: 'create-collection',
      label: t`Create the collection`,
      keys: 'mod+Enter',
      icon: Check,
      reason,
      run: () => void create(),
    },
  ])
  const types: [Collection['type'], string, string][] = [
    ['STANDARD', t`Pages`, t`Articles, questions, places: what a shop shows`],
    ['NEWSLETTER', t`Newsletter`, t`Each entry is a letter that can be sent to its readers`],
  ]
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <Link to="/$business/content" params={{ business: address }}>{t`Content`}</Link>
        </nav>
        <h1>{t`New collection`}</h1>
        <div className="acts">
          {kept && <Button look="quiet" onClick={() => setDraft(undefined)}>{t`Start over`}</Button>}
          <Button look="main" reason={reason} onClick={() => void create()}>{t`Create the collection`}</Button>
        </div>
      </header>
      <div className="page narrow new-collection" inert={sent !== undefined}>
        {error !== undefined && <Problem error={error} kept={t`Nothing was created. Your changes are still here.`} />}
        <Field
          label={t`Name`}
          value={form.name}
          maxLength={200}
          autoComplete="off"
          disabled={lacks !== undefined}
          hint={t`Its address is made from it, and can be changed.`}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is for this
          autoFocus
          onChange={({ target }) => change({ name: target.value })}
        />
        <fieldset className="cards" disabled={lacks !== undefined}>
          <legend className="label">{t`Kind`}</legend>
          {types.map(([type, name, note]) => (
            <label key={type} className="card-choice">
              <input
                type="radio"
                className="check radio"
                name="type"
                checked={form.type === type}
                onChange={() => change({ type })}
              />
              <span>
                <b className="strong">{name}</b>
                <span className="note block">{note}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <fieldset className="cards" disabled={lacks !== undefined}>
          <legend className="label">{t`Fields to begin with`}</legend>
          {SETS.map((set) => (
            <label key={set} className="card-choice">
              <input
                type="radio"
                className="check radio"
                name="set"
                checked={form.set === set}
                onChange={() => change({ set })}
              />
              <span>
                <b className="strong">{sets[set].name}</b>
                <span className="note block">{sets[set].note}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </div>
    </>
  )
}
