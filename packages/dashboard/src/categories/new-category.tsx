import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { useAsk } from '../outbox/use-outbox.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { belowOf, MAX_DEPTH, rowsOf, type Tree } from './tree.ts'

const STEP = 10
const NONE: ReadonlySet<string> = new Set()

type Props = { tree: Tree; below: string | undefined; onClose: (made?: string) => void }

/** A name and a place are enough; the rest is on its page. */
export function NewCategory({ tree, below, onClose }: Props) {
  const { t } = useLingui()
  const ask = useAsk()
  const [name, setName] = useState('')
  const [parentId, setParentId] = useState(below ?? '')
  const [isSent, setIsSent] = useState(false)
  const [error, setError] = useState<unknown>()
  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '' || isSent) return
    setIsSent(true)
    setError(undefined)
    const last = belowOf(tree, parentId || null).at(-1)
    const body = { name: name.trim(), parentId: parentId || null, position: last ? last.position + STEP : 0 }
    try {
      const made = await ask({ operation: 'createCategory', input: { body }, label: t`New category ${name.trim()}` })
      toast(t`${made.name} created`)
      onClose(made.id)
    } catch (cause) {
      setError(cause)
      setIsSent(false)
    }
  }
  const rows = rowsOf(tree, NONE).filter(({ level }) => level < MAX_DEPTH)
  return (
    <Dialog open onClose={onClose} title={t`New category`}>
      <form className="stacked" onSubmit={(event) => void create(event)}>
        {error !== undefined && (
          <Problem error={error} kept={t`Couldn’t create the category. Your changes are still here.`} />
        )}
        <Field
          label={t`Name`}
          maxLength={200}
          autoFocus
          autoComplete="off"
          value={name}
          hint={t`Its address is made from the name; both can be changed on its page.`}
          onChange={(event) => setName(event.target.value)}
        />
        <Select label={t`In`} value={parentId} onChange={(event) => setParentId(event.target.value)}>
          <option value="">{t`The top level`}</option>
          {rows.map(({ node, level }) => (
            <option key={node.id} value={node.id}>
              {`${'\u2003'.repeat(level - 1)}${node.name}`}
            </option>
          ))}
        </Select>
        <div className="acts">
          <Button look="quiet" onClick={() => onClose()}>{t`Cancel`}</Button>
          <Button
            type="submit"
            look="main"
            reason={isSent ? t`Processing…` : name.trim() === '' ? t`Enter a name.` : undefined}
          >{t`Create`}</Button>
        </div>
      </form>
    </Dialog>
  )
}
