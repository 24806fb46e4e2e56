import '../../orders/new-order/new-order.css'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { query } from '../../api/query.ts'
import { Finder } from '../../orders/new-order/finder.tsx'
import { useShelves } from '../../products/queries.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Condition } from './segment.ts'
import { useProductNames } from './use-names.ts'
import { Within } from './within.tsx'

const MOST_FOUND = 8
const MOST_PRODUCTS = 100

type Props = { of: Condition; onChange: (condition: Condition) => void }

/** Any of some products, or anything of a category and those below it. */
export function BoughtFields({ of: condition, onChange }: Props) {
  const { t } = useLingui()
  const shelves = useShelves()
  const { productIds, categoryId, ...rest } = condition
  const isCategory = categoryId !== undefined
  return (
    <>
      <Select
        label={t`What`}
        value={isCategory ? 'category' : 'products'}
        onChange={(event) => onChange(event.target.value === 'category' ? { ...rest, categoryId: '' } : rest)}
      >
        <option value="products">{t`one of these products`}</option>
        <option value="category">{t`anything of a category`}</option>
      </Select>
      {isCategory ? (
        <Select
          label={t`Category`}
          value={categoryId}
          onChange={(event) => onChange({ ...rest, categoryId: event.target.value })}
        >
          <option value="">{t`Choose one`}</option>
          {shelves.map(({ id, name, depth }) => (
            <option key={id} value={id}>
              {'\u2003'.repeat(depth)}
              {name}
            </option>
          ))}
        </Select>
      ) : null}
      <Within of={condition} onChange={onChange} />
      {!isCategory && <Products chosen={productIds ?? []} onChange={(ids) => onChange({ ...rest, productIds: ids })} />}
    </>
  )
}

function Products({ chosen, onChange }: { chosen: readonly string[]; onChange: (ids: string[]) => void }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const [text, setText] = useState('')
  const typed = useDeferredValue(text.trim())
  const nameOf = useProductNames(chosen)
  const { data, isFetching } = useQuery({
    ...query(businessId, 'listProducts', { query: { query: typed, limit: MOST_FOUND } }),
    enabled: typed.length > 0,
    placeholderData: keepPreviousData,
  })
  const found = typed === '' ? [] : (data?.items ?? []).filter(({ id }) => !chosen.includes(id))
  return (
    <div className="products-of">
      {chosen.length > 0 && (
        <div className="tags">
          {chosen.map((id) => (
            <span key={id} className="tag">
              {nameOf(id)}
              <button
                type="button"
                aria-label={t`Take ${nameOf(id)} out`}
                onClick={() => onChange(chosen.filter((one) => one !== id))}
              >
                <Icon of={X} />
              </button>
            </span>
          ))}
        </div>
      )}
      {chosen.length < MOST_PRODUCTS && (
        <Finder
          label={t`Find a product`}
          placeholder={t`Find a product`}
          text={text}
          onType={setText}
          found={found.map(({ id, name, slug }) => ({ id, label: name, note: slug }))}
          isSearching={isFetching || typed !== text.trim()}
          onChoose={(id) => {
            setText('')
            onChange([...chosen, id])
          }}
        />
      )}
    </div>
  )
}
