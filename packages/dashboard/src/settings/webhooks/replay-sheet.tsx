import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { keyOf } from '../../api/query.ts'
import { secondsAt, wallClockOf } from '../../i18n/days.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Sheet } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useWhyNot } from './deliveries.tsx'
import type { Endpoint } from './queries.ts'
import { numberBefore } from './since.ts'
import { nameOf } from './words.tsx'

const HOUR_SECONDS = 3_600
/** The service sends no more at once. */
const MOST = 100_000

type Typed = { since: string; until: string }

/** Events since a moment, sent once more. What will happen is said before it does. */
export function ReplaySheet({
  of: endpoint,
  lacks,
  onClose,
}: {
  of: Endpoint
  lacks: string | undefined
  onClose: () => void
}) {
  const { t } = useLingui()
  const { timeZone } = useBusiness()
  const ask = useAsk()
  const form = useId()
  const { id } = endpoint
  const [draft, setDraft] = useDraft<Typed>(`replay:${id}`)
  const [first] = useState(() => ({
    since: wallClockOf((endpoint.failingSince ?? Math.floor(Date.now() / 1_000)) - HOUR_SECONDS, timeZone),
    until: '',
  }))
  const typed = draft ?? first
  const range = useRange(endpoint, typed)
  const whyNot = useWhyNot(endpoint, lacks)
  const [isSent, setSent] = useState(false)
  const [error, setError] = useState<unknown>()
  const reason = whyNot ?? (isSent ? t`Processing…` : range.reason)
  const name = nameOf(endpoint)
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (reason || !range.found) return
    setSent(true)
    setError(undefined)
    try {
      await ask({
        operation: 'replayWebhookEvents',
        input: { path: { id }, body: range.found },
        label: t`Send events again to ${name}`,
        about: [id],
      })
      setDraft(undefined)
      toast(t`Sending events again…`)
      onClose()
    } catch (cause) {
      setError(cause)
    } finally {
      setSent(false)
    }
  }
  const change = (changes: Partial<Typed>) => {
    setError(undefined)
    setDraft({ ...typed, ...changes })
  }
  const foot = (
    <div className="flex gap-2 justify-end">
      <Button look="quiet" onClick={onClose}>{t`Close`}</Button>
      <Button look="main" type="submit" form={form} reason={reason}>{t`Send them again`}</Button>
    </div>
  )
  return (
    <Sheet open onClose={onClose} title={t`Send events again`} foot={foot}>
      {error !== undefined && <Problem error={error} kept={t`Nothing was sent.`} />}
      <form id={form} className="sheet-form" onSubmit={(event) => void send(event)}>
        <Field
          label={t`Since when`}
          type="datetime-local"
          value={typed.since}
          hint={t`At the clock of the business, ${timeZone}.`}
          onChange={({ target }) => change({ since: target.value })}
        />
        <Field
          label={t`Until when`}
          type="datetime-local"
          value={typed.until}
          hint={t`Empty: until now.`}
          onChange={({ target }) => change({ until: target.value })}
        />
        <div role="status" className="replay-words">
          {range.error ? (
            <Problem error={range.error} onRetry={range.retry} />
          ) : (
            <WhatHappens count={range.count} name={name} />
          )}
        </div>
      </form>
    </Sheet>
  )
}

function WhatHappens({ count, name }: { count: number | undefined; name: string }) {
  const { t } = useLingui()
  const { number } = useFormat()
  if (count === undefined) return <p className="soft">{t`Counting what happened since.`}</p>
  if (count === 0) return <p>{t`Nothing happened in that time: nothing would be sent.`}</p>
  const most = number(MOST)
  if (count > MOST)
    return (
      <p className="wait-text">
        <Trans>More than {most} events lie in that time. Send them in parts: begin later, or end earlier.</Trans>
      </p>
    )
  return (
    <>
      <p>
        <b className="strong">
          <Plural value={count} one="# event happened in that time." other="# events happened in that time." />
        </b>{' '}
        <Trans>
          Those that <span className="break">{name}</span> listens to are sent to it once more, the oldest first.
        </Trans>
      </p>
      <ul className="dry-words soft">
        <li>{t`What happens meanwhile goes before them.`}</li>
        <li>{t`Each keeps its id: a receiver that looks at it takes none twice.`}</li>
        <li>{t`Nothing is changed here, and no customer is written to by us.`}</li>
      </ul>
    </>
  )
}

/** Which numbers of the feed lie in that time. */
function useRange(endpoint: Endpoint, { since, until }: Typed) {
  const { t } = useLingui()
  const [lastNumber] = useState(endpoint.lastNumber) // what comes meanwhile is told anyway, and would be counted anew each time
  const { id: businessId, timeZone } = useBusiness()
  const from = since === '' ? undefined : secondsAt(since, timeZone)
  const to = until === '' ? undefined : secondsAt(until, timeZone)
  const isWrong = from === undefined || (to !== undefined && to <= from)
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(businessId, 'listEvents', { from, to, lastNumber }),
    enabled: !isWrong,
    queryFn: async ({ signal }) => {
      const next = async (after: number) => {
        const query = { after, limit: 1 }
        const { items } = await kontor.operations.listEvents({ path: { businessId }, query }, { signal })
        return items[0]
      }
      const after = await numberBefore(from ?? 0, lastNumber, next)
      const before = (to === undefined ? lastNumber : await numberBefore(to, lastNumber, next)) + 1
      return { after, before }
    },
  })
  const count = data && Math.max(0, data.before - data.after - 1)
  const reason =
    from === undefined
      ? t`Say since when.`
      : isWrong
        ? t`The end is before the beginning.`
        : count === undefined
          ? t`Counting…`
          : count === 0
            ? t`Nothing happened in that time.`
            : count > MOST
              ? t`These are too many at once.`
              : undefined
  return { found: data, count: isWrong ? 0 : count, error: isWrong ? null : error, retry: () => void refetch(), reason }
}
