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

/** Adds a tag to every picked product, or takes it away. Tags that others change meanwhile stay. */
export function TagPopover({ products, reason }: { products: readonly Listed[]; reason: string | undefined }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const ask = useAsk()
  const wordsOf = useProblem()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const tag = formText(event.currentTarget, 'tag').trim()
    const isRemoving = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') === 'remove'
    if (!tag) return
    setOpen(false)
    const words = { field: 'tags', add: isRemoving ? [] : [tag], remove: isRemoving ? [tag] : [] }
    const outcomes = await Promise.allSettled(
      products.map(({ id, name }) =>
        ask({
          operation: 'updateProduct',
          input: { path: { id } },
          words,
          label: isRemoving ? t`Take “${tag}” from ${name}` : t`Tag ${name} “${tag}”`,
          about: [id],
        }),
      ),
    )
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
    const count = outcomes.length - failed.length
    toast(
      failed.length > 0
        ? t`${count} changed, ${failed.length} not: ${wordsOf(failed[0]?.reason).what}`
        : isRemoving
          ? t`“${tag}” is taken from ${count}.`
          : t`${count} tagged “${tag}”.`,
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
        <Field label={t`Tag`} name="tag" maxLength={100} required autoFocus autoComplete="off" />
        <Button type="submit" look="main" value="add">{t`Add`}</Button>
        <Button type="submit" value="remove">{t`Remove`}</Button>
      </form>
    </Popover>
  )
}
