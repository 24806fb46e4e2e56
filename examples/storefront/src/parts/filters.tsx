import type { ValueFacet } from '@kontor/sdk'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { titleOf } from '../state/catalog.ts'
import type { Market } from '../state/kontor.ts'
import { chipsOf, clear, type Facets, type Filter, SORTS, set, toggle, unitOf } from '../state/listing.ts'
import { Icon } from './icons.tsx'

type FiltersProps = {
  filter: Filter
  facets: Facets | undefined
  market: Market | undefined
  /** How many things fit, in words. */
  counted: string
}

const WIDE = window.matchMedia('(min-width: 60rem)')

function useWide(): boolean {
  const [isWide, setWide] = useState(WIDE.matches)
  useEffect(() => {
    const look = () => setWide(WIDE.matches)
    WIDE.addEventListener('change', look)
    return () => WIDE.removeEventListener('change', look)
  }, [])
  return isWide
}

/** Beside the list; where there is no room for that, in a sheet that a button opens. */
export function Filters(props: FiltersProps) {
  const isWide = useWide()
  if (!isWide) return <Sheet {...props} />
  return (
    <aside class="filters" aria-label="Filters">
      <Panel {...props} />
    </aside>
  )
}

function Sheet(props: FiltersProps) {
  const { filter, market, counted } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const active = market ? chipsOf(filter, market.currency).length : 0
  const close = () => dialog.current?.close()
  return (
    <>
      <button class="button quiet filter-button" type="button" onClick={() => dialog.current?.showModal()}>
        <Icon name="sliders" />
        Filter
        {active > 0 && <span class="filter-count">{active}</span>}
      </button>
      {/* A press beside the sheet is one on the dialog itself. */}
      <dialog
        class="sheet"
        ref={dialog}
        aria-label="Filters"
        onClick={({ target, currentTarget }) => target === currentTarget && close()}
      >
        <div class="sheet-head">
          <h2>Filters</h2>
          <button class="tool" type="button" aria-label="Close the filters" onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <div class="sheet-body">
          <Panel {...props} />
        </div>
        <div class="sheet-foot">
          {active > 0 && (
            <button class="button quiet" type="button" onClick={clear}>
              Clear
            </button>
          )}
          <button class="button" type="button" onClick={close}>
            {counted.trim() ? `Show ${counted.toLowerCase()}` : 'Done'}
          </button>
        </div>
      </dialog>
    </>
  )
}

function Panel({ filter, facets, market }: FiltersProps) {
  if (!facets || !market) {
    return (
      <div class="filter-group" aria-hidden="true">
        <span class="bar" />
        <span class="bar short" />
        <span class="bar short" />
      </div>
    )
  }
  const chosen = (name: 'attribute.Colour' | 'attribute.Size') => [filter[name] ?? []].flat()
  return (
    <>
      <Values
        name="attribute.Colour"
        title="Colour"
        facet={facets['attribute.Colour']}
        chosen={chosen('attribute.Colour')}
      />
      <Values name="attribute.Size" title="Size" facet={facets['attribute.Size']} chosen={chosen('attribute.Size')} />
      <Prices key={market.id} filter={filter} facet={facets.price} currency={market.currency} />
      <Values name="tag" title="More about it" facet={facets.tag} chosen={filter.tag ? [filter.tag] : []} isSingle />
      <Group title="Availability">
        <Choice
          label="In stock only"
          isChosen={filter.inStock !== undefined}
          onChoose={() => toggle('inStock', 'true')}
        />
      </Group>
    </>
  )
}

const Group = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <fieldset class="filter-group">
    <legend>{title}</legend>
    {children}
  </fieldset>
)

type ValuesProps = { name: string; title: string; facet: ValueFacet; chosen: readonly string[]; isSingle?: boolean }

const FEW = 7

