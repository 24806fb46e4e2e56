import '../stock.css'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Barcode } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useIsOnline } from '../../live/use-is-online.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useColleagues } from '../../session/use-colleagues.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { keyOf, type Level, nameOf } from '../level.ts'
import { stocktakesQuery } from '../queries.ts'
import { signed } from '../statement/difference.ts'
import { CountRow } from './count-row.tsx'
import { lookUp, readAheadOf } from './read-levels.ts'
import { useBringIn, useCounts } from './use-counts.ts'

const route = getRouteApi('/signed-in/$business/stock/count')

/** Counting with a phone in one hand: scan or type, say how many, bring it in. It needs no line until then. */
export function CountPage() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const hasLine = useIsOnline()
  const counting = useCounts()
  const { counts, isRead } = counting
  const { start, isBusy, isDue, isAsked } = useBringIn(counting)
  const [reason, setReason] = useDraft<string>(`stocktake:${businessId}`)
  const open = counts.filter((count) => !isAsked(count) && !count.trouble && !count.isReleased)
  const troubled = counts.filter(({ trouble }) => trouble)
  const bring = () => {
    void start(reason ?? '')
  }
  const rest = isDue ? t`It is brought in by itself when the line is back.` : t`Nothing is counted yet.`
  const nothing = troubled.length > 0 ? t`Choose the correct count first.` : rest
  const why = open.length === 0 ? nothing : isBusy ? t`Submitting…` : undefined
  usePageTitle(t`Take stock`)
  useCommands([{ id: 'bring-in', label: t`Bring in what is counted`, keys: 'mod+Enter', reason: why, run: bring }])
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/stock" params={(now) => now} search={{}}>{t`Stock`}</route.Link>
        </nav>
        <h1>{t`Take stock`}</h1>
        <div className="facts-line soft">
          <Line hasLine={hasLine} />
        </div>
      </header>
      <div className="page counting">
        <Scan onFound={counting.add} />
        {isDue && !hasLine && (
          <Notice title={t`Kept on this device.`}>{t`It is brought in by itself when the line is back.`}</Notice>
        )}
        {isRead && counts.length === 0 ? (
          <Empty title={t`What lies on the shelf?`}>
            {t`Scan each piece, or scan once and say how many. What is sold and not sent is counted with the rest. Others may count at the same time.`}
          </Empty>
        ) : (
          <ul className="counts" aria-label={t`Counted`}>
            {[...troubled, ...counts.filter((count) => !count.trouble)].map((count) => (
              <CountRow
                key={count.id}
                count={count}
                isAsked={isAsked(count)}
                onChange={(next) => void counting.keep({ ...next, isReleased: false })}
                onRemove={() => void counting.drop([count])}
              />
            ))}
          </ul>
        )}
        {counts.length > 0 && (
          <form
            className="bring"
            onSubmit={(event) => {
              event.preventDefault()
              if (why === undefined) bring()
            }}
          >
            <Field
              label={t`Shelf, or why`}
              maxLength={500}
              autoComplete="off"
              placeholder={t`Shelf B4`}
              value={reason ?? ''}
              onChange={({ target }) => setReason(target.value || undefined)}
            />
            <Button type="submit" look="main" reason={why}>
              {hasLine ? (
                <Plural value={open.length} one="Bring in # count" other="Bring in # counts" />
              ) : (
                <Plural
                  value={open.length}
                  one="Bring in # count when there is a line"
                  other="Bring in # counts when there is a line"
                />
              )}
            </Button>
          </form>
        )}
        <Lately />
      </div>
    </>
  )
}

/** Reads the stock ahead while there is a line, and says what that is good for. */
function Line({ hasLine }: { hasLine: boolean }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { number } = useFormat()
  const [known, setKnown] = useState<number>()
  useEffect(() => {
    if (!hasLine) return
    void readAheadOf(businessId).then(setKnown, () => {})
  }, [businessId, hasLine])
  if (!hasLine) return <Status fill="off" tone="wait">{t`No line: everything is kept on this device`}</Status>
  return (
    <Status fill="full" tone="good">
      {known === undefined ? t`Reading what is in stock` : t`${number(known)} variants are known without a line, too`}
    </Status>
  )
}

/** A scanner types an SKU and presses Enter. */
function Scan({ onFound }: { onFound: (text: string, level: Level | undefined) => Promise<void> }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const [typed, setTyped] = useState('')
  const [choices, setChoices] = useState<{ text: string; levels: readonly Level[] }>()
  const [missing, setMissing] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const take = (text: string, level: Level | undefined) => {
    setChoices(undefined)
    input.current?.focus()
    return onFound(text, level)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const text = typed.trim()
    if (!text) return
    setTyped('')
    setMissing(undefined)
    setChoices(undefined)
    const levels = await lookUp(businessId, text)
    const [only, ...others] = levels ?? []
    if (levels && !only) setMissing(text)
    else if (others.length > 0) setChoices({ text, levels: levels ?? [] })
    else await take(text, only)
  }
  return (
    <>
      <form className="scan" onSubmit={(event) => void submit(event)}>
        <div className="search">
          <Icon of={Barcode} />
          <input
            ref={input}
            className="input"
            aria-label={t`SKU`}
            placeholder={t`Scan or type an SKU`}
            autoComplete="off"
            autoCapitalize="characters"
            enterKeyHint="done"
            maxLength={200}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        <Button type="submit">{t`Count one`}</Button>
      </form>
      {missing !== undefined && (
        <p className="problem" role="alert">
          <Trans>No variant has the SKU or name “{missing}”.</Trans>
        </p>
      )}
      {choices && (
        <div className="which" role="group" aria-label={t`Which one?`}>
          <p className="note">{t`Which one?`}</p>
          {choices.levels.map((level) => (
            <button key={keyOf(level)} type="button" onClick={() => void take(choices.text, level)}>
              <span>{nameOf(level)}</span>
              <span className="soft">{level.sku}</span>
            </button>
          ))}
        </div>
      )}
    </>
  )
}

/** What was brought in last, by anybody. */
function Lately() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const colleague = useColleagues()
  const { data } = useQuery(stocktakesQuery(businessId))
  const list = data?.items ?? []
  if (list.length === 0) return null
  return (
    <section className="lately" aria-labelledby="lately">
      <h2 id="lately">{t`Brought in lately`}</h2>
      <ul className="tasks">
        {list.map(({ id, reason, userId, variants, changed, delta, createdAt }) => (
          <li key={id}>
            <span className={`dot full ${changed === 0 ? 'good' : ''}`} />
            <div>
              <p className="what">{reason || t`Stocktake`}</p>
              <p className="note">
                <When at={createdAt} /> · {colleague(userId) ?? t`Somebody of the team`} ·{' '}
                <Plural value={variants} one="# variant" other="# variants" />
              </p>
            </div>
            <span className="num">{changed === 0 ? t`all right` : signed(delta)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
