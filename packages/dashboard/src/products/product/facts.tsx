import type { Product } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMemo } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { Select } from '../../ui/field.tsx'
import { Status } from '../../ui/status.tsx'
import { TagField } from '../../ui/tag-field.tsx'
import { When } from '../../ui/time.tsx'
import { type ProductStatus, STATUSES } from '../filters.ts'
import { useShelves } from '../queries.ts'
import { STATUS_WORDS } from '../words.tsx'
import { type Buyable, buyableIn } from './buyable.ts'
import { type Edits, isUnsaved, type Row, titleOf, valueOf } from './edits.ts'
import type { EditsOf } from './use-edits.ts'

type Props = { product: Product; edited: EditsOf; settled: Edits; isNew: boolean }

/** Whether it can be bought and why not, and where it belongs. `settled`: the edits a moment later, so that keys do not wait. */
export function Facts({ product, edited, settled, isNew }: Props) {
  const { t, i18n } = useLingui()
  const { edits, change } = edited
  const text = (field: string) => valueOf(product, edits, field) as string
  const isEdited = (field: string) => field in edits && !isNew
  const taxClasses = useTaxClasses(text('taxClass'))
  return (
    <aside className="facts" aria-label={t`Facts`}>
      <CanBeBought product={product} edits={settled} />
      <section>
        <h2>{t`Where it belongs`}</h2>
        <div className="grid-fields">
          <Select
            label={t`Status`}
            edited={isEdited('status')}
            value={text('status')}
            onChange={(event) => change({ status: event.target.value })}
          >
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {i18n._(STATUS_WORDS[status])}
              </option>
            ))}
          </Select>
          <CategorySelect
            value={text('category')}
            isEdited={isEdited('category')}
            onChange={(category) => change({ category })}
          />
          <Select
            label={t`Tax class`}
            edited={isEdited('taxClass')}
            value={text('taxClass')}
            onChange={(event) => change({ taxClass: event.target.value })}
          >
            {taxClasses.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
          <TagField value={valueOf(product, edits, 'tags') as string[]} onChange={(tags) => change({ tags })} />
        </div>
      </section>
      {!isNew && (
        <section>
          <h2>{t`Since when`}</h2>
          <dl className="pairs">
            <dt>{t`Added`}</dt>
            <dd>
              <When at={product.createdAt} />
            </dd>
            <dt>{t`Changed`}</dt>
            <dd>
              <When at={product.updatedAt} />
            </dd>
          </dl>
        </section>
      )}
    </aside>
  )
}

/** Those of the markets' rates, and what this product has. */
function useTaxClasses(current: string): string[] {
  const { markets } = useBusiness()
  const known = markets.flatMap(({ taxRates }) => (taxRates ?? []).map(({ taxClass }) => taxClass))
  return [...new Set(['standard', ...known, current].filter(Boolean))]
}

type CategoryProps = { value: string; isEdited: boolean; onChange: (slug: string) => void }

function CategorySelect({ value, isEdited, onChange }: CategoryProps) {
  const { t } = useLingui()
  const shelves = useShelves()
  const isKnown = value === '' || shelves.some(({ slug }) => slug === value)
  return (
    <Select label={t`Category`} edited={isEdited} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{t`None`}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {shelves.map(({ id, name, slug, depth }) => (
        <option key={id} value={slug}>
          {'\u2003'.repeat(depth)}
          {name}
        </option>
      ))}
    </Select>
  )
}

const NONE: Edits = {}

function CanBeBought({ product, edits }: { product: Product; edits: Edits }) {
  const { t } = useLingui()
  const { markets } = useBusiness()
  const status = valueOf(product, edits, 'status') as ProductStatus
  const now = useMemo(() => markets.map(({ id }) => buyableIn(product, NONE, id).count), [product, markets])
  const found = useMemo(
    () => markets.map(({ id, name }) => ({ id, name, saved: buyableIn(product, edits, id) })),
    [product, edits, markets],
  )
  const empty = [...new Map(found.flatMap(({ saved }) => saved.empty.map((row) => [row.id, row]))).values()]
  const gained = Math.max(0, ...found.map(({ saved }, index) => saved.count - (now[index] ?? 0)))
  return (
    <section>
      <h2>{t`Can it be bought?`}</h2>
      <dl className="pairs">
        {found.map(({ id, name, saved }) => (
          <InMarket key={id} name={name} buyable={saved} isOnSale={status === 'ACTIVE'} />
        ))}
      </dl>
      {status !== 'ACTIVE' && (
        <p className="note mt-2">
          {status === 'DRAFT'
            ? t`It is a draft: nobody sees it until it is on sale.`
            : t`It is archived: nobody sees it.`}
        </p>
      )}
      {empty.length > 0 && (
        <p className="note mt-2">
          <Trans>Sold out: {namesOf(empty)}.</Trans>
        </p>
      )}
      {found.map(
        ({ id, name, saved }) =>
          saved.unpriced.length > 0 && (
            <p className="note mt-2" key={id}>
              {saved.unpriced.length === saved.total
                ? t`Not sold in ${name}: there are no prices.`
                : t`Not sold in ${name}: ${namesOf(saved.unpriced)}.`}
            </p>
          ),
      )}
      {gained > 0 && !isUnsaved(product) && (
        <p className="note mt-2 wait-text">{t`With what you have not saved yet.`}</p>
      )}
    </section>
  )
}

const MOST_NAMED = 3

const namesOf = (rows: readonly Row[]) => {
  const names = rows.slice(0, MOST_NAMED).map((row) => titleOf(row) || '–')
  return rows.length > MOST_NAMED ? `${names.join('; ')} + ${rows.length - MOST_NAMED}` : names.join('; ')
}

function InMarket({ name, buyable, isOnSale }: { name: string; buyable: Buyable; isOnSale: boolean }) {
  const { t } = useLingui()
  const { count, total } = buyable
  const isAll = count === total && total > 0
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {!isOnSale || count === 0 ? (
          <Status fill={count === 0 ? 'off' : 'ring'}>
            {count === 0 ? t`No` : t`${count} of ${total}, once on sale`}
          </Status>
        ) : (
          <Status fill={isAll ? 'full' : 'half'} tone={isAll ? 'good' : 'wait'}>{t`${count} of ${total}`}</Status>
        )}
      </dd>
    </>
  )
}
