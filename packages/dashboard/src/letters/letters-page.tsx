import './letters.css'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus, ShieldOff, Users } from 'lucide-react'
import { useState } from 'react'
import { UpToDate } from '../live/up-to-date.tsx'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { useCommands } from '../shell/commands.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { ByThemselves } from './automations/by-themselves.tsx'
import { EditorLink } from './editor-link.tsx'
import { LettersTable } from './letters-table.tsx'
import { lettersQuery, useNewsletters, useReach } from './queries.ts'
import type { Newsletter } from './types.ts'

const route = getRouteApi('/signed-in/$business/letters')

/** The newsletters, the letters of one of them, and what became of each. */
export function LettersPage() {
  const { t } = useLingui()
  const { newsletters, isPending, error, retry } = useNewsletters()
  const { newsletter } = route.useSearch()
  const chosen = newsletters.find(({ id }) => id === newsletter) ?? newsletters[0]
  return (
    <div className="letters">
      <Head title={t`Letters`} facts={<UpToDate />}>
        <PlaceLinks of={chosen} />
      </Head>
      {newsletters.length > 1 && (
        <Tabs label={t`Newsletters`}>
          {newsletters.map(({ id, name }) => (
            <route.Link
              key={id}
              to="."
              search={{ newsletter: id }}
              aria-current={id === chosen?.id ? 'page' : undefined}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {name}
            </route.Link>
          ))}
        </Tabs>
      )}
      {chosen ? (
        <Letters key={chosen.id} of={chosen} />
      ) : isPending ? (
        <Bones rows={10} columns={6} />
      ) : (
        <div className="page">
          {error ? (
            <Problem error={error} onRetry={retry} />
          ) : (
            <Empty title={t`No newsletter yet`}>
              {t`A newsletter is a collection of the type NEWSLETTER. Its entries are letters: they stand here, with what became of each.`}
            </Empty>
          )}
        </div>
      )}
    </div>
  )
}

function PlaceLinks({ of: newsletter }: { of: Newsletter | undefined }) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const navigate = route.useNavigate()
  const { may } = usePermissions()
  const open = () =>
    newsletter &&
    void navigate({ to: '/$business/letters/readers/$newsletter', params: { business, newsletter: newsletter.id } })
  const canRead = may('SUBSCRIBERS_READ')
  useCommands([
    ...(newsletter && canRead ? [{ id: 'readers', label: t`Readers`, keys: 'r', icon: Users, run: () => open() }] : []),
    ...(canRead
      ? [
          {
            id: 'suppressions',
            label: t`Suppressed addresses`,
            icon: ShieldOff,
            run: () => void navigate({ to: '/$business/letters/suppressions', params: { business } }),
          },
        ]
      : []),
  ])
  return (
    <>
      {canRead && (
        <Link to="/$business/letters/suppressions" params={{ business }} className="button quiet hide-phone">
          <Icon of={ShieldOff} />
          {t`Suppressed addresses`}
        </Link>
      )}
      {canRead && newsletter && (
        <Link
          to="/$business/letters/readers/$newsletter"
          params={{ business, newsletter: newsletter.id }}
          className="button"
        >
          <Icon of={Users} />
          {t`Readers`}
        </Link>
      )}
      {newsletter && may('CONTENT_WRITE') && (
        <EditorLink newsletter={newsletter.id} entry="new" className="button main">
          <Icon of={Plus} />
          {t`New letter`}
        </EditorLink>
      )}
    </>
  )
}

function Letters({ of: newsletter }: { of: Newsletter }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { mayAny, reason } = usePermissions()
  const navigate = route.useNavigate()
  const list = useInfiniteQuery(lettersQuery(business.id, newsletter.id))
  const letters = list.data?.pages.flatMap(({ items }) => items) ?? []
  const [at, setAt] = useState(-1)
  const step = (by: number) => setAt((before) => Math.max(0, Math.min(letters.length - 1, before + by)))
  const open = () => {
    const entry = letters[at]?.id
    if (entry) void navigate({ to: '/$business/letters/$entry', params: (now) => ({ ...now, entry }) })
  }
  useCommands([
    { id: 'next-letter', label: t`The next`, keys: 'j', inPalette: false, run: () => step(1) },
    { id: 'letter-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => step(-1) },
    { id: 'open-letter', label: t`Open`, keys: 'e', inPalette: false, run: open },
  ])
  const lacks = mayAny('CONTENT_READ_DRAFTS', 'CONTENT_WRITE') ? undefined : reason('CONTENT_READ_DRAFTS')
  return (
    <>
      <About of={newsletter} />
      <ByThemselves of={newsletter} />
      {list.isPending ? (
        <Bones rows={10} columns={6} />
      ) : list.isError ? (
        <div className="page">
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : letters.length === 0 ? (
        <div className="page">
          <Empty title={t`No letters yet`}>
            {lacks
              ? t`Drafts are not shown to you. ${lacks}`
              : t`Each entry of this newsletter is a letter, and stands here from its first draft on.`}
          </Empty>
        </div>
      ) : (
        <LettersTable pages={list.data.pages.map(({ items }) => items)} at={letters[at]} />
      )}
      {letters.length > 0 && (list.hasNextPage || lacks) && (
        <div className="page more">
          {list.hasNextPage && (
            <Button
              look="small"
              reason={list.isFetchingNextPage ? t`Loading…` : undefined}
              onClick={() => void list.fetchNextPage()}
            >{t`Show earlier letters`}</Button>
          )}
          {lacks && <p className="note">{t`Drafts are not shown to you. ${lacks}`}</p>}
        </div>
      )}
    </>
  )
}

/** What it is, and how many read it. */
function About({ of: { id, name, description, plans = [], doubleOptIn = false } }: { of: Newsletter }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const reach = useReach(id)
  const paid = plans.filter(({ price }) => price && price.amount > 0).length
  const left = reach && number(reach.suppressed)
  return (
    <section className="about page" aria-label={name}>
      <h2>{name}</h2>
      <p className="soft">
        {[
          reach && t`${plural(reach.active, { one: '# reader', other: '# readers' })}`,
          reach && reach.suppressed > 0 && t`${left} of them suppressed`,
          plans.length > 0 && (paid > 0 ? t`with a paid plan` : t`free`),
          doubleOptIn && t`readers confirm their address`,
        ]
          .filter(Boolean)
          .join(', ') || <Trans>Who reads it is for those with SUBSCRIBERS_READ.</Trans>}
      </p>
      {description && <p className="note">{description}</p>}
    </section>
  )
}
