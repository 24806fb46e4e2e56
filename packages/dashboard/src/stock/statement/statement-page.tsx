import '../stock.css'
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, SquarePen, Undo2 } from 'lucide-react'
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Sheet } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useLatest } from '../../ui/use-latest.ts'
import { type Level, nameOf, shelfOf } from '../level.ts'
import { levelQuery, levelsQuery, movementsQuery } from '../queries.ts'
import { State } from '../state.tsx'
import { type Movement, soldADay, stepsOf } from './balance.ts'
import { Correct, type Draft } from './correct.tsx'
import { signed } from './difference.ts'
import { LevelChart } from './level-chart.tsx'
import { isByHand, Statement } from './statement.tsx'
import { useFile } from './use-file.ts'
import { useOrders } from './use-orders.ts'

const route = getRouteApi('/signed-in/$business/stock/$product/$variant')
const DAY_SECONDS = 86_400

/** Why there are so many of a variant: its account, as a bank states one. */
export function StatementPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { product, variant } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const found = useQuery(levelQuery(business.id, product, variant))
  const levels = useQuery(levelsQuery(business.id, product))
  const list = useInfiniteQuery(movementsQuery(business.id, product, variant))
  const movements = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const orders = useOrders(useMemo(() => list.data?.pages.map(({ items }) => items) ?? [], [list.data]))
  const file = useFile()
  const level = found.data?.items[0]
  const name = level ? nameOf(level) : t`Stock of a variant`
  const showCorrect = (open: boolean) =>
    void navigate({ search: (now) => ({ ...now, do: open ? 'correct' : undefined }), replace: !open })
  const [draft, setDraft] = useDraft<Draft>(`correct:${product}/${variant}`)
  const [focus, setFocus] = useState<string>()
  /** The form is beside the account, or, on a phone, a page of its own. */
  const goTo = (field: string) => {
    if (!document.querySelector<HTMLElement>('.facts .correct')?.offsetParent) showCorrect(true)
    setFocus(field)
  }
  useEffect(() => {
    if (!focus) return
    const all = [...document.querySelectorAll<HTMLInputElement>(`.correct ${focus}`)]
    const field = all.find(({ offsetParent }) => offsetParent !== null)
    field?.focus()
    field?.select()
    if (field) setFocus(undefined)
  }, [focus, search.do])
  const focusCorrect = () => goTo('.input')
  const takeBack = useLatest(({ number, delta, reason }: Movement) => {
    const words = reason ? t`No. ${number} taken back: ${reason}` : t`No. ${number} taken back`
    setDraft({ way: 'difference', typed: signed(-delta), reason: words.slice(0, 500) })
    goTo('.reason')
  })
  const showOlder = useLatest(() => void list.fetchNextPage())
  const last = movements.find(isByHand)
  usePageTitle(name)
  useCommands([
    { id: 'correct-stock', label: t`Correct this stock`, icon: SquarePen, keys: 'c', run: focusCorrect },
    ...(last
      ? [
          {
            id: 'take-back',
            label: t`Take back what a person entered last`,
            icon: Undo2,
            keys: 'z',
            run: () => takeBack(last),
          },
        ]
      : []),
    ...(level
      ? [{ id: 'save-statement', label: t`Save the statement`, icon: Download, run: () => void file.save(level) }]
      : []),
  ])
  const error = found.error ?? list.error
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/stock" params={(now) => now} search={{}}>{t`Stock`}</route.Link>
        </nav>
        <h1>{name}</h1>
        {level && (
          <div className="facts-line soft">
            {level.sku && <span>{level.sku}</span>}
            <State level={level} />
          </div>
        )}
        {level && (
          <div className="acts">
            <Button
              icon={Download}
              reason={file.isBusy ? t`Preparing the file…` : undefined}
              onClick={() => void file.save(level)}
            >{t`Statement`}</Button>
            <Button look="main" onClick={focusCorrect}>{t`Correct stock`}</Button>
          </div>
        )}
      </header>
      {error && !(level && list.data) ? (
        <div className="page">
          <Problem error={error} onRetry={() => void Promise.all([found.refetch(), list.refetch()])} />
        </div>
      ) : !found.data || !list.data ? (
        <Bones rows={10} columns={6} />
      ) : !level ? (
        <div className="page">
          <Empty title={t`This variant is gone`}>{t`It was removed from its product. Its movements are kept.`}</Empty>
        </div>
      ) : (
        <div className="record flip">
          <div className="work">
            <Account
              level={level}
              movements={movements}
              orders={orders}
              onTakeBack={takeBack}
              onOlder={list.hasNextPage ? showOlder : undefined}
            />
          </div>
          <Facts level={level} others={levels.data?.items ?? []} movements={movements} isAll={!list.hasNextPage}>
            <Correct level={level} kept={draft} setDraft={setDraft} />
          </Facts>
        </div>
      )}
      {level && search.do === 'correct' && (
        <Sheet open onClose={() => showCorrect(false)} title={t`Correct stock`}>
          <Correct level={level} kept={draft} setDraft={setDraft} onDone={() => showCorrect(false)} />
        </Sheet>
      )}
    </>
  )
}

