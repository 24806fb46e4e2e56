import './imports.css'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { invalidate } from '../api/query.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Bones } from '../ui/bones.tsx'
import { Icon } from '../ui/icon.tsx'
import { usePageTitle } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { UnknownColumns } from '../ui/unknown-columns.tsx'
import { ActBar } from './act-bar.tsx'
import { LinesTable } from './lines-table.tsx'
import { useImport, useLines } from './queries.ts'
import { ShownTabs } from './shown-tabs.tsx'
import { ImportState } from './state.tsx'
import { Tally } from './tally.tsx'
import { type Import, isWorking } from './types.ts'
import { useWords } from './use-words.ts'
import { WrongLines } from './wrong-lines.tsx'

const route = getRouteApi('/signed-in/$business/products/imports/$import')

/** One import: its dry run, how far it is, what became of each line. */
export function ImportPage() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { import: id } = route.useParams()
  const found = useImport(businessId, id)
  usePageTitle(t`Import`)
  if (found.data) return <Shown key={id} of={found.data} />
  return (
    <div className="imports">
      <Title name={t`Import`} />
      {found.isError ? (
        <div className="page">
          <Problem error={found.error} onRetry={() => void found.refetch()} />
        </div>
      ) : (
        <Bones rows={14} columns={6} />
      )}
    </div>
  )
}

function Title({ name, of: one }: { name: string; of?: Import }) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const { formatOf, marketOf } = useWords()
  const market = marketOf(one?.marketId)?.name
  return (
    <header className="head">
      <nav className="crumbs" aria-label={t`Where`}>
        <Link to="/$business/products/imports" params={{ business }}>{t`Imports`}</Link>
        <Icon of={ChevronRight} />
      </nav>
      <h1>{name}</h1>
      {one && (
        <p className="facts-line">
          <ImportState of={one} />
          <span className="soft">
            {[formatOf(one.format), market && t`prices for ${market}`].filter(Boolean).join(', ')}
          </span>
        </p>
      )}
    </header>
  )
}

function Shown({ of: one }: { of: Import }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { status } = one
  // What the lines are is known anew once the work is over.
  const before = useRef(status)
  useEffect(() => {
    if (before.current !== status) void invalidate(businessId, ['listImportLines', 'getImportLine', 'listImports'])
    before.current = status
  }, [status, businessId])
  const isTried = status === 'DRY_RUN' || status === 'RECEIVING'
  const hasReport = !isTried && status !== 'DISCARDED'
  return (
    <div className="imports">
      <Title name={one.fileName ?? t`Import`} of={one} />
      {isWorking(one) && <Progress of={one} />}
      {hasReport && <Tally of={one} />}
      <UnknownColumns
        columns={one.unknownColumns}
        isDone={!['RECEIVING', 'DRY_RUN', 'READY', 'RUNNING'].includes(status)}
      />
      {hasReport && one.failed > 0 && status !== 'RUNNING' && <WrongLines of={one} />}
      {hasReport && <Lines of={one} />}
      <ActBar of={one} />
    </div>
  )
}

function Progress({ of: one }: { of: Import }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const isUndoing = one.status === 'UNDOING'
  const at = isUndoing ? one.undone + one.kept : one.done + one.failed
  const all = isUndoing ? one.created + one.updated : one.total
  const [done, total] = [number(at), number(all)]
  const words = { DRY_RUN: t`Trying`, RUNNING: t`Importing`, UNDOING: t`Undoing` }[one.status as string] ?? t`Reading`
  return (
    <div className="page progress" role="status">
      <p>
        <b className="strong">{words}</b>{' '}
        <Trans>
          {done} of {total} products
        </Trans>
      </p>
      <div
        className="meter"
        role="progressbar"
        aria-label={words}
        aria-valuemin={0}
        aria-valuemax={all}
        aria-valuenow={at}
      >
        <i style={{ width: `${all === 0 ? 0 : (at / all) * 100}%` }} />
      </div>
    </div>
  )
}

function Lines({ of: one }: { of: Import }) {
  const { t } = useLingui()
  const { id } = useBusiness()
  const { show } = route.useSearch()
  const list = useLines(id, one, show)
  const lines = list.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <ShownTabs of={one} />
      {list.isPending ? (
        <Bones rows={14} columns={6} />
      ) : list.isError ? (
        <div className="page">
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : lines.length === 0 ? (
        <p className="page soft none">{t`Nothing of this kind.`}</p>
      ) : (
        <LinesTable
          lines={lines}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
          }}
        />
      )}
    </>
  )
}
