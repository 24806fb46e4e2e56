import { useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Popover } from '../../ui/popover.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.tsx'
import type { CustomerDetails } from '../types.ts'

/** Words of the team's own. Each is added or taken away by itself, so nothing of a colleague's is lost. */
export function Tags({ customer }: { customer: CustomerDetails }) {
  const { t } = useLingui()
  const { reason } = usePermissions()
  const change = useChangeTags(customer)
  const asked = useAsked(customer.id).some(({ operation }) => operation === 'updateCustomer')
  const why = reason('ORDERS_WRITE')
  return (
    <section>
      <h2>{t`Tags`}</h2>
      <div className="tags">
        {customer.tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
            {!why && (
              <button
                type="button"
                aria-label={t`Remove the tag ${tag}`}
                onClick={() => change(t`Remove the tag ${tag}`, { remove: [tag] })}
              >
                <Icon of={X} />
              </button>
            )}
          </span>
        ))}
        <AddTag why={why} onAdd={(tag) => change(t`Add the tag ${tag}`, { add: [tag] })} />
        {asked && <Status fill="unknown" tone="wait">{t`Processing…`}</Status>}
      </div>
    </section>
  )
}

function AddTag({ why, onAdd }: { why: string | undefined; onAdd: (tag: string) => void }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const tag = formText(event.currentTarget, 'tag').trim()
    if (tag) onAdd(tag)
    setOpen(false)
  }
  if (why) return <Button look="small" icon={Plus} reason={why}>{t`Tag`}</Button>
  const trigger = (
    <button type="button" className="chip add">
      <Icon of={Plus} />
      {t`Tag`}
    </button>
  )
  return (
    <Popover trigger={trigger} label={t`Add a tag`} open={isOpen} onOpenChange={setOpen}>
      <form className="small-form" onSubmit={submit}>
        <Field label={t`Tag`} name="tag" maxLength={50} autoFocus autoComplete="off" />
        <Button type="submit" look="main">{t`Add`}</Button>
      </form>
    </Popover>
  )
}

function useChangeTags({ id: userId }: CustomerDetails) {
  const { t } = useLingui()
  const ask = useAsk()
  const wordsOf = useProblem()
  return (label: string, words: { add?: string[]; remove?: string[] }) => {
    ask({
      operation: 'updateCustomer',
      input: { path: { userId } },
      words: { field: 'tags', add: [], remove: [], ...words },
      label,
      about: [userId],
    }).catch((error: unknown) => toast(t`Couldn’t save. ${wordsOf(error).what}`))
  }
}
