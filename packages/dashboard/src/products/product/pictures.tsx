import type { Product } from '@kontor/sdk'
import { Plural, useLingui } from '@lingui/react/macro'
import { ImagePlus, Link2, Plus } from 'lucide-react'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { type Item, toItem } from '../../media/picture.ts'
import { Strip } from '../../media/strip.tsx'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Popover } from '../../ui/popover.tsx'
import { fieldOf, rowsOf, titleOf, valueOf } from './edits.ts'
import { isAddress, typeOf } from './picture.ts'
import type { EditsOf } from './use-edits.ts'

const Picker = lazy(() => import('../../media/picker.tsx').then(({ Picker }) => ({ default: Picker })))

type Props = { product: Product; edited: EditsOf }

/** Pictures of the product, and of each variant; the first is shown in lists. */
export function Pictures({ product, edited }: Props) {
  const { t } = useLingui()
  const [chosen, setChosen] = useState('')
  const rows = rowsOf(product, edited.edits)
  const variant = rows.find(({ id }) => id === chosen)
  const field = variant ? fieldOf.gallery(variant.id) : 'gallery'
  const pictures = valueOf(product, edited.edits, field) as Item[]
  const set = (gallery: Item[]) => edited.change({ [field]: gallery })
  const add = (added: Item[]) => set([...pictures, ...added])
  const count = pictures.length
  const countOf = (id: string) => (valueOf(product, edited.edits, fieldOf.gallery(id)) as Item[]).length
  return (
    <section className="section" aria-labelledby="pictures">
      <div className="section-head">
        <h2 id="pictures">{t`Pictures`}</h2>
        <span className="note">
          {count > 0 && <Plural value={count} one="# picture" other="# pictures, the first is shown in lists" />}
        </span>
        {rows.length > 1 && (
          <span className="end">
            <select
              className="select pictures-of"
              aria-label={t`Pictures of`}
              value={variant?.id ?? ''}
              onChange={(event) => setChosen(event.target.value)}
            >
              <option value="">{t`Of the product`}</option>
              {rows.map((row) => (
                <option key={row.id} value={row.id}>
                  {titleOf(row)}
                  {countOf(row.id) > 0 && ` (${countOf(row.id)})`}
                </option>
              ))}
            </select>
          </span>
        )}
      </div>
      <Strip label={t`Pictures`} items={pictures} onChange={set}>
        <Add known={pictures} onAdd={add} />
      </Strip>
    </section>
  )
}

function Add({ known, onAdd }: { known: readonly Item[]; onAdd: (pictures: Item[]) => void }) {
  const { t } = useLingui()
  const [isPicking, setPicking] = useState(false)
  const [isTyping, setTyping] = useState(false)
  useCommands([
    { id: 'pick-pictures', label: t`Add pictures`, keys: 'mod+o', icon: ImagePlus, run: () => setPicking(true) },
    {
      id: 'add-pictures',
      label: t`Add pictures by address`,
      keys: 'mod+i',
      icon: Link2,
      run: () => setTyping(true),
    },
  ])
  return (
    <>
      <button type="button" className="drop" onClick={() => setPicking(true)}>
        <Icon of={Plus} />
        {t`Add pictures`}
      </button>
      <ByAddress known={known} isOpen={isTyping} onOpen={setTyping} onAdd={onAdd} />
      {isPicking && (
        <Suspense>
          <Picker
            title={t`Add pictures`}
            isMany
            taken={known.flatMap(({ mediaId }) => mediaId ?? [])}
            onClose={() => setPicking(false)}
            onPick={(files) => {
              onAdd(files.map(toItem))
              setPicking(false)
            }}
          />
        </Suspense>
      )}
    </>
  )
}

type ByAddressProps = {
  known: readonly Item[]
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  onAdd: (pictures: Item[]) => void
}

function ByAddress({ known, isOpen, onOpen, onAdd }: ByAddressProps) {
  const { t } = useLingui()
  const [problem, setProblem] = useState('')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const addresses = [...new Set(formText(event.currentTarget, 'addresses').split(/\s+/).filter(Boolean))]
    const wrong = addresses.find((one) => !isAddress(one))
    if (wrong) return setProblem(t`${wrong} is no whole address: it begins with https://.`)
    const added = addresses.filter((url) => !known.some((picture) => picture.url === url))
    if (added.length > 0) onAdd(added.map((url) => ({ url, mimeType: typeOf(url) })))
    setProblem('')
    onOpen(false)
  }
  const trigger = <Button look="quiet small" icon={Link2}>{t`By address`}</Button>
  return (
    <Popover trigger={trigger} label={t`Add pictures by address`} open={isOpen} onOpenChange={onOpen}>
      <form
        className="small-form"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
        }}
      >
        <TextField
          label={t`Addresses, one a line`}
          name="addresses"
          rows={4}
          autoFocus
          required
          placeholder="https://…"
          problem={problem}
        />
        <Button type="submit" look="main">{t`Add`}</Button>
      </form>
    </Popover>
  )
}