type AccountProps = {
  level: Level
  movements: readonly Movement[]
  orders: ReturnType<typeof useOrders>
  onTakeBack: (movement: Movement) => void
  onOlder: (() => void) | undefined
}

const Account = memo(function Account({ level, movements, orders, onTakeBack, onOlder }: AccountProps) {
  const { t } = useLingui()
  const now = Date.now() / 1_000
  if (movements.length === 0)
    return (
      <Empty title={t`Nothing has moved yet`}>
        {t`The first delivery, count or sale begins this account. Enter what is there under “Correct”.`}
      </Empty>
    )
  return (
    <>
      <LevelChart steps={stepsOf(movements, now)} low={level.lowStockThreshold} now={now} />
      <Statement movements={movements} orders={orders} stock={level} onTakeBack={onTakeBack} onOlder={onOlder} />
    </>
  )
})

type FactsProps = {
  level: Level
  others: readonly Level[]
  movements: readonly Movement[]
  isAll: boolean
  children: ReactNode
}

function Facts({ level, others, movements, isAll, children }: FactsProps) {
  const { t } = useLingui()
  const format = useFormat()
  const { number } = format
  const now = Date.now() / 1_000
  const shelf = shelfOf(level)
  const aDay = soldADay(movements, now, isAll)
  const siblings = others.filter(({ variantId }) => variantId !== level.variantId)
  return (
    <aside className="facts" aria-label={t`Facts`}>
      <section>
        <p className="soft small-name">{t`Can be sold`}</p>
        <p className="hero-figure">{number(level.quantity)}</p>
        <dl className="pairs">
          <dt>{t`Sold, not sent`}</dt>
          <dd>{level.committed === null ? t`not known yet` : `+ ${number(level.committed)}`}</dd>
          {shelf !== undefined && (
            <>
              <dt className="sum">{t`On the shelf`}</dt>
              <dd className="sum">{number(shelf)}</dd>
            </>
          )}
        </dl>
        <dl className="pairs more">
          <dt>{t`Low at`}</dt>
          <dd>{level.lowStockThreshold === null ? '–' : number(level.lowStockThreshold)}</dd>
          {aDay !== undefined && (
            <>
              <dt>{t`Sells`}</dt>
              <dd>
                <Trans>{number(Math.round(aDay * 10) / 10)} a day</Trans>
              </dd>
              <dt>{t`Lasts until`}</dt>
              <dd>
                <Trans>about {format.date(now + (level.quantity / aDay) * DAY_SECONDS)}</Trans>
              </dd>
            </>
          )}
        </dl>
      </section>
      <section className="hide-phone">
        <h2>{t`Correct`}</h2>
        {children}
      </section>
      {siblings.length > 0 && (
        <section className="hide-phone">
          <h2>{t`Other variants`}</h2>
          <dl className="pairs">
            {siblings.slice(0, 12).map((other) => (
              <div key={other.variantId} className="contents">
                <dt>
                  <route.Link
                    to="/$business/stock/$product/$variant"
                    params={(here) => ({ ...here, variant: other.variantId })}
                    search={{}}
                    className="link"
                  >
                    {other.variantName || other.sku || other.variantId}
                  </route.Link>
                </dt>
                <dd>{number(other.quantity)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </aside>
  )
}
