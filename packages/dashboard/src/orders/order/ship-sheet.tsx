import { etagOf, type Shipment } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { saveMerged } from '../../merge/save.ts'
import { useMerge } from '../../merge/use-merge.tsx'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SideSheet } from '../../ui/side-sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { PickLine } from './pick-line.tsx'
import type { OrderView } from './view.ts'

const CARRIERS = ['DHL', 'UPS', 'FedEx', 'DPD', 'GLS', 'Hermes', 'USPS', 'Royal Mail', 'PostNL', 'La Poste']

type Parcel = {
  lines: Record<string, number>
  carrier: string
  trackingNumber: string
  trackingUrl: string
  notify: boolean
}
/** What others may change meanwhile, field by field. */
type Texts = Pick<Parcel, 'carrier' | 'trackingNumber' | 'trackingUrl'>
type Props = { view: OrderView; shipment: Shipment | undefined; onClose: () => void }

const textsOf = ({ carrier, trackingNumber, trackingUrl }: Shipment): Texts => ({
  carrier: carrier ?? '',
  trackingNumber: trackingNumber ?? '',
  trackingUrl: trackingUrl ?? '',
})

/** Sends all that is left, or a part; or changes a parcel that was entered. */
export function ShipSheet({ view, shipment, onClose }: Props) {
  const { t } = useLingui()
  const { order, pieces } = view
  const business = useBusiness()
  const ask = useAsk()
  const [draft, setDraft] = useDraft<Parcel>(`ship:${shipment?.id ?? order.id}`)
  const [error, setError] = useState<unknown>()
  const [isAsking, setIsAsking] = useState(false)
  const names = { carrier: t`Carrier`, trackingNumber: t`Tracking number`, trackingUrl: t`Link to follow it` }
  const { decide, sheet } = useMerge<Texts>((field) => names[field])

  const inParcel = (id: string) => shipment?.lines.find(({ lineId }) => lineId === id)?.quantity ?? 0
  const mostOf = (id: string) => (pieces.get(id)?.leftToShip ?? 0) + inParcel(id)
  const lines = order.lines.filter(({ id }) => mostOf(id) > 0)
  const base: Parcel = {
    lines: Object.fromEntries(lines.map(({ id }) => [id, shipment ? inParcel(id) : mostOf(id)])),
    carrier: '',
    trackingNumber: '',
    trackingUrl: '',
    notify: shipment ? shipment.notified : true,
    ...(shipment && textsOf(shipment)),
  }
  const parcel = draft ?? base
  const change = (changes: Partial<Parcel>) => setDraft({ ...parcel, ...changes })
  const sent = lines
    .map(({ id }) => ({ lineId: id, quantity: Math.min(parcel.lines[id] ?? 0, mostOf(id)) }))
    .filter(({ quantity }) => quantity > 0)
  const count = sent.reduce((sum, { quantity }) => sum + quantity, 0)
  const isAll = lines.every(({ id }) => (parcel.lines[id] ?? 0) === mostOf(id))
  const linkProblem =
    parcel.trackingUrl && !/^https?:\/\/\S+$/.test(parcel.trackingUrl) ? t`An address begins with https://` : undefined

  const texts = (of: Texts) => ({
    carrier: of.carrier.trim() || null,
    trackingNumber: of.trackingNumber.trim() || null,
    trackingUrl: of.trackingUrl.trim() || null,
  })
  const create = () =>
    ask({
      operation: 'shipOrder',
      input: {
        path: { id: order.id },
        body: { ...(!isAll && { lines: sent }), ...texts(parcel), notify: parcel.notify },
      },
      label: t`Ship ${count} of ${order.number}`,
      about: [order.id],
    })
  const update = (of: Shipment) => {
    const path = { id: order.id, shipmentId: of.id }
    const read = async () => {
      const now = await kontor.operations.getShipment({ path: { businessId: business.id, ...path } })
      return { value: textsOf(now), etag: etagOf(now) }
    }
    const body = { lines: sent, notify: parcel.notify }
    return saveMerged<Texts, unknown>({
      base: textsOf(of),
      mine: { carrier: parcel.carrier, trackingNumber: parcel.trackingNumber, trackingUrl: parcel.trackingUrl },
      etag: '"opened"', // the list says no versions: what is there now is compared first
      write: async (value, etag) =>
        ask({
          operation: 'updateShipment',
          input: { path, body: { ...body, ...texts(value) } },
          label: t`Change parcel ${of.number} of ${order.number}`,
          about: [order.id],
          ifMatch: etag,
        }),
      read,
      decide,
    })
  }
  const save = async () => {
    setIsAsking(true)
    setError(undefined)
    try {
      const saved = shipment ? await update(shipment) : await create()
      if (saved === undefined) return
      setDraft(undefined)
      toast(shipment ? t`Parcel ${shipment.number} is changed.` : t`Parcel entered. Pieces in it: ${count}.`)
      onClose()
    } catch (cause) {
      setError(cause)
    } finally {
      setIsAsking(false)
    }
  }
  const reason =
    view.reason ??
    (count === 0 ? t`Choose what is in the parcel.` : linkProblem) ??
    (isAsking ? t`Asked, not yet known.` : undefined)
  useCommands([
    {
      id: 'ship-ask',
      label: t`Enter this parcel`,
      keys: 'mod+Enter',
      inPalette: false,
      reason,
      run: () => void save(),
    },
  ])
  return (
    <SideSheet
      title={shipment ? t`Parcel ${shipment.number}` : t`Ship`}
      onClose={onClose}
      foot={
        <>
          <Button look="main" reason={reason} onClick={() => void save()}>
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
              ? t`Asked, not yet known. You may leave this page.`
              : t`One key for this parcel: pressing twice ships once.`}
          </p>
        </>
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
      {lines.length === 0 && <p className="soft">{t`Everything has gone out.`}</p>}
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
      {sheet}
    </SideSheet>
  )
}