/** What can be chosen and how often it is there. What is chosen stays to be seen, even if nothing has it any more. */
function Values({ name, title, facet, chosen, isSingle = false }: ValuesProps) {
  const [isOpen, setOpen] = useState(false)
  const gone = chosen.filter((value) => !facet.values.some((other) => other.value === value))
  const all = [...facet.values, ...gone.map((value) => ({ value, count: 0 }))]
  if (all.length === 0) return null
  const shown = isOpen ? all : all.filter(({ value }, index) => index < FEW || chosen.includes(value))
  return (
    <Group title={title}>
      {shown.map(({ value, count }) => (
        <Choice
          key={value}
          label={titleOf(value)}
          count={count}
          isChosen={chosen.includes(value)}
          onChoose={() => (isSingle ? set(name, chosen.includes(value) ? '' : value) : toggle(name, value))}
        />
      ))}
      {all.length > FEW && (
        <button class="link" type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer' : `All ${all.length}`}
          <span class="unseen"> of {title}</span>
        </button>
      )}
    </Group>
  )
}

type ChoiceProps = { label: string; count?: number; isChosen: boolean; onChoose: () => void }

const Choice = ({ label, count, isChosen, onChoose }: ChoiceProps) => (
  <label class="tick">
    <input type="checkbox" checked={isChosen} onChange={onChoose} />
    <span>{label}</span>
    {count !== undefined && <small>{count}</small>}
  </label>
)

type PricesProps = { filter: Filter; facet: Facets['price']; currency: string }

/** Typed in whole units of the currency; the address has the minor ones, as the service does. */
function Prices({ filter: { priceFrom, priceTo }, facet: { min, max }, currency }: PricesProps) {
  const unit = unitOf(currency)
  if (min === null && priceFrom === undefined && priceTo === undefined) return null
  const least = min === null ? '' : String(Math.floor(min / unit))
  const most = max === null ? '' : String(Math.ceil(max / unit))
  return (
    <Group title={`Price in ${currency}`}>
      <div class="price-fields">
        <PriceField label="From" name="priceFrom" amount={priceFrom} unit={unit} hint={least} />
        <PriceField label="To" name="priceTo" amount={priceTo} unit={unit} hint={most} />
      </div>
    </Group>
  )
}

type PriceFieldProps = { label: string; name: string; amount: number | undefined; unit: number; hint: string }

function PriceField({ label, name, amount, unit, hint }: PriceFieldProps) {
  const id = useId()
  const shown = amount === undefined ? '' : String(amount / unit)
  const [typed, setTyped] = useState(shown)
  useEffect(() => setTyped(shown), [shown])
  return (
    <div class="price-field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        inputMode="decimal"
        min={0}
        step="any"
        placeholder={hint}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={() => set(name, typed && String(Math.round(Math.abs(Number(typed)) * unit)))}
      />
    </div>
  )
}

/** What is filtered by; each can be taken away. */
export function ActiveFilters({ filter, market }: { filter: Filter; market: Market | undefined }) {
  const chips = market ? chipsOf(filter, market.currency) : []
  if (chips.length === 0) return null
  return (
    <ul class="active" aria-label="Active filters">
      {chips.map(({ name, value, text }) => (
        <li key={name + value}>
          <button type="button" onClick={() => toggle(name, value)}>
            <span class="unseen">Remove </span>
            {text}
            <Icon name="close" />
          </button>
        </li>
      ))}
      <li>
        <button class="link" type="button" onClick={clear}>
          Clear all
        </button>
      </li>
    </ul>
  )
}

export const SortChoice = ({ filter }: { filter: Filter }) => (
  <label class="sort">
    <span>Sort</span>
    <select value={filter.sort ?? ''} onChange={({ currentTarget }) => set('sort', currentTarget.value)}>
      {Object.entries(SORTS).map(([value, text]) => (
        <option key={value} value={value}>
          {value === '' && filter.query ? 'Best match first' : text}
        </option>
      ))}
    </select>
  </label>
)
