import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Field } from '../ui/field.tsx'
import { FindField } from '../ui/find-field.tsx'
import { formText } from '../ui/form-text.ts'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'

const route = getRouteApi('/signed-in/$business/customers')

/** Words, tags, and how many that makes. */
export function Filters({ shown, hasMore }: { shown: number; hasMore: boolean }) {
  const { t } = useLingui()
  const { query = '', tag = [] } = route.useSearch()
  const navigate = route.useNavigate()
  const setQuery = (next: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, query: next }), replace: true })
  const setTags = (tags: string[]) =>
    void navigate({ search: (before) => ({ ...before, tag: tags.length > 0 ? tags : undefined }) })
  return (
    <div className="tools">
      <FindField
        label={t`Find customers`}
        placeholder={t`Name or email`}
        value={query}
        onChange={(typed) => setQuery(typed.trim() || undefined)}
      />
      {tag.map((one) => (
        <Chip key={one} name={t`Tag`} onRemove={() => setTags(tag.filter((other) => other !== one))}>
          {one}
        </Chip>
      ))}
      <AddTag onAdd={(one) => setTags([...new Set([...tag, one])])} />
      <p className="end note" role="status">
        {hasMore ? <Trans>More than {shown}</Trans> : <Plural value={shown} one="# customer" other="# customers" />}
      </p>
    </div>
  )
}

function AddTag({ onAdd }: { onAdd: (tag: string) => void }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const tag = formText(event.currentTarget, 'tag').trim()
    if (tag) onAdd(tag)
    setOpen(false)
  }
  const trigger = (
    <button type="button" className="chip add">
      <Icon of={Plus} />
      {t`Tag`}
    </button>
  )
  return (
    <Popover trigger={trigger} label={t`Filter by a tag`} open={isOpen} onOpenChange={setOpen}>
      <form className="small-form" onSubmit={submit}>
        <Field label={t`Tag`} name="tag" maxLength={50} autoFocus autoComplete="off" />
        <Button type="submit" look="main">{t`Filter`}</Button>
      </form>
    </Popover>
  )
}
