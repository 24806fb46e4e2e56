import { fractionDigits } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { invalidate } from '../api/query.ts'
import { useAsk } from '../outbox/use-outbox.ts'
import { useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Problem } from '../ui/problem.tsx'
import { isAmount, isNumber, marketAt, type Place, placesOf, toMinor, toNumber, valueAt, withValue } from './places.ts'
import { lineQuery, wrongQuery } from './queries.ts'
import type { Import, Line, LineDetails, Sent } from './types.ts'
import { useWords } from './use-words.ts'

/** What is wrong, first of all, with a field for each mistake. */
export function WrongLines({ of: one }: { of: Import }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const list = useInfiniteQuery(wrongQuery(businessId, one.id))
  const lines = list.data?.pages.flatMap(({ items }) => items) ?? []
  const [isRight, setRight] = useState<ReadonlySet<number>>(new Set())
  const open = lines.filter(({ number }) => !isRight.has(number))
  const canCorrect = one.status === 'READY'
  if (list.isError)
    return (
      <div className="page">
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      </div>
    )
  if (open.length === 0) return null
  return (
    <section className="wrong" aria-label={t`Wrong lines`}>
      <div className="section-head">
        <h2>
          <Plural value={one.failed} one="# line is wrong" other="# lines are wrong" />
        </h2>
        {canCorrect && <span className="note">{t`Correct them here: Enter looks at a line once more.`}</span>}
      </div>
      <ul>
        {open.map((line, index) => (
          <WrongLine
            key={line.number}
            of={one}
            line={line}
            hasFocus={index === 0 && canCorrect}
            onRight={() => setRight((before) => new Set([...before, line.number]))}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button
          look="small"
          reason={list.isFetchingNextPage ? t`Loading…` : undefined}
          onClick={() => void list.fetchNextPage()}
        >{t`Show more`}</Button>
      )}
    </section>
  )
}

type LineProps = { of: Import; line: Line; hasFocus: boolean; onRight: () => void }

function WrongLine({ of: one, line, hasFocus, onRight }: LineProps) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const found = useQuery({ ...lineQuery(businessId, one.id, line.number), enabled: one.status === 'READY' })
  const places = found.data ? placesOf(found.data) : []
  const { number } = line
  return (
    <li>
      <p className="which">
        <span className="soft">
          <Trans>Line {number}</Trans>
        </span>{' '}
        <b className="strong">{line.name || t`without a name`}</b>
      </p>
      {found.data?.product && places.length > 0 ? (
        <Correction
          key={found.data.details.map(({ field }) => field).join()}
          of={one}
          line={found.data}
          product={found.data.product}
          places={places}
          hasFocus={hasFocus}
          onRight={onRight}
        />
      ) : (
        <div className="said">
          {line.details.map(({ field, message }) => (
            <p key={field + message}>{message}</p>
          ))}
          {found.data && <p className="note">{t`This cannot be corrected here. It is left out.`}</p>}
        </div>
      )}
    </li>
  )
}

type CorrectionProps = Pick<LineProps, 'of' | 'hasFocus' | 'onRight'> & {
  line: LineDetails
  product: Sent
  places: Place[]
}

function Correction({ of: one, line: { number }, product, places, hasFocus, onRight }: CorrectionProps) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { placeOf, marketOf } = useWords()
  const client = useQueryClient()
  const ask = useAsk()
  const form = useRef<HTMLFormElement>(null)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  // Whoever corrects one line goes on with the next without reaching for the mouse.
  useEffect(() => {
    if (hasFocus) form.current?.querySelector('input')?.select()
  }, [hasFocus])
  const digitsAt = (path: string) => fractionDigits(marketOf(marketAt(product, path))?.currency ?? 'EUR')
  const shown = (path: string) => {
    const value = valueAt(product, path)
    if (isAmount(path) && typeof value === 'number') return (value / 10 ** digitsAt(path)).toFixed(digitsAt(path))
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const read = (path: string, text: string) =>
    isAmount(path) ? toMinor(text, digitsAt(path)) : isNumber(path) ? toNumber(text) : text.trim()
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const typed = new FormData(form.current ?? undefined)
    const textAt = (path: string) => {
      const text = typed.get(path)
      return typeof text === 'string' ? text : ''
    }
    const corrected = places.reduce((all, { path }) => withValue(all, path, read(path, textAt(path))), product)
    setSending(true)
    setError(undefined)
    try {
      const answer = await ask({
        operation: 'correctImportLine',
        input: { path: { id: one.id, number }, body: { product: corrected } },
        label: t`Correct line ${number}`,
        about: [one.id],
      })
      client.setQueryData(lineQuery(businessId, one.id, number).queryKey, answer)
      await invalidate(businessId, ['getImport', 'listImportLines'])
      if (answer.status !== 'FAILED') onRight()
    } catch (cause) {
      setError(cause)
    } finally {
      setSending(false)
    }
  }
  return (
    <form ref={form} onSubmit={(event) => void send(event)}>
      {places.map(({ path, message }) => (
        <Field
          key={path}
          name={path}
          label={placeOf(path, marketAt(product, path))}
          problem={message}
          defaultValue={shown(path)}
          autoComplete="off"
        />
      ))}
      <Button type="submit" reason={isSending ? t`Checking…` : undefined}>{t`Look again`}</Button>
      {error !== undefined && <Problem error={error} />}
    </form>
  )
}
