import { Toast as Base } from '@base-ui/react/toast'
import { Dot, type Fill } from './status.tsx'

type Data = { fill: Fill }
const manager = Base.createToastManager<Data>()

type Options = { fill?: Fill; action?: { label: string; run: () => void } }

/** Says what has just happened. `unknown` for what was asked and is not yet known. */
export function toast(text: string, { fill = 'full', action }: Options = {}): void {
  const actionProps = action && { children: action.label, onClick: action.run }
  manager.add({
    description: text,
    data: { fill },
    timeout: action ? 10_000 : 5_000,
    ...(actionProps && { actionProps }),
  })
}

export const Toasts = () => (
  <Base.Provider toastManager={manager} limit={3}>
    <Base.Portal>
      <Base.Viewport className="toasts">
        <List />
      </Base.Viewport>
    </Base.Portal>
  </Base.Provider>
)

const List = () =>
  Base.useToastManager<Data>().toasts.map((one) => (
    <Base.Root key={one.id} toast={one} className="toast">
      <Dot fill={one.data?.fill ?? 'full'} />
      <Base.Description render={<span />} />
      {one.actionProps && <Base.Action />}
    </Base.Root>
  ))
