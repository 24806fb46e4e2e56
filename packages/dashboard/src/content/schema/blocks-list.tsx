import { useLingui } from '@lingui/react/macro'
import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import type { Block, BlockType } from '../queries.ts'
import { useBlockNames } from '../words.tsx'
import { BlockRow } from './block-row.tsx'
import {
  BLOCK_TYPES,
  blocksOf,
  emptyBlock,
  idFrom,
  keyOf,
  moved,
  renamed,
  type SchemaForm,
  withBlock,
  withNew,
  without,
} from './schema.ts'
import { useReorder } from './use-reorder.ts'

type Props = {
  base: SchemaForm
  form: SchemaForm
  changed: readonly string[]
  lacks: string | undefined
  refusalOf: (field: string) => string | undefined
  onChange: (form: SchemaForm) => void
}

/** The fields of the entries in their order: added, moved by keys or by dragging, set, taken out. */
export function BlocksList({ base, form, changed, lacks, refusalOf, onChange }: Props) {
  const { t } = useLingui()
  const types = useBlockNames()
  const [open, setOpen] = useState<string>()
  const [said, setSaid] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const blocks = blocksOf(form)
  const place = (id: string, to: number) => onChange(moved(form, id, to))
  const { dragged, grab } = useReorder({ order: form.order, list, onMove: place })
  const isSaved = (id: string) => base[keyOf(id)] !== undefined

  const add = (type: BlockType) => {
    const id = idFrom(types[type], new Set(form.order))
    onChange(withNew(form, emptyBlock(type, id)))
    setOpen(id)
  }
  const change = (id: string, next: Block) => {
    if (isSaved(id)) return onChange(withBlock(form, next))
    const before = form[keyOf(id)]
    const others = new Set([...form.order, ...base.order].filter((one) => one !== id))
    // The key follows the label for as long as nobody has set it.
    const isOurs = before !== undefined && (!before.label || id === idFrom(before.label, others))
    const follows = isOurs && next.id === id && before.label !== next.label
    const wanted = follows ? idFrom(next.label ?? '', others) : next.id
    const named = { ...next, id: others.has(wanted) ? id : wanted }
    onChange(renamed(form, id, named))
    setOpen(named.id)
  }
  const step = (id: string, name: string, by: number) => {
    const to = form.order.indexOf(id) + by
    if (to < 0 || to >= form.order.length) return
    place(id, to)
    setSaid(t`${name} is at place ${to + 1} of ${form.order.length}.`)
    // The row moves in the page; its grip keeps the focus.
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-block="${CSS.escape(id)}"] .grip`)?.focus(),
    )
  }
  return (
    <section className="section fields" aria-label={t`Fields`}>
      <div className="section-head">
        <h2>{t`Fields`}</h2>
        <span className="note">{t`what an entry of this collection holds, in this order`}</span>
        <span className="end">
          <Menu
            align="end"
            trigger={
              <Button look="small" icon={Plus} reason={lacks}>
                {t`Add a field`}
              </Button>
            }
          >
            {BLOCK_TYPES.map((type) => (
              <MenuItem key={type} reason={lacks} onClick={() => add(type)}>
                {types[type]}
              </MenuItem>
            ))}
          </Menu>
        </span>
      </div>
      {blocks.length === 0 ? (
        <p className="soft">{t`No fields yet: entries of it are empty.`}</p>
      ) : (
        <ul className={`block-list ${dragged === undefined ? '' : 'dragging'}`} ref={list}>
          {blocks.map((block, index) => (
            <BlockRow
              key={isSaved(block.id) ? block.id : `new-${index}`}
              {...{ block, lacks }}
              isSaved={isSaved(block.id)}
              isChanged={changed.includes(block.id)}
              isDragged={dragged === block.id}
              isOpen={open === block.id}
              refusal={refusalOf(`blocks.${index}`)}
              onToggle={() => setOpen(open === block.id ? undefined : block.id)}
              onChange={(next) => change(block.id, next)}
              onRemove={() => onChange(without(form, block.id))}
              onStep={(by) => step(block.id, block.label || block.id, by)}
              onGrab={(event) => grab(event, block.id)}
            />
          ))}
        </ul>
      )}
      <p className="unseen" role="status">
        {said}
      </p>
    </section>
  )
}
