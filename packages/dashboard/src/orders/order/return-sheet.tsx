import { useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { SideSheet } from '../../ui/side-sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import type { Failed } from './asked-notices.tsx'
import { PickLine } from './pick-line.tsx'
import { Reasons } from './reasons.tsx'
import { isAsked, type OrderView } from './view.ts'

type Draft = { lines: Record<string, number>; reason: string }
type Props = { view: OrderView; onClose: () => void; onFailed: (failed: Failed) => void }

/** Goods come back, whatever becomes of the money. */
export function ReturnSheet({ view, onClose, onFailed }: Props) {
  const { t } = useLingui()
  const { order, pieces } = view
  const ask = useAsk()
  const [kept, setDraft] = useDraft<Draft>(`return:${order.id}`)
  const isPressed = useRef(false)
  const draft = kept ?? { lines: {}, reason: '' }
  const mostOf = (id: string) => pieces.get(id)?.leftToReturn ?? 0
  const lines = order.lines
    .map(({ id }) => ({ lineId: id, quantity: Math.min(draft.lines[id] ?? 0, mostOf(id)) }))
    .filter(({ quantity }) => quantity > 0)
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const save = () => {
    if (isPressed.current) return
    isPressed.current = true
    ask({
      operation: 'returnOrderLines',
      input: { path: { id: order.id }, body: { lines, reason: draft.reason.trim() || null } },
      label: t`Take back ${count} of ${order.number}`,
      about: [order.id],
    }).then(
      ({ lines: back }) => {
        const restocked = back.reduce((sum, line) => sum + line.restocked, 0)
        toast(t`${count} came back, ${restocked} are in stock again.`)
      },
      (error: unknown) => {
        setDraft(draft)
        onFailed({ error, kept: t`Couldn’t return the items. Your selection is still here.` })
      },
    )
    setDraft(undefined) // whoever opens the sheet meanwhile begins anew, not with what is asked already
    onClose()
  }
  const reason =
    view.reason ??
    (isAsked(view, 'returnOrderLines') ? t`Processing…` : undefined) ??
    (count === 0 ? t`Choose what came back.` : undefined)
  useCommands([
    {
      id: 'return-ask',
      label: t`Take these goods back`,
      keys: 'mod+Enter',
      inPalette: false,
      reason,
      run: save,
    },
  ])
  return (
    <SideSheet
      title={t`Take goods back`}
      onClose={onClose}
      foot={
        <>
          <Button look="main" reason={reason} onClick={save}>
            {t`Put ${count} back into stock`}
          </Button>
          <p className="note">{t`No money goes back with it: that is a refund.`}</p>
        </>
      }
    >
      {order.lines.map((line) => (
        <PickLine
          key={line.id}
          name={line.name}
          note={line.sku}
          most={mostOf(line.id)}
          value={Math.min(draft.lines[line.id] ?? 0, mostOf(line.id))}
          onChange={(value) => setDraft({ ...draft, lines: { ...draft.lines, [line.id]: value } })}
        />
      ))}
      <Field
        label={t`Reason`}
        list="reasons"
        maxLength={500}
        value={draft.reason}
        onChange={(event) => setDraft({ ...draft, reason: event.target.value })}
      />
      <Reasons />
    </SideSheet>
  )
}
