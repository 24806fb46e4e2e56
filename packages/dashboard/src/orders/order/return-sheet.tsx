import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SideSheet } from '../../ui/side-sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { PickLine } from './pick-line.tsx'
import { Reasons } from './reasons.tsx'
import type { OrderView } from './view.ts'

type Draft = { lines: Record<string, number>; reason: string }

/** Goods come back, whatever becomes of the money. */
export function ReturnSheet({ view, onClose }: { view: OrderView; onClose: () => void }) {
  const { t } = useLingui()
  const { order, pieces } = view
  const ask = useAsk()
  const [kept, setDraft] = useDraft<Draft>(`return:${order.id}`)
  const [error, setError] = useState<unknown>()
  const [isAsking, setIsAsking] = useState(false)
  const draft = kept ?? { lines: {}, reason: '' }
  const mostOf = (id: string) => pieces.get(id)?.leftToReturn ?? 0
  const lines = order.lines
    .map(({ id }) => ({ lineId: id, quantity: Math.min(draft.lines[id] ?? 0, mostOf(id)) }))
    .filter(({ quantity }) => quantity > 0)
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const save = async () => {
    setIsAsking(true)
    setError(undefined)
    try {
      const body = { lines, reason: draft.reason.trim() || null }
      const { lines: back } = await ask({
        operation: 'returnOrderLines',
        input: { path: { id: order.id }, body },
        label: t`Take back ${count} of ${order.number}`,
        about: [order.id],
      })
      const restocked = back.reduce((sum, line) => sum + line.restocked, 0)
      setDraft(undefined)
      toast(t`${count} came back, ${restocked} are in stock again.`)
      onClose()
    } catch (cause) {
      setError(cause)
    } finally {
      setIsAsking(false)
    }
  }
  const reason =
    view.reason ?? (count === 0 ? t`Choose what came back.` : isAsking ? t`Asked, not yet known.` : undefined)
  useCommands([
    {
      id: 'return-ask',
      label: t`Take these goods back`,
      keys: 'mod+Enter',
      inPalette: false,
      reason,
      run: () => void save(),
    },
  ])
  return (
    <SideSheet
      title={t`Take goods back`}
      onClose={onClose}
      foot={
        <>
          <Button look="main" reason={reason} onClick={() => void save()}>
            {t`Put ${count} back into stock`}
          </Button>
          <p className="note">{t`No money goes back with it: that is a refund.`}</p>
        </>
      }
    >
      {error !== undefined && <Problem error={error} kept={t`What you chose is kept.`} />}
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
