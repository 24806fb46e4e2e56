import './seen-as.css'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Eye, Undo2 } from 'lucide-react'
import { seeAs, useSeenAs } from '../session/see-as.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useCommands } from './commands.ts'

/** On top of every page while somebody looks through a role: what they see, and the way back. */
export function SeenAsBar() {
  const { t } = useLingui()
  const seen = useSeenAs()
  const business = addressOf(useBusiness())
  const navigate = useNavigate()
  const end = () => {
    if (!seen) return
    seeAs(undefined)
    void navigate({ to: '/$business/settings/roles/$role', params: { business, role: seen.roleId } })
  }
  useCommands([{ id: 'see-as-myself', label: t`Back to yourself`, icon: Undo2, run: end }])
  if (!seen) return null
  return (
    <section className="seen-as" aria-label={t`Seen as a role`}>
      <Icon of={Eye} />
      <p>
        <b>
          <Trans>You see this as {seen.name}.</Trans>
        </b>{' '}
        <Trans>Nothing can be changed meanwhile.</Trans>
      </p>
      <Button look="small" icon={Undo2} onClick={end}>{t`Back to yourself`}</Button>
    </section>
  )
}
