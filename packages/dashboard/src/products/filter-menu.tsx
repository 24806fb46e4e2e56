import { useLingui } from '@lingui/react/macro'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useBusiness } from '../session/use-business.ts'
import { oneOf } from '../shell/search.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { parseAmount, plainAmount } from './amount.ts'
import { type ProductSearch, STATUSES } from './filters.ts'
import { useShelves } from './queries.ts'
import { STATUS_WORDS } from './words.tsx'

type Props = { search: ProductSearch; onChange: (changes: ProductSearch) => void }

/** All filters in one small form. */
export function FilterMenu({ search, onChange }: Props) {
  const { t, i18n } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { markets } = useBusiness()
  const shelves = useShelves()
  const market = markets.find(({ id }) => id === search.market) ?? markets[0]
  const [chosen = market?.id, setChosen] = useState<string>()
  const currency = markets.find(({ id }) => id === chosen)?.currency ?? 'EUR'
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = (name: string) => formText(event.currentTarget, name).trim()
    const amount = (name: string) => parseAmount(text(name), currency)
    onChange({
      status: oneOf(text('status'), STATUSES),
      categoryId: text('categoryId') || undefined,
      inStock: oneOf(text('inStock'), ['true', 'false']),
      tag: text('tag') || undefined,
      market: chosen === markets[0]?.id ? undefined : chosen,
      priceFrom: amount('priceFrom'),
      priceTo: amount('priceTo'),
    })
    setOpen(false)
  }
  const trigger = (
    <button type="button" className="chip add">
      <Icon of={Plus} />
      {t`Filter`}
    </button>
  )
  const units = (value: number | undefined) => (value === undefined ? undefined : plainAmount(value, currency))
  return (
    <Popover trigger={trigger} label={t`Filter`} open={isOpen} onOpenChange={setOpen}>
      <form className="filters" onSubmit={submit} key={JSON.stringify(search)}>
        <div className="two">
          <Select label={t`Status`} name="status" defaultValue={search.status ?? ''}>
            <option value="">{t`Any`}</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {i18n._(STATUS_WORDS[status])}
              </option>
            ))}
          </Select>
          <Select label={t`Stock`} name="inStock" defaultValue={search.inStock ?? ''}>
            <option value="">{t`Any`}</option>
            <option value="true">{t`In stock`}</option>
            <option value="false">{t`Sold out`}</option>
          </Select>
        </div>
        <Select label={t`Category`} name="categoryId" defaultValue={search.categoryId ?? ''}>
          <option value="">{t`Any`}</option>
          {shelves.map(({ id, name, depth }) => (
            <option key={id} value={id}>
              {'\u2003'.repeat(depth)}
              {name}
            </option>
          ))}
        </Select>
        <Field label={t`Tag`} name="tag" autoComplete="off" defaultValue={search.tag} />
        <Select label={t`Prices in`} value={chosen} onChange={(event) => setChosen(event.target.value)}>
          {markets.map(({ id, name, currency: code }) => (
            <option key={id} value={id}>{`${name}, ${code}`}</option>
          ))}
        </Select>
        <div className="two">
          <Field label={t`At least`} name="priceFrom" inputMode="decimal" defaultValue={units(search.priceFrom)} />
          <Field label={t`At most`} name="priceTo" inputMode="decimal" defaultValue={units(search.priceTo)} />
        </div>
        <Button type="submit" look="main">{t`Apply`}</Button>
      </form>
    </Popover>
  )
}
