import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { meQuery } from '../../session/queries.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useColleagues } from '../../session/use-colleagues.ts'
import { initialsOf } from '../../shell/person.tsx'
import { Button } from '../../ui/button.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { commentsQuery } from '../queries.ts'

/** What the team notes for itself; the customer never sees it. */
export function Comments({ userId }: { userId: string }) {
  const { t } = useLingui()
  const business = useBusiness()
  const list = useInfiniteQuery(commentsQuery(business.id, userId))
  const asked = useAsked(userId).filter(({ operation }) => operation === 'commentOnCustomer')
  const comments = list.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <section className="section" aria-labelledby="comments">
      <div className="section-head">
        <h2 id="comments">{t`Comments`}</h2>
        <span className="note">{t`for the team only`}</span>
      </div>
      <Write userId={userId} />
      <div className="comments">
        {asked.map(({ id, input }) => (
          <article key={id} className="comment">
            <header>
              <Status fill="unknown" tone="wait">{t`Processing…`}</Status>
            </header>
            <p>{(input.body as { text: string }).text}</p>
          </article>
        ))}
        {comments.map((comment) => (
          <Comment key={comment.id} userId={userId} comment={comment} />
        ))}
      </div>
      {list.hasNextPage && (
        <p className="after">
          <Button look="small" onClick={() => void list.fetchNextPage()}>{t`Show older ones`}</Button>
        </p>
      )}
    </section>
  )
}

function Write({ userId }: { userId: string }) {
  const { t } = useLingui()
  const { reason } = usePermissions()
  const { data: me } = useSuspenseQuery(meQuery())
  const ask = useAsk()
  const wordsOf = useProblem()
  const [draft, setDraft] = useDraft<string>(`customer-comment:${userId}`)
  const text = draft ?? ''
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!text.trim()) return
    setDraft(undefined)
    try {
      await ask({
        operation: 'commentOnCustomer',
        input: { path: { userId }, body: { text } },
        label: t`Comment on a customer`,
        about: [userId],
      })
    } catch (error) {
      setDraft(text)
      toast(t`Couldn’t add the comment. ${wordsOf(error).what}`)
    }
  }
  const why = reason('ORDERS_WRITE')
  return (
    <form className="write tall" onSubmit={(event) => void submit(event)}>
      <span className="face" aria-hidden="true">
        {initialsOf(me.name || me.email || '')}
      </span>
      <textarea
        className="input"
        rows={1}
        maxLength={5_000}
        aria-label={t`Comment`}
        placeholder={t`Comment for the team`}
        value={text}
        disabled={why !== undefined}
        onChange={({ target }) => setDraft(target.value || undefined)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(event)
        }}
      />
      <Button type="submit" reason={why}>{t`Add`}</Button>
    </form>
  )
}

type Shown = { id: string; authorId: string; text: string; createdAt: number }

function Comment({ userId, comment }: { userId: string; comment: Shown }) {
  const { t } = useLingui()
  const { may } = usePermissions()
  const { data: me } = useSuspenseQuery(meQuery())
  const ask = useAsk()
  const wordsOf = useProblem()
  const [isSure, setSure] = useState(false)
  const colleague = useColleagues()
  const isMine = comment.authorId === me.id
  const remove = async () => {
    if (!isSure) return setSure(true)
    try {
      await ask({
        operation: 'deleteCustomerComment',
        input: { path: { userId, commentId: comment.id } },
        label: t`Delete a comment`,
        about: [comment.id],
      })
    } catch (error) {
      toast(t`Couldn’t delete. ${wordsOf(error).what}`)
    }
  }
  return (
    <article className="comment">
      <header>
        <b className="strong">{colleague(comment.authorId) ?? t`Somebody of the team`}</b>
        <span className="soft">
          <When at={comment.createdAt} />
        </span>
        {(isMine || may('ADMIN')) && may('ORDERS_WRITE') && (
          <button type="button" className="link end note" onClick={() => void remove()} onBlur={() => setSure(false)}>
            {isSure ? <Trans>Delete it?</Trans> : <Trans>Delete</Trans>}
          </button>
        )}
      </header>
      <p>{comment.text}</p>
    </article>
  )
}
