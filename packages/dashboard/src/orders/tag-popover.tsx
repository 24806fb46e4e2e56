import { useLingui } from '@lingui/react/macro'
import { Tag } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useAsk } from '../outbox/use-outbox.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Popover } from '../ui/popover.tsx'
import { useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import type { Listed } from './listed.ts'

/** Adds a tag to every picked order. Tags that others add meanwhile stay. */
export function TagPopover({ orders, reason }: { orders: readonly Listed[]; reason: string | undefined }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const addTag = useAddTag()
  const wordsOf = useProblem()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const tag = formText(event.currentTarget, 'tag').trim()
    if (!tag) return
    setOpen(false)
    const outcomes = await Promise.allSettled(orders.map((order) => addTag(order.id, order.number, tag)))
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
    const count = outcomes.length - failed.length
    toast(
      failed.length === 0
        ? t`${count} tagged “${tag}”.`
        : t`${count} tagged, ${failed.length} not: ${wordsOf(failed[0]?.reason).what}`,
    )
  }
  return (
    <Popover
      trigger={<Button look="quiet" className="long tag" icon={Tag} reason={reason}>{t`Tag`}</Button>}
      label={t`Tag`}
      open={isOpen}
      onOpenChange={(open) => setOpen(open && !reason)}
    >
      <form className="flex gap-2 p-2 items-end" onSubmit={(event) => void submit(event)}>
        <Field label={t`Tag`} name="tag" maxLength={50} required autoFocus autoComplete="off" />
        <Button type="submit" look="main">{t`Add`}</Button>
      </form>
    </Popover>
  )
}

function useAddTag() {
  const { t } = useLingui()
  const ask = useAsk()
  return (id: string, number: string, tag: string) =>
    ask({
      operation: 'updateOrder',
      input: { body: { id } },
      words: { field: 'tags', add: [tag], remove: [] },
      label: t`Tag ${number} “${tag}”`,
      about: [id],
    })
}
