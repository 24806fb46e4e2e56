import '../promos.css'
import { useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem, useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useIsShown } from '../../ui/use-is-shown.ts'
import { emptyForm, type Field, type PromoForm, readForm } from './form.ts'
import { PromoFields } from './promo-fields.tsx'
import { TryCart } from './try-cart.tsx'
import { useProblemWords } from './use-form-words.ts'
import { refusalsOf } from './use-promo.ts'

/** A new code, tried on a cart before anybody can use it. */
export function NewPromoPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const navigate = useNavigate()
  const ask = useAsk()
  const wordsOf = useProblem()
  const problemWords = useProblemWords()
  const { reason: lacking } = usePermissions()
  const about = `new-promo:${business.id}`
  const [kept, setDraft] = useDraft<PromoForm>(about)
  const [sent, setSent] = useState<PromoForm>()
  const [error, setError] = useState<unknown>()
  const isShown = useIsShown()
  const isAsking = useAsked(about).length > 0 || sent !== undefined
  const form = sent ?? kept ?? emptyForm(business)
  const { body, problems } = readForm(form, business, business.timeZone)
  const isWrong = Object.keys(problems).length > 0
  const refused = refusalsOf(error)
  const lacks = lacking('PROMOS_WRITE')
  const reason =
    lacks ??
    (isAsking ? t`Processing…` : undefined) ??
    (problems.code === 'missing' ? t`Give it a code.` : isWrong ? t`Fix the errors in the form.` : undefined)
  usePageTitle(t`New promo code`)
  const change = (changes: Partial<PromoForm>) => {
    setError(undefined)
    setDraft({ ...form, ...changes })
  }
  const create = async () => {
    if (reason) return
    setSent(form)
    setDraft(undefined)
    setError(undefined)
    try {
      const made = await ask({
        operation: 'createPromoCode',
        input: { body },
        label: t`New promo code ${body.code}`,
        about: [about],
      })
      toast(t`${made.code} created`)
      if (isShown.current)
        void navigate({ to: '/$business/promo-codes/$promo', params: { business: address, promo: made.id } })
    } catch (cause) {
      setDraft(form)
      setSent(undefined)
      setError(cause)
      if (!isShown.current)
        toast(t`Couldn’t create the promo code. Your changes are still here. ${wordsOf(cause).what}`)
    }
  }
  useCommands([
    {
      id: 'create-promo',
      label: t`Create the code`,
      keys: 'mod+Enter',
      icon: Check,
      reason,
      run: () => void create(),
    },
  ])
  // What is missing is said once something was typed there; the rest at once.
  const problemOf = (field: Field) =>
    (problems[field] === 'missing' ? undefined : problemWords(problems[field], form.currency)) ?? refused[field]
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <Link to="/$business/promo-codes" params={{ business: address }}>{t`Promo codes`}</Link>
        </nav>
        <h1>{t`New promo code`}</h1>
        <p className="facts-line soft hide-phone">
          {kept ? t`Kept in this tab until the code is created` : t`Nobody can use it before you create it`}
        </p>
        <div className="acts">
          {kept && <Button look="quiet" onClick={() => setDraft(undefined)}>{t`Start over`}</Button>}
          <Button look="main" reason={reason} onClick={() => void create()}>{t`Create the code`}</Button>
        </div>
      </header>
      <div className="page narrow" inert={sent !== undefined}>
        {error !== undefined && (
          <div className="asked">
            <Problem error={error} kept={t`Nothing was created. Your changes are still here.`} />
          </div>
        )}
        <PromoFields {...{ form, problemOf, lacks }} changed={[]} onChange={change} />
        <TryCart promo={body} isWrong={isWrong} isChanged />
      </div>
    </>
  )
}
