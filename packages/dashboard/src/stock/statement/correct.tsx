import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Problem, useProblem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.tsx'
import { keyOf, type Level, nameOf, shelfOf } from '../level.ts'
import { readDifference, signed } from './difference.ts'

/** `seen` is the stock as it was when counting began: what sells meanwhile does not change what was counted. */
export type Draft = { way: 'difference' | 'count'; typed: string; reason: string; seen?: Level }
const EMPTY: Draft = { way: 'difference', typed: '', reason: '' }

type Props = {
  level: Level
  kept: Draft | undefined
  setDraft: (draft: Draft | undefined) => void
  onDone?: () => void
}

/** Adds a movement with a reason, by a difference or by what was counted, whatever sells meanwhile. */
export function Correct({ level, kept, setDraft, onDone }: Props) {
  const { t } = useLingui()
  const { number } = useFormat()
  const ask = useAsk()
  const wordsOf = useProblem()
  const about = keyOf(level)
  const asked = useAsked(about)
  const [error, setError] = useState<unknown>()
  const draft = kept ?? EMPTY
  const isCount = draft.way === 'count'
  const seen = (isCount && draft.seen) || level
  const shelf = shelfOf(seen)
  const delta = isCount ? countedOff(draft.typed, shelf) : readDifference(draft.typed)
  const after = delta === undefined ? undefined : level.quantity + delta
  const change = (next: Partial<Draft>) => setDraft({ ...draft, ...next })
  const send = (work: Promise<unknown>, words: string) => {
    setDraft(undefined)
    setError(undefined)
    work.then(
      () => toast(words),
      (cause: unknown) => {
        // Compared with the book as it is now: somebody may have counted since.
        const { seen: _seen, ...typed } = draft
        setDraft(typed)
        setError(cause)
        toast(t`Couldn’t correct the stock. ${wordsOf(cause).what}`)
      },
    )
    onDone?.()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (why !== undefined || delta === undefined) return
    const { productId, variantId } = level
    const name = nameOf(level)
    const reason = draft.reason.trim()
    if (!isCount)
      return send(
        ask({
          operation: 'changeStock',
          input: { path: { id: productId, variantId }, body: { delta, reason } },
          label: t`Correct ${name} by ${signed(delta)}`,
          about: [about],
        }),
        t`Stock corrected by ${signed(delta)}`,
      )
    const { committed, number: last } = seen
    const counted = { productId, variantId, counted: Number(draft.typed), committed: committed ?? 0, number: last }
    send(
      ask({
        operation: 'createStocktake',
        input: { body: { items: [counted], reason } },
        label: t`Count of ${name}`,
        about: [about],
      }),
      delta === 0 ? t`The count is right: nothing to enter.` : t`Stock corrected by ${signed(delta)}`,
    )
  }
  const why =
    (asked.length > 0 ? t`Processing…` : undefined) ??
    (isCount && shelf === undefined ? t`What is sold and not sent is not known yet.` : undefined) ??
    (delta === undefined || (!isCount && delta === 0) ? t`Enter a quantity.` : undefined) ??
    (draft.reason.trim() ? undefined : t`Enter a reason. It appears in the stock history.`)
  return (
    <form className="correct" onSubmit={submit}>
      {asked.length > 0 && <Status fill="unknown" tone="wait">{t`Processing…`}</Status>}
      {error !== undefined && (
        <Problem error={error} kept={t`Couldn’t correct the stock. Your changes are still here.`} />
      )}
      <div className="segment" role="radiogroup" aria-label={t`Correct by`}>
        {(['difference', 'count'] as const).map((way) => (
          <label key={way}>
            <input
              type="radio"
              name="way"
              checked={draft.way === way}
              onChange={() => setDraft({ ...EMPTY, way, reason: draft.reason })}
            />
            {way === 'difference' ? t`Difference` : t`Count`}
          </label>
        ))}
      </div>
      <div className="pm">
        <input
          className="input"
          inputMode={isCount ? 'numeric' : 'text'}
          autoComplete="off"
          aria-label={isCount ? t`Counted on the shelf` : t`By how many`}
          placeholder={isCount ? t`pieces` : '+ 3'}
          value={draft.typed}
          onChange={({ target }) =>
            change({ typed: target.value, ...(isCount && { seen: draft.typed === '' ? level : seen }) })
          }
        />
        <span className="note" role="status">
          {isCount ? (
            <CountNote shelf={shelf} committed={seen.committed} delta={delta} />
          ) : after === undefined || delta === 0 ? (
            t`a minus takes away`
          ) : after < 0 ? (
            t`there are only ${number(level.quantity)}`
          ) : (
            t`makes ${number(after)} now; if one sells meanwhile, ${number(Math.max(0, after - 1))}`
          )}
        </span>
      </div>
      <Field
        label={t`Reason`}
        className="reason"
        maxLength={500}
        autoComplete="off"
        value={draft.reason}
        onChange={({ target }) => change({ reason: target.value })}
      />
      <Button type="submit" look="main" reason={why}>
        {delta === undefined ? t`Enter` : t`Enter ${signed(delta)}`}
      </Button>
      <p className="note">
        {t`A movement is never changed or deleted. A mistake is corrected by another line, with your name.`}
      </p>
    </form>
  )
}

function CountNote({
  shelf,
  committed,
  delta,
}: {
  shelf: number | undefined
  committed: number | null
  delta: number | undefined
}) {
  const { t } = useLingui()
  const { number } = useFormat()
  if (shelf === undefined) return t`not known yet`
  if (delta === undefined)
    return committed
      ? t`${number(shelf)} should be there, ${number(committed)} of them sold`
      : t`${number(shelf)} should be there`
  if (delta === 0) return t`as the book says`
  return delta > 0 ? t`${number(delta)} more than the book` : t`${number(-delta)} fewer than the book`
}

const countedOff = (typed: string, shelf: number | undefined) =>
  /^\d{1,9}$/.test(typed.trim()) && shelf !== undefined ? Number(typed) - shelf : undefined
