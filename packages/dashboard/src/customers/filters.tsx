import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Plus, Search } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'

const route = getRouteApi('/signed-in/$business/customers')
const TYPING_MS = 250

/** Words, tags, and how many that makes. */
export function Filters({ shown, hasMore }: { shown: number; hasMore: boolean }) {
  const { t } = useLingui()
  const { tag = [] } = route.useSearch()
  const navigate = route.useNavigate()
  const setTags = (tags: string[]) =>
    void navigate({ search: (before) => ({ ...before, tag: tags.length > 0 ? tags : undefined }) })
  return (
    <div className="tools">
      <Find />
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

function Find() {
  const { t } = useLingui()
  const { query = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(query)
  useCommands([{ id: 'find-customers', label: t`Find customers`, keys: '/', run: () => input.current?.focus() }])
  useEffect(() => setTyped(query), [query])
  useEffect(() => {
    if (typed === query) return
    const search = typed.trim() || undefined
    const timer = setTimeout(
      () => void navigate({ search: (before) => ({ ...before, query: search }), replace: true }),
      TYPING_MS,
    )
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div className="search">
      <Icon of={Search} />
      <input
        ref={input}
        className="input"
        type="search"
        maxLength={200}
        aria-label={t`Find customers`}
        placeholder={t`Name or email`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
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
