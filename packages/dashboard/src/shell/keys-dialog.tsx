import { useLingui } from '@lingui/react/macro'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useAllCommands } from './commands.ts'
import { Keys } from './keys.tsx'

/** `?`: what can be done by key, here. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const commands = useAllCommands()
  return (
    <Dialog open onClose={onClose} title={t`Keys`}>
      <dl className="keys">
        {commands
          .filter(({ keys }) => keys)
          .map(({ id, keys = '', label }) => (
            <div key={id} className="contents">
              <dt className="flex gap-1">
                <Keys keys={keys} />
              </dt>
              <dd>{label}</dd>
            </div>
          ))}
      </dl>
      <div className="acts">
        <Button onClick={onClose}>{t`Close`}</Button>
      </div>
    </Dialog>
  )
}
