import type { Product } from '@kontor/sdk'
import { Plural, useLingui } from '@lingui/react/macro'
import { ArrowLeft, ArrowRight, ImagePlus, Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Popover } from '../../ui/popover.tsx'
import { valueOf } from './edits.ts'
import { isAddress, typeOf } from './picture.ts'
import type { EditsOf } from './use-edits.ts'

type Picture = { id?: string; url: string; mimeType: string }

/** Pictures by their addresses; the first is shown in lists. */
export function Pictures({ product, edited }: { product: Product; edited: EditsOf }) {
  const { t } = useLingui()
  const pictures = valueOf(product, edited.edits, 'gallery') as Picture[]
  const set = (gallery: Picture[]) => edited.change({ gallery })
  const move = (from: number, to: number) =>
    set(pictures.toSpliced(from, 1).toSpliced(to, 0, pictures[from] as Picture))
  const count = pictures.length
  return (
    <section className="section" aria-labelledby="pictures">
      <div className="section-head">
        <h2 id="pictures">{t`Pictures`}</h2>
        <span className="note">
          {count > 0 && <Plural value={count} one="# picture" other="# pictures, the first is shown in lists" />}
        </span>
      </div>
      <ul className="media">
        {pictures.map((picture, index) => (
          <li key={picture.url} className={index === 0 ? 'first' : undefined}>
            <img src={picture.url} alt={t`Picture ${index + 1}`} loading="lazy" />
            <span className="moves">
              <Button
                look="quiet small"
                icon={ArrowLeft}
                only={t`Move picture ${index + 1} forward`}
                reason={index === 0 ? t`It is the first.` : undefined}
                onClick={() => move(index, index - 1)}
              />
              <Button
                look="quiet small"
                icon={ArrowRight}
                only={t`Move picture ${index + 1} back`}
                reason={index === count - 1 ? t`It is the last.` : undefined}
                onClick={() => move(index, index + 1)}
              />
              <Button
                look="quiet small"
                icon={X}
                only={t`Take picture ${index + 1} away`}
                onClick={() => set(pictures.toSpliced(index, 1))}
              />
            </span>
          </li>
        ))}
        <li>
          <Add known={pictures} onAdd={(added) => set([...pictures, ...added])} />
        </li>
      </ul>
    </section>
  )
}

function Add({ known, onAdd }: { known: readonly Picture[]; onAdd: (pictures: Picture[]) => void }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const [problem, setProblem] = useState('')
  useCommands([
    { id: 'add-pictures', label: t`Add pictures`, keys: 'mod+i', icon: ImagePlus, run: () => setOpen(true) },
  ])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const addresses = [...new Set(formText(event.currentTarget, 'addresses').split(/\s+/).filter(Boolean))]
    const wrong = addresses.find((one) => !isAddress(one))
    if (wrong) return setProblem(t`${wrong} is no whole address: it begins with https://.`)
    const added = addresses.filter((url) => !known.some((picture) => picture.url === url))
    if (added.length > 0) onAdd(added.map((url) => ({ url, mimeType: typeOf(url) })))
    setProblem('')
    setOpen(false)
  }
  const trigger = (
    <button type="button" className="drop">
      <Icon of={Plus} />
      {t`Add pictures`}
    </button>
  )
  return (
    <Popover trigger={trigger} label={t`Add pictures`} open={isOpen} onOpenChange={setOpen}>
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
