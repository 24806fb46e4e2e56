import './stock.css'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ClipboardCheck, Search } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { useCommands } from '../shell/commands.ts'
import { Bones } from '../ui/bones.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { keyOf, type Level, nameOf, shelfOf } from './level.ts'
import { stockQuery } from './queries.ts'
import { State } from './state.tsx'
import { ViewTabs } from './view-tabs.tsx'

const route = getRouteApi('/signed-in/$business/stock')
const TYPING_MS = 250

type Params = { business: string }
const addressOf = ({ productId: product, variantId: variant }: Level) =>
  ({
    to: '/$business/stock/$product/$variant',
    params: ({ business }: Params) => ({ business, product, variant }),
  }) as const

/** How much there is of every variant. */
export function StockPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const format = useFormat()
  const search = route.useSearch()
  const list = useInfiniteQuery(stockQuery(business.id, search))
  const levels = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const asOf = list.data?.pages[0]?.asOf
  return (
    <>
      <Head
        title={t`Stock`}
        facts={asOf !== undefined && <span>{t`figures of now, in the order of ${format.time(asOf)}`}</span>}
      >
        <route.Link to="/$business/stock/count" params={(now) => now} className="button">
          <Icon of={ClipboardCheck} />
          {t`Take stock`}
        </route.Link>
      </Head>
      <ViewTabs />
      <div className="tools">
        <Find isRead={!list.isPending} only={levels.length === 1 ? levels[0] : undefined} />
        <p className="end note" role="status">
          {list.hasNextPage ? (
            <Trans>More than {levels.length}</Trans>
          ) : (
            <Plural value={levels.length} one="# variant" other="# variants" />
          )}
        </p>
      </div>
      {list.isPending ? (
        <Bones rows={14} columns={6} />
      ) : list.isError ? (
        <div className="page">
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : levels.length === 0 && !list.hasNextPage ? (
        <div className="page">
          <Nothing />
        </div>
      ) : (
        <Levels
          levels={levels}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
          }}
        />
      )}
    </>
  )
}

function Levels({ levels, onEnd }: { levels: readonly Level[]; onEnd: () => void }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { sort } = route.useSearch()
  const navigate = route.useNavigate()
  const open = (level: Level) => void navigate(addressOf(level))
  const at = useAt(levels, open)
  const columns = useMemo(
    (): Column<Level>[] => [
      {
        id: 'variant',
        head: t`Variant`,
        className: 'p1',
        cell: (level) => (
          <route.Link {...addressOf(level)} className="whole">
            {nameOf(level)}
          </route.Link>
        ),
      },
      { id: 'sku', head: t`SKU`, className: 'soft p3', width: '14rem', cell: ({ sku }) => sku || '–' },
      { id: 'state', head: t`State`, className: 'p4', width: '8rem', cell: (level) => <State level={level} /> },
      {
        id: 'low',
        head: t`Low at`,
        className: 'num soft max-wide:hidden',
        width: '5rem',
        cell: ({ lowStockThreshold }) => (lowStockThreshold === null ? '–' : number(lowStockThreshold)),
      },
      {
        id: 'committed',
        head: t`Sold, not sent`,
        className: 'num max-wide:hidden',
        width: '8.5rem',
        cell: ({ committed }) => (committed === null ? t`not known yet` : number(committed)),
      },
      {
        id: 'shelf',
        head: t`On the shelf`,
        className: 'num max-desk:hidden',
        width: '8rem',
        cell: (level) => {
          const shelf = shelfOf(level)
          return shelf === undefined ? '–' : number(shelf)
        },
      },
      {
        id: 'quantity',
        head: t`Can be sold`,
        className: 'num p2 strong',
        width: '8rem',
        sort: {
          direction: sort ? 'down' : 'up',
          onSort: () =>
            void navigate({ search: (before) => ({ ...before, sort: before.sort ? undefined : '-quantity' }) }),
        },
        cell: ({ quantity }) => number(quantity),
      },
    ],
    [t, number, sort, navigate],
  )
  return <DataTable label={t`Stock`} rows={levels} columns={columns} idOf={keyOf} at={at} onOpen={open} onEnd={onEnd} />
}

/** `j` and `k` walk through the rows, `e` opens the one. */
function useAt(levels: readonly Level[], open: (level: Level) => void) {
  const { t } = useLingui()
  const [at, setAt] = useState(-1)
  const move = (by: number) => setAt(Math.max(0, Math.min(levels.length - 1, at + by)))
  const openIt = () => {
    const level = levels[at]
    if (level) open(level)
  }
  useCommands([
    { id: 'next-variant', label: t`The next`, keys: 'j', inPalette: false, run: () => move(1) },
    { id: 'variant-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => move(-1) },
    { id: 'open-variant', label: t`Open`, keys: 'e', inPalette: false, run: openIt },
  ])
  return at
}

/** What is typed is in the address a moment later. Enter opens what is found if it is one, else it goes to the list. */
function Find({ isRead, only }: { isRead: boolean; only: Level | undefined }) {
  const { t } = useLingui()
  const { query = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(query)
  const [entered, setEntered] = useState<string>()
  useCommands([{ id: 'find-stock', label: t`Find in stock`, keys: '/', run: () => input.current?.focus() }])
  useEffect(() => setTyped(query), [query])
  const search = (words: string) =>
    void navigate({ search: (before) => ({ ...before, query: words.trim() || undefined }), replace: true })
  useEffect(() => {
    // After Enter, a late search would replace the navigation to the variant.
    if (typed === query || entered !== undefined) return undefined
    const timer = setTimeout(() => search(typed), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, entered])
  useEffect(() => {
    if (entered === undefined || entered !== query || !isRead) return
    setEntered(undefined)
    if (only) void navigate(addressOf(only))
    else input.current?.blur()
  }, [entered, query, isRead, only])
  return (
    <div className="search">
      <Icon of={Search} />
      <input
        ref={input}
        className="input"
        type="search"
        maxLength={200}
        aria-label={t`Find in stock`}
        placeholder={t`SKU, product or variant`}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          setEntered(undefined)
        }}
        onKeyDown={({ key }) => {
          if (key !== 'Enter') return
          if (typed !== query) search(typed)
          setEntered(typed.trim())
        }}
      />
    </div>
  )
}

function Nothing() {
  const { t } = useLingui()
  const { query, show } = route.useSearch()
  const all = <route.Link to="." search={{}} className="button">{t`Show all stock`}</route.Link>
  if (query)
    return (
      <Empty title={t`Nothing is found so`} action={all}>
        {t`SKUs are found by their beginning, products and variants by the words of their names.`}
      </Empty>
    )
  if (show === 'low')
    return (
      <Empty title={t`Nothing is low`} action={all}>
        {t`A variant stands here when it has fallen to the threshold that its product says.`}
      </Empty>
    )
  if (show === 'empty')
    return (
      <Empty title={t`Nothing is empty`} action={all}>
        {t`Every variant that is tracked can be sold.`}
      </Empty>
    )
  return (
    <Empty title={t`No stock yet`}>
      {t`Every variant whose stock is tracked stands here within seconds, from the lowest.`}
    </Empty>
  )
}
