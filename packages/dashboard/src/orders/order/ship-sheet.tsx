import { etagOf, type Shipment } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { isSame } from '../../merge/is-same.ts'
import { saveMerged } from '../../merge/save.ts'
import { useMerge } from '../../merge/use-merge.tsx'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SideSheet } from '../../ui/side-sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useIsShown } from '../../ui/use-is-shown.ts'
import type { Failed } from './asked-notices.tsx'
import { PickLine } from './pick-line.tsx'
import { isAsked, type OrderView } from './view.ts'

const CARRIERS = ['DHL', 'UPS', 'FedEx', 'DPD', 'GLS', 'Hermes', 'USPS', 'Royal Mail', 'PostNL', 'La Poste']

type Parcel = {
  lines: Record<string, number>
  carrier: string
  trackingNumber: string
  trackingUrl: string
  notify: boolean
}
/** With the parcel as it was when the first word was typed: what others change meanwhile stays theirs. */
type Draft = { base: Parcel; mine: Parcel }
type Props = {
  view: OrderView
  shipment: Shipment | undefined
  onClose: () => void
  onFailed: (failed: Failed) => void
}

/** Sends all that is left, or a part; or changes a parcel that was entered. */
export function ShipSheet({ view, shipment, onClose, onFailed }: Props) {
  const { t } = useLingui()
  const { order, pieces } = view
  const ask = useAsk()
  const isPressed = useRef(false)
  const [draft, setDraft] = useDraft<Draft>(`parcel:${shipment?.id ?? order.id}`)
  const names = { carrier: t`Carrier`, trackingNumber: t`Tracking number`, trackingUrl: t`Link to follow it` }

  const inParcel = (id: string) => shipment?.lines.find(({ lineId }) => lineId === id)?.quantity ?? 0
  const mostOf = (id: string) => (pieces.get(id)?.leftToShip ?? 0) + inParcel(id)
  const lines = order.lines.filter(({ id }) => mostOf(id) > 0)
  const base: Parcel = shipment
    ? parcelOf(shipment)
    : {
        lines: Object.fromEntries(lines.map(({ id }) => [id, mostOf(id)])),
        carrier: '',
        trackingNumber: '',
        trackingUrl: '',
        notify: true,
      }
  const parcel = draft?.mine ?? base
  const change = (changes: Partial<Parcel>) => {
    const next = { base: draft?.base ?? base, mine: { ...parcel, ...changes } }
    setDraft(isSame(next.base, next.mine) ? undefined : next)
  }
  const sent = lines
    .map(({ id }) => ({ lineId: id, quantity: Math.min(parcel.lines[id] ?? 0, mostOf(id)) }))
    .filter(({ quantity }) => quantity > 0)
  const count = sent.reduce((sum, { quantity }) => sum + quantity, 0)
  const isAll = lines.every(({ id }) => (parcel.lines[id] ?? 0) === mostOf(id))
  const linkProblem =
    parcel.trackingUrl && !/^https?:\/\/\S+$/.test(parcel.trackingUrl) ? t`An address begins with https://` : undefined

  const create = () => {
    if (isPressed.current) return
    isPressed.current = true
    ask({
      operation: 'shipOrder',
      input: {
        path: { id: order.id },
        body: { ...(!isAll && { lines: sent }), ...textsOf(parcel), notify: parcel.notify },
      },
      label: t`Ship ${count} of ${order.number}`,
      about: [order.id],
    }).then(
      () => toast(t`Parcel entered. Pieces in it: ${count}.`),
      (error: unknown) => {
        setDraft(draft)
        onFailed({ error, kept: t`Couldn’t create the shipment. Your changes are still here.` })
      },
    )
    setDraft(undefined) // whoever opens the sheet meanwhile begins anew, not with what is asked already
    onClose()
  }
  const { update, isUpdating, error, sheet } = useUpdate({ view, draft, setDraft, names, onClose })
  const save = () => (shipment ? void update(shipment) : create())
  const isAsking = shipment
    ? view.entries.some(({ input }) => input.path?.shipmentId === shipment.id)
    : isAsked(view, 'shipOrder', 'shipOrders')
  const reason =
    view.reason ??
    (isAsking ? t`Processing…` : undefined) ??
    (isUpdating ? t`Saving…` : undefined) ??
    (view.isKnown ? undefined : t`Its parcels and refunds are not known yet.`) ??
    (count === 0 ? t`Choose what is in the parcel.` : linkProblem) ??
    (shipment && !draft ? t`No changes` : undefined)
  useCommands([
    {
      id: 'ship-ask',
      label: t`Enter this parcel`,
      keys: 'mod+Enter',
      inPalette: false,
      reason,
      run: save,
    },
  ])
  // A parcel that was entered can be changed; a new one would be empty.
  const isOver = lines.length === 0 && !shipment && view.isKnown
  const fields = (
    <>
      <Field
        label={names.carrier}
        list="carriers"
        maxLength={100}
        value={parcel.carrier}
        onChange={(event) => change({ carrier: event.target.value })}
      />
      <datalist id="carriers">
        {CARRIERS.map((carrier) => (
          <option key={carrier} value={carrier} />
        ))}
      </datalist>
      <Field
        label={names.trackingNumber}
        maxLength={100}
        autoComplete="off"
        value={parcel.trackingNumber}
        onChange={(event) => change({ trackingNumber: event.target.value })}
      />
      <Field
        label={names.trackingUrl}
        type="url"
        placeholder="https://"
        maxLength={2_000}
        problem={linkProblem}
        value={parcel.trackingUrl}
        onChange={(event) => change({ trackingUrl: event.target.value })}
      />
      <label className="choice mt-4">
        <input
          type="checkbox"
          className="check"
          checked={parcel.notify}
          onChange={(event) => change({ notify: event.target.checked })}
        />
        <span>
          <Trans>Mail the customer</Trans>
          <br />
          <span className="note">{order.contactEmail ?? t`There is no address to write to.`}</span>
        </span>
      </label>
    </>
  )
  return (
    <SideSheet
      title={shipment ? t`Parcel ${shipment.number}` : t`Ship`}
      onClose={onClose}
      foot={
        !isOver && (
          <>
            <Button look="main" reason={reason} onClick={save}>
              {shipment ? (
                t`Save the parcel`
              ) : isAll && lines.length > 1 ? (
                <Plural value={count} one="Ship all, # piece" other="Ship all, # pieces" />
              ) : (
                <Plural value={count} one="Ship # piece" other="Ship # pieces" />
              )}
            </Button>
            <p className="note">
              {isAsking
                ? t`Processing… You can leave this page.`
                : t`One key for this parcel: pressing twice ships once.`}
            </p>
          </>
        )
      }
    >
      {error !== undefined && <Problem error={error} kept={t`What you typed is kept.`} />}
      {lines.map((line) => (
        <PickLine
          key={line.id}
          name={line.name}
          note={line.sku}
          most={mostOf(line.id)}
          value={parcel.lines[line.id] ?? 0}
          onChange={(value) => change({ lines: { ...parcel.lines, [line.id]: value } })}
        />
      ))}
      {isOver ? <p className="soft">{t`Everything has gone out.`}</p> : fields}
      {sheet}
    </SideSheet>
  )
}

