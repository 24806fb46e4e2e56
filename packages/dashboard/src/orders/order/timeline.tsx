import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageSquare, X } from 'lucide-react'
import { type ReactNode, type Ref, useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { meQuery } from '../../session/queries.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Money } from '../../ui/money.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { Dot } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { Confirm } from './confirm.tsx'
import { RefundNotes, type Told, useEventWords } from './event-words.tsx'
import type { TimelineItem } from './queries.ts'
import type { OrderSearch } from './search.ts'
import { useNames } from './use-names.ts'
import { lineNames, type OrderView } from './view.ts'

type Shown = { id: string; at: number; told: Told; comment?: TimelineItem }
type Props = {
  view: OrderView
  show: OrderSearch['show']
  writeRef: Ref<HTMLInputElement>
  /** Where one chooses the moment at which the order is shown. */
  moment: ReactNode
}

/** What happened and what was said, newest first. */
export function Timeline({ view, show, writeRef, moment }: Props) {
  const { t } = useLingui()
  const format = useFormat()
  const nameOf = useNames(view.order)
  const wordsOf = useEventWords(view, nameOf)
  const asked: Shown[] = view.asked.map(({ id, at, amount, body, isLost }) => ({
    id,
    at,
    told: {
      what: (
        <>
          <b className="strong">
            <Trans>
              You asked to refund <Money amount={amount} currency={view.order.currency} />
            </Trans>
          </b>{' '}
          {body.lines && <Trans>for {lineNames(view, body.lines)}</Trans>}
        </>
      ),
      more: (
        <RefundNotes
          reason={body.reason}
          pending={isLost ? t`Processing… Retries automatically and won’t refund twice.` : t`Processing…`}
        />
      ),
      pin: { fill: 'unknown', tone: 'wait' },
      isMoney: true,
    },
  }))
  const happened: Shown[] = view.timeline.flatMap((item) => {
    if (item.type === 'comment') {
      const told: Told = { what: '', pin: MessageSquare }
      return [{ id: item.id, at: item.timestamp, told, comment: item }]
    }
    const told = wordsOf(item)
    return told ? [{ id: item.id, at: item.timestamp, told }] : []
  })
  const shown = [...asked, ...happened].filter(({ comment, told }) =>
    show === 'comments' ? comment !== undefined : show === 'money' ? told.isMoney : true,
  )
  const days = Map.groupBy(shown, ({ at }) => format.weekday(at))
  return (
    <section className="section" aria-labelledby="what-happened">
      <div className="section-head">
        <h2 id="what-happened">{t`What happened`}</h2>
        <nav className="segment self-center" aria-label={t`Kind`}>
          <Kind kind={undefined} show={show}>{t`All`}</Kind>
          <Kind kind="comments" show={show}>{t`Comments`}</Kind>
          <Kind kind="money" show={show}>{t`Money`}</Kind>
        </nav>
        <span className="end">{moment}</span>
      </div>
      <Write view={view} writeRef={writeRef} />
      <div className="timeline">
        {[...days].map(([day, items]) => (
          <div key={day} role="group" aria-label={day}>
            <p className="day">{day}</p>
            {items.map((item, index) => (
              <Item
                key={item.id}
                {...{ item, view }}
                isLast={index === items.length - 1}
                author={item.comment && nameOf(item.comment.actorId)}
              />
            ))}
          </div>
        ))}
        {shown.length === 0 && (
          <p className="soft py-3">
            {show === 'comments' ? t`Nobody has said anything yet.` : t`Nothing of this kind has happened.`}
          </p>
        )}
      </div>
    </section>
  )
}

const Kind = ({
  kind,
  show,
  children,
}: {
  kind: OrderSearch['show']
  show: OrderSearch['show']
  children: ReactNode
}) => (
  <Link
    from="/$business/orders/$order"
    search={(before) => ({ ...before, show: kind })}
    resetScroll={false}
    replace
    aria-current={show === kind ? 'true' : undefined}
  >
    {children}
  </Link>
)

type ItemProps = { item: Shown; view: OrderView; isLast: boolean; author: string | undefined }

function Item({ item: { at, told, comment }, view, isLast, author = '' }: ItemProps) {
  const format = useFormat()
  const { pin } = told
  return (
    <div className={`event ${isLast ? 'last' : ''}`}>
      <time dateTime={new Date(at * 1_000).toISOString()} title={format.full(at)}>
        {format.time(at)}
      </time>
      <span className="pin">{'fill' in pin ? <Dot {...pin} /> : <Icon of={pin} />}</span>
      {comment ? (
        <Comment {...{ comment, view, author }} />
      ) : (
        <div>
          {told.what}
          {told.more && (
            <>
              <br />
              <span className="soft">{told.more}</span>
            </>
          )}
        </div>
      )}
    </div>
  )
}

function Comment({ comment, view, author }: { comment: TimelineItem; view: OrderView; author: string }) {
  const { t } = useLingui()
  const ask = useAsk()
  const wordsOf = useProblem()
  const { may } = usePermissions()
  const { data: me } = useSuspenseQuery(meQuery())
  const [isAsking, setAsking] = useState(false)
  const isMine = comment.actorId === me.id || may('ADMIN')
  const orderId = view.order.id
  const remove = () => {
    setAsking(false)
    const path = { id: orderId, commentId: comment.id }
    ask({ operation: 'deleteOrderComment', input: { path }, label: t`Delete a comment`, about: [orderId] }).catch(
      (error: unknown) => toast(t`The comment is still there. ${wordsOf(error).what}`),
    )
  }
  return (
    <div className="comment">
      <header>
        <b className="strong">{author}</b>
        <span className="soft">{t`comment`}</span>
        {isMine && !view.reason && (
          <Button
            look="quiet small"
            icon={X}
            only={t`Delete the comment of ${author}`}
            onClick={() => setAsking(true)}
          />
        )}
      </header>
      <p className="whitespace-pre-wrap break-words">{'text' in comment && comment.text}</p>
      <Confirm
        open={isAsking}
        title={t`Delete this comment?`}
        action={t`Delete`}
        isDestroying
        onDo={remove}
        onClose={() => setAsking(false)}
      >
        {t`It is gone for everybody. What happened to the order stays.`}
      </Confirm>
    </div>
  )
}

function Write({ view, writeRef }: { view: OrderView; writeRef: Ref<HTMLInputElement> }) {
  const { t } = useLingui()
  const ask = useAsk()
  const wordsOf = useProblem()
  const { data: me } = useSuspenseQuery(meQuery())
  const { id } = view.order
  const [text = '', setText] = useDraft<string>(`comment:${id}`)
  const initials = (me.name || me.email || '?')
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase())
    .join('')
  const add = () => {
    const said = text.trim()
    if (!said || view.reason) return
    setText(undefined)
    ask({
      operation: 'commentOnOrder',
      input: { path: { id }, body: { text: said } },
      label: t`Comment on ${view.order.number}`,
      about: [id],
    }).catch((error: unknown) => {
      setText(said)
      toast(t`Couldn’t post the comment. Your text is still here. ${wordsOf(error).what}`)
    })
  }
  return (
    <form
      className="write"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <span className="face" aria-hidden="true">
        {initials}
      </span>
      <input
        ref={writeRef}
        className="input"
        aria-label={t`Comment`}
        placeholder={t`Comment for the team; customers never see it`}
        maxLength={5_000}
        value={text}
        onChange={(event) => setText(event.target.value || undefined)}
      />
      <Button type="submit" reason={view.reason}>{t`Add`}</Button>
    </form>
  )
}
