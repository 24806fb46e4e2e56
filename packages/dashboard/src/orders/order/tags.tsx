import { useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import type { OrderView } from './view.ts'

/** Words of the team. Two people who each add one have both: what is saved is the difference. */
export function Tags({ view }: { view: OrderView }) {
  const { t } = useLingui()
  const { order, reason } = view
  const ask = useAsk()
  const wordsOf = useProblem()
  const [isAdding, setIsAdding] = useState(false)
  const tags = order.tags ?? []
  const save = (words: { add?: string[]; remove?: string[] }) => {
    ask({
      operation: 'updateOrder',
      input: { body: { id: order.id } },
      words: { field: 'tags', add: [], remove: [], ...words },
      label: t`Change the tags of ${order.number}`,
      about: [order.id],
    }).catch((error: unknown) => toast(t`The tags are as they were. ${wordsOf(error).what}`))
  }
  const add = (typed: string) => {
    setIsAdding(false)
    const tag = typed.trim()
    if (tag && !tags.includes(tag)) save({ add: [tag] })
  }
  return (
    <div className="order-tags">
      <span className="soft">{t`Tags`}</span>
      <ul>
        {tags.map((tag) => (
          <li key={tag} className="badge">
            {tag}
            {!reason && (
              <button type="button" aria-label={t`Remove the tag ${tag}`} onClick={() => save({ remove: [tag] })}>
                <Icon of={X} />
              </button>
            )}
          </li>
        ))}
        <li>
          {isAdding ? (
            <input
              autoFocus
              className="input"
              aria-label={t`New tag`}
              maxLength={50}
              onKeyDown={(event) => {
                if (event.key === 'Enter') add(event.currentTarget.value)
                if (event.key === 'Escape') setIsAdding(false)
              }}
              onBlur={(event) => add(event.target.value)}
            />
          ) : (
            <Button
              look="quiet small"
              icon={Plus}
              only={t`Add a tag`}
              reason={reason}
              onClick={() => setIsAdding(true)}
            />
          )}
        </li>
      </ul>
    </div>
  )
}