const parcelOf = ({ lines, carrier, trackingNumber, trackingUrl, notified }: Shipment): Parcel => ({
  lines: Object.fromEntries(lines.map(({ lineId, quantity }) => [lineId, quantity])),
  carrier: carrier ?? '',
  trackingNumber: trackingNumber ?? '',
  trackingUrl: trackingUrl ?? '',
  notify: notified,
})

const textsOf = ({ carrier, trackingNumber, trackingUrl }: Omit<Parcel, 'lines' | 'notify'>) => ({
  carrier: carrier.trim() || null,
  trackingNumber: trackingNumber.trim() || null,
  trackingUrl: trackingUrl.trim() || null,
})

/** A parcel, flat: two people who change the number and how many of a line are merged without being asked. */
type Flat = Omit<Parcel, 'lines'> & Record<`line:${string}`, number>

const flatOf = ({ lines, ...rest }: Parcel, ids: readonly string[]): Flat => ({
  ...rest,
  ...(Object.fromEntries(ids.map((id) => [`line:${id}`, lines[id] ?? 0])) as Record<`line:${string}`, number>),
})

/** Only what was changed, so that fields of others stay theirs. Lines are one thing to the service. */
function changesOf(before: Flat, after: Flat, ids: readonly string[]) {
  const texts = textsOf(after)
  const changed = (Object.keys(texts) as (keyof typeof texts)[]).filter((field) => before[field] !== after[field])
  const areLinesChanged = ids.some((id) => before[`line:${id}`] !== after[`line:${id}`])
  const lines = ids.map((id) => ({ lineId: id, quantity: after[`line:${id}`] ?? 0 }))
  return {
    ...Object.fromEntries(changed.map((field) => [field, texts[field]])),
    ...(areLinesChanged && { lines: lines.filter(({ quantity }) => quantity > 0) }),
    ...(before.notify !== after.notify && { notify: after.notify }),
  }
}

type Updating = {
  view: OrderView
  draft: Draft | undefined
  setDraft: (draft: Draft | undefined) => void
  names: Record<'carrier' | 'trackingNumber' | 'trackingUrl', string>
  onClose: () => void
}

/** Saves a parcel that others may have changed since. */
function useUpdate({ view: { order }, draft, setDraft, names, onClose }: Updating) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const latest = useRef(draft)
  latest.current = draft
  const isShown = useIsShown()
  const [error, setError] = useState<unknown>()
  const [isUpdating, setIsUpdating] = useState(false)
  const ids = order.lines.map(({ id }) => id)
  const { decide, sheet } = useMerge<Flat>((field) => {
    if (field === 'notify') return t`Mail the customer`
    if (field in names) return names[field as keyof typeof names]
    return order.lines.find(({ id }) => `line:${id}` === field)?.name ?? field
  })
  const update = async ({ id: shipmentId, number }: Shipment) => {
    if (!draft) return
    const path = { id: order.id, shipmentId }
    let before = flatOf(draft.base, ids)
    setIsUpdating(true)
    setError(undefined)
    try {
      const saved = await saveMerged<Flat, unknown>({
        base: before,
        mine: flatOf(draft.mine, ids),
        etag: undefined, // the list says no versions
        write: async (value, etag) => {
          const body = changesOf(before, value, ids)
          if (Object.keys(body).length === 0) return {} // somebody else has saved the very same
          return ask({
            operation: 'updateShipment',
            input: { path, body },
            label: t`Change parcel ${number} of ${order.number}`,
            about: [order.id],
            ifMatch: etag,
          })
        },
        read: async () => {
          const now = await untilKnown(() =>
            kontor.operations.getShipment({ path: { businessId: business.id, ...path } }),
          )
          before = flatOf(parcelOf(now), ids)
          return { value: before, etag: etagOf(now) }
        },
        decide,
      })
      if (saved === undefined) return
      toast(t`Shipment ${number} updated`)
      const typed = latest.current?.mine
      const isMore = typed !== undefined && !isSame(typed, draft.mine)
      setDraft(isMore ? { base: draft.mine, mine: typed } : undefined)
      if (!isMore && isShown.current) onClose()
    } catch (cause) {
      setError(cause)
    } finally {
      setIsUpdating(false)
    }
  }
  return { update, isUpdating, error, sheet }
}
