import { etagOf, type Order } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { Tag } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { kontor } from '../api/client.ts'
import { saveMerged } from '../merge/save.ts'
import { useAsk } from '../outbox/use-outbox.ts'
import { useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Popover } from '../ui/popover.tsx'
import { useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'

/** Adds a tag to every picked order. Tags that others add meanwhile stay. */
export function TagPopover({ orders, reason }: { orders: readonly Order[]; reason: string | undefined }) {
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
  const { id: businessId } = useBusiness()
  const ask = useAsk()
  const read = async (id: string) => {
    const order = await kontor.operations.getOrder({ path: { businessId, id } })
    return { value: { tags: order.tags ?? [] }, etag: etagOf(order) }
  }
  return async (id: string, number: string, tag: string) => {
    const { value: base, etag } = await read(id)
    const withTag = (tags: readonly string[]) => ({ tags: [...new Set([...tags, tag])] })
    return saveMerged({
      base,
      mine: withTag(base.tags),
      etag,
      read: () => read(id),
      write: ({ tags }, ifMatch) =>
        ask({
          operation: 'updateOrder',
          input: { body: { id, tags } },
          ifMatch,
          label: t`Tag ${number} “${tag}”`,
          about: [id],
        }),
      // Both changed the tags: theirs, and this one.
      decide: async ({ conflicts }) => withTag((conflicts[0]?.theirs ?? []) as string[]),
    })
  }
}
