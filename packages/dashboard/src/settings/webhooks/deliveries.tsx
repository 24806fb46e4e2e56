import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { ChevronDown, ChevronRight, History, RotateCw } from 'lucide-react'
import { useId, useState } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Problem, useProblem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { AttemptView } from './attempt.tsx'
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus, deliveriesQuery, type Endpoint } from './queries.ts'
import { nameOf, useTypeWords } from './words.tsx'

const route = getRouteApi('/signed-in/$business/settings/webhooks/$endpoint')
const WATCH_MS = 3_000
/** Whoever has asked for more reads, and all of it would be read again. */
const WATCHED_PAGES = 2

type Props = { of: Endpoint; lacks: string | undefined; onReplay: () => void }

/** What did not arrive at the first attempt, each with its attempts, and ways to send it again. */
export function Deliveries({ of: endpoint, lacks, onReplay }: Props) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { status, open } = route.useSearch()
  const navigate = route.useNavigate()
  const list = usePages({
    ...deliveriesQuery(businessId, endpoint.id, status),
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > WATCHED_PAGES ? false : WATCH_MS),
  })
  const retry = useRetry(endpoint)
  const whyNot = useWhyNot(endpoint, lacks)
  const names = useStatusNames()
  const toggle = (number: string) =>
    void navigate({
      search: (now) => ({ ...now, open: now.open === number ? undefined : number }),
      replace: true,
      resetScroll: false,
    })
  const noFailed = list.rows.some((one) => one.status === 'FAILED') ? undefined : t`None of those shown was given up.`
  const retryReason = whyNot ?? retry.reason ?? noFailed
  useCommands([
    { id: 'retry-failed', label: t`Retry what was given up`, icon: RotateCw, reason: retryReason, run: retry.send },
    { id: 'replay', label: t`Send events again`, icon: History, reason: whyNot, run: onReplay },
  ])
  return (
    <div className="page deliveries">
      <div className="delivery-tools">
        <nav className="segment" aria-label={t`Which deliveries`}>
          {[undefined, ...DELIVERY_STATUSES].map((one) => (
            <route.Link
              key={one ?? 'all'}
              to="."
              search={{ status: one }}
              aria-current={one === status ? 'page' : undefined}
              activeOptions={{ exact: true }}
              resetScroll={false}
            >
              {names[one ?? 'ALL']}
            </route.Link>
          ))}
        </nav>
        <div className="acts">
          <Button icon={RotateCw} reason={retryReason} onClick={retry.send}>{t`Retry what was given up`}</Button>
          <Button icon={History} reason={whyNot} onClick={onReplay}>{t`Send events again`}</Button>
        </div>
      </div>
      {list.error && list.rows.length === 0 ? (
        <Problem error={list.error} onRetry={list.retry} />
      ) : list.isFirst ? (
        <Bones rows={5} columns={4} bleed={false} />
      ) : list.isEmpty ? (
        <Nothing status={status} of={endpoint} />
      ) : (
        <>
          <ul className="delivery-list">
            {list.rows.map((delivery) => (
              <Row
                key={delivery.number}
                of={delivery}
                isOpen={open === String(delivery.number)}
                onToggle={() => toggle(String(delivery.number))}
              />
            ))}
          </ul>
          {list.hasMore && (
            <Button
              reason={list.isLoadingMore ? t`Loading…` : undefined}
              onClick={() => void list.loadMore()}
            >{t`Show more`}</Button>
          )}
        </>
      )}
      <p className="note">
        {t`Only what did not arrive at once stands here, for 14 days. Everything else up to the number above has arrived, or was nothing that it listens to.`}
      </p>
    </div>
  )
}

function Nothing({ status, of: { isEnabled, behind } }: { status: DeliveryStatus | undefined; of: Endpoint }) {
  const { t } = useLingui()
  const titles = {
    FAILED: t`Nothing was given up`,
    PENDING: t`Nothing waits to be tried again`,
    DELIVERED: t`Nothing needed a second attempt`,
  }
  const isUpToDate = isEnabled && behind === 0
  const all = isUpToDate ? t`Everything arrived at once` : t`Nothing was refused so far`
  return (
    <Empty title={status ? titles[status] : all}>
      {t`What does not arrive is tried again for three days, with longer and longer pauses, and stands here meanwhile.`}
    </Empty>
  )
}

function Row({ of: delivery, isOpen, onToggle }: { of: Delivery; isOpen: boolean; onToggle: () => void }) {
  const { t } = useLingui()
  const id = useId()
  const { number } = useFormat()
  const words = useTypeWords()
  const { attempts, type, nextAttemptAt } = delivery
  const [last] = attempts
  const place = number(delivery.number)
  return (
    <li>
      <button type="button" className="delivery" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <Icon of={isOpen ? ChevronDown : ChevronRight} />
        <span className="what">
          <span className="strong">{words(type)}</span> <code className="note">{type}</code>
        </span>
        <span className="soft place">
          <Trans>event {place}</Trans>
        </span>
        <DeliveryState of={delivery} />
        <span className="soft when">
          {nextAttemptAt !== null ? (
            <Trans>
              again <When at={nextAttemptAt} />
            </Trans>
          ) : (
            last && <When at={last.at} />
          )}
        </span>
      </button>
      <div id={id} hidden={!isOpen} className="attempts">
        <p className="note">
          <Plural value={attempts.length} one="# attempt, as it was answered:" other="# attempts, the newest first:" />{' '}
          <code className="note">{delivery.eventId}</code>
        </p>
        {attempts.map((attempt, index) => (
          <AttemptView key={`${attempt.at}-${attempts.length - index}`} of={attempt} />
        ))}
        {attempts.length === 0 && <p className="soft">{t`It was not tried yet.`}</p>}
      </div>
    </li>
  )
}

function DeliveryState({ of: { status } }: { of: Delivery }) {
  const { t } = useLingui()
  if (status === 'FAILED') return <Status fill="off" tone="alert">{t`Given up`}</Status>
  if (status === 'PENDING') return <Status fill="half" tone="wait">{t`Waits`}</Status>
  return <Status tone="good">{t`Arrived later`}</Status>
}

function useStatusNames(): Record<DeliveryStatus | 'ALL', string> {
  const { t } = useLingui()
  return { ALL: t`All`, FAILED: t`Given up`, PENDING: t`Waiting`, DELIVERED: t`Arrived later` }
}

/** Why nothing can be sent again now. */
export function useWhyNot({ isEnabled, replay }: Endpoint, lacks: string | undefined): string | undefined {
  const { t } = useLingui()
  if (lacks) return lacks
  if (!isEnabled) return t`Switch it on first.`
  return replay ? t`Events are being sent again already.` : undefined
}

function useRetry(endpoint: Endpoint) {
  const { t } = useLingui()
  const ask = useAsk()
  const wordsOf = useProblem()
  const [isSent, setSent] = useState(false)
  const { id } = endpoint
  const name = nameOf(endpoint)
  const send = async () => {
    setSent(true)
    try {
      await ask({
        operation: 'replayWebhookEvents',
        input: { path: { id }, body: { failed: true } },
        label: t`Try again what ${name} did not take`,
        about: [id],
      })
      toast(t`Retrying failed deliveries`)
    } catch (error) {
      toast(t`Couldn’t retry the deliveries. ${wordsOf(error).what}`)
    } finally {
      setSent(false)
    }
  }
  return { send: () => void send(), reason: isSent ? t`Processing…` : undefined }
}
