import type { Product } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ArrowDownToLine, BadgePercent, Plus, Redo2, Trash2, Undo2 } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { columnsOf } from './cells.ts'
import { fieldOf, type Patch, type Row, rowsOf, titleOf, variantOf } from './edits.ts'
import { Generator } from './generator.tsx'
import { Grid } from './grid.tsx'
import type { Live } from './grid-row.tsx'
import { StockLink } from './stock-link.tsx'
import type { EditsOf } from './use-edits.ts'
import { firstPrice, useGrid } from './use-grid.ts'

type Props = { product: Product; edited: EditsOf; live: Live; isNew: boolean }

/** All variants with their prices and their stock, in one grid. */
export function Variants({ product, edited, live, isNew }: Props) {
  const { t } = useLingui()
  const { markets } = useBusiness()
  const { locale } = useFormat()
  const { edits, change, undo, redo } = edited
  const [isWithSales, setWithSales] = useState(() => hasSales(product))
  const [isMaking, setMaking] = useState(false)
  const columns = useMemo(() => columnsOf(markets, isWithSales), [markets, isWithSales])
  // A key that is typed must not go through a thousand variants.
  const rows = useStableRows(useMemo(() => rowsOf(product, edits), [product, edits]))
  const sheet = { product, edits, rows, columns, locale }
  const grid = useGrid({
    sheet,
    onPatch: (patch) => change(patch, true),
    onUndo: undo,
    onRedo: redo,
    onLeft: (count) => toast(t`What was pasted is larger than the grid: ${count} lines or columns were left out.`),
  })
  const { range } = grid
  const picked = rows.slice(range.top, range.bottom + 1)
  const remove = () =>
    change(
      Object.fromEntries(
        picked.flatMap(({ id }) => [
          [fieldOf.variant(id), null],
          ...(variantOf(product, id) ? [] : figuresOf(id, edits)),
        ]),
      ),
      true,
    )
  const section = useRef<HTMLElement>(null)
  const make = (patch: Patch) => {
    change(patch, true)
    // Prices come next: their first cell has the keys.
    grid.select({ row: 0, column: firstPrice(sheet) })
    requestAnimationFrame(() => section.current?.querySelector<HTMLElement>('.cell-input')?.focus())
  }
  useCommands([{ id: 'make-variants', label: t`Make variants`, keys: 'mod+m', icon: Plus, run: () => setMaking(true) }])
  const options = product.options.map(({ name }) => name.toLocaleLowerCase()).join(' × ')
  return (
    <section className="variants" ref={section} aria-labelledby="variants">
      <div className="section-head">
        <h2 id="variants">{t`Variants`}</h2>
        <span className="note hide-phone">
          {options ? (
            <Trans>{options}, prices by market, stock as a difference</Trans>
          ) : (
            <Trans>prices by market, stock as a difference</Trans>
          )}
        </span>
        <span className="end acts">
          <Button
            look="small"
            icon={Undo2}
            only={t`Undo`}
            reason={edited.canUndo ? undefined : t`Nothing was done in the grid.`}
            onClick={undo}
          />
          <Button
            look="small"
            icon={Redo2}
            only={t`Redo`}
            reason={edited.canRedo ? undefined : t`Nothing was taken back.`}
            onClick={redo}
          />
          <Button look="small" icon={ArrowDownToLine} onClick={() => grid.fill(true)}>{t`Fill down`}</Button>
          <Button
            look="small"
            icon={BadgePercent}
            aria-pressed={isWithSales}
            onClick={() => setWithSales(!isWithSales)}
          >{t`Sale prices`}</Button>
          <Button
            look="small"
            icon={Plus}
            aria-expanded={isMaking}
            onClick={() => setMaking(!isMaking)}
          >{t`Variants`}</Button>
        </span>
      </div>
      {isMaking && <Generator rows={rows} onMake={make} onClose={() => setMaking(false)} />}
      {rows.length === 0 ? (
        <p className="soft py-3">
          <Trans>Without a variant nothing can be bought. Add some, or take back what you removed.</Trans>
        </p>
      ) : (
        <Grid sheet={sheet} grid={grid} live={live} label={t`Grid of variants`} />
      )}
      <div className="grid-foot">
        {picked.length > 0 && (
          <p className="picked">
            <b className="strong">
              {picked.length === 1 ? (
                titleOf(picked[0] as Row) || t`The only variant`
              ) : (
                <Plural value={picked.length} one="# variant" other="# variants" />
              )}
            </b>
            {picked.length === 1 && !isNew && !picked[0]?.isNew && (
              <StockLink product={product.id} variant={picked[0]?.id ?? ''} />
            )}
            <Button look="quiet small" icon={Trash2} onClick={remove}>{t`Remove`}</Button>
          </p>
        )}
        <p className="grid-keys note hide-phone">
          <span>
            <kbd>Ctrl D</kbd> <Trans>fill down</Trans>
          </span>
          <span>
            <kbd>Ctrl V</kbd> <Trans>paste from a sheet</Trans>
          </span>
          <span>
            <kbd>+ 5</kbd> <Trans>adds to stock, so a sale in between is kept</Trans>
          </span>
          <span>
            <kbd>Del</kbd> <Trans>not sold there</Trans>
          </span>
        </p>
      </div>
    </section>
  )
}

const hasSales = ({ variants }: Product) =>
  variants.some(({ pricing }) => pricing.markets.some((price) => price.compareAtPrice !== undefined))

/** What was typed for a variant that was never stored goes with it. */
const figuresOf = (id: string, edits: EditsOf['edits']): [string, unknown][] =>
  Object.entries(edits)
    .filter(([field]) => field.split('/')[1] === id && !field.startsWith('variant/'))
    .map(([field, { was }]) => [field, was])

/** The same rows as long as nothing about them changes: prices are no reason to draw them all again. */
function useStableRows(rows: Row[]): readonly Row[] {
  const before = useRef<readonly Row[]>(rows)
  const isSame =
    before.current.length === rows.length &&
    rows.every((row, index) => {
      const old = before.current[index]
      return old?.id === row.id && old.attributes === row.attributes && old.name === row.name && old.isNew === row.isNew
    })
  if (!isSame) before.current = rows
  return before.current
}
