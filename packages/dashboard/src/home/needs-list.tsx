import { blockText } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePermissions } from '../session/permissions.ts'
import { useFormat } from '../session/use-format.ts'
import { Icon } from '../ui/icon.tsx'
import { Problem } from '../ui/problem.tsx'
import { Dot } from '../ui/status.tsx'
import type { Need } from './needs.ts'
import { nameOf } from './order-row.tsx'
import { useNews } from './use-news.ts'

const route = getRouteApi('/signed-in/$business/')

/** What went wrong and waits for somebody. On a calm day one line. */
export function Needs() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(useNews())
  const needs = data?.needs
  return (
    <section className="needs">
      <div className="section-head">
        <h2>
          {t`Needs a person`} {needs && needs.length > 0 && <span className="alert-text">{needs.length}</span>}
        </h2>
      </div>
      {needs ? (
        needs.length === 0 ? (
          <p className="calm">
            <span className="good-text">
              <Icon of={Check} />
            </span>
            <Calm />
          </p>
        ) : (
          <ul className="tasks">
            {needs.map((need) => (
              <Task key={need.event.id} need={need} />
            ))}
          </ul>
        )
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <span className="bone" />
      )}
    </section>
  )
}

/** Says no more than this person may know. */
function Calm() {
  const { t } = useLingui()
  const { may } = usePermissions()
  if (!may('CONTENT_READ_DRAFTS')) return t`Nothing. Payments and refunds went as they should.`
  if (!may('ORDERS_READ')) return t`Nothing. Publishing went as it should.`
  return t`Nothing. Payments, refunds, publishing and sending went as they should.`
}

type Words = { what: string; about: (string | undefined)[]; action: string; at: ReactNode }

function Task({ need }: { need: Need }) {
  const { ago } = useFormat()
  const { what, about, action } = useWords()(need)
  const notes = [...about.filter(Boolean), ago(need.event.timestamp)]
  return (
    <li>
      <Dot fill="full" tone="alert" />
      <div>
        <Mend need={need} className="what plain">
          {what}
        </Mend>
        <p className="note">{notes.join(' · ')}</p>
      </div>
      {'order' in need && need.order && (
        <Mend need={need} className="button small">
          {action}
        </Mend>
      )}
    </li>
  )
}

/** Leads to where it is mended, if there is a screen for it. */
function Mend({ need, className, children }: { need: Need; className: string; children: ReactNode }) {
  const order = 'order' in need ? need.order : undefined
  if (order)
    return (
      <route.Link className={className} to="/$business/orders/$order" params={(now) => ({ ...now, order: order.id })}>
        {children}
      </route.Link>
    )
  if (need.kind === 'sending') {
    const { id: send, entryId: entry } = need.send
    return (
      <route.Link
        className={className}
        to="/$business/letters/$entry/sends/$send"
        params={(now) => ({ ...now, entry, send })}
      >
        {children}
      </route.Link>
    )
  }
  return <span className={className}>{children}</span>
}

function useWords() {
  const { t } = useLingui()
  const { money } = useFormat()
  return (need: Need): Omit<Words, 'at'> => {
    switch (need.kind) {
      case 'mismatch': {
        const { paid, expected, currency } = need.event.data
        const [given, wanted] = [money(paid, currency), money(expected, need.order?.currency ?? currency)]
        const what = need.order ? t`Paid ${given}, order says ${wanted}` : t`Paid ${given}, the plan says ${wanted}`
        return { what, about: need.order ? [need.order.number, nameOf(need.order)] : [], action: t`Look` }
      }
      case 'unexpected':
        return {
          what: t`A subscription was paid that nobody can have`,
          about: [t`the money has to go back`],
          action: t`Look`,
        }
      case 'refund': {
        const amount = money(need.event.data.amount, need.order.currency)
        return {
          what: t`Refund of ${amount} failed`,
          about: [need.order.number, nameOf(need.order)],
          action: t`Look`,
        }
      }
      case 'publishing': {
        const title = titleOf(need.entry)
        return {
          what: title ? t`“${title}” was not published` : t`An entry was not published`,
          about: [t`it no longer fits its schema`],
          action: t`Mend`,
        }
      }
      case 'sending': {
        const title = need.entry && titleOf(need.entry)
        return {
          what: title ? t`“${title}” could not be sent` : t`A letter could not be sent`,
          about: [need.send.problem ?? undefined],
          action: t`Decide`,
        }
      }
    }
  }
}

const titleOf = ({ blocks }: { blocks: Parameters<typeof blockText>[0] }) => blockText(blocks, 'title')
