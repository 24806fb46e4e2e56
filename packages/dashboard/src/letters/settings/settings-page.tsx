import '../letters.css'
import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { usePermissions } from '../../session/permissions.ts'
import { Bones } from '../../ui/bones.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { useLeaveGuard } from '../../ui/use-draft.ts'
import { useNewsletters } from '../queries.ts'
import type { Newsletter } from '../types.ts'
import { useNames, useSettings } from './use-settings.ts'

/** What newsletters count. */
export function LettersSettingsPage() {
  const { t } = useLingui()
  const { newsletters, isPending, error, retry } = useNewsletters()
  const settings = useSettings(newsletters)
  const guard = useLeaveGuard(settings.changes.length > 0)
  return (
    <div className="letters letters-settings">
      <Head title={t`Newsletters`} />
      <div className="page">
        <section className="section">
          <div className="section-head">
            <h2>{t`What they count`}</h2>
          </div>
          <p className="note">
            {t`Nothing is counted unless you say so. The foot of each letter then tells readers, and leads to a page where they stop it for themselves. It holds for letters that are sent from now on.`}
          </p>
          {error ? (
            <Problem error={error} onRetry={retry} />
          ) : isPending ? (
            <Bones rows={3} columns={2} bleed={false} />
          ) : newsletters.length === 0 ? (
            <p className="soft">{t`There is no newsletter yet.`}</p>
          ) : (
            newsletters.map((newsletter) => <Counts key={newsletter.id} of={newsletter} settings={settings} />)
          )}
        </section>
      </div>
      <SaveBar
        changes={settings.changes}
        isSaving={settings.isSaving}
        onSave={() => void settings.save()}
        onDiscard={settings.discard}
      />
      <LeaveDialog guard={guard} />
      {settings.sheet}
    </div>
  )
}

type Settings = ReturnType<typeof useSettings>

function Counts({ of: newsletter, settings }: { of: Newsletter; settings: Settings }) {
  const { t } = useLingui()
  const { reason } = usePermissions()
  const lacks = reason('CONTENT_WRITE')
  const names = useNames()
  const id = useId()
  const counts = settings.countsOf(newsletter)
  const about = {
    countClicks: t`Which links are opened, how often and by whom; with it the results of a letter say which orders followed a click.`,
    countOpens: t`By a picture in the letter. Unreliable: mail programs open letters by themselves, and hide it when people do.`,
  }
  return (
    <fieldset className="options counts" disabled={lacks !== undefined}>
      <legend className="label">{newsletter.name}</legend>
      {(['countClicks', 'countOpens'] as const).map((name) => (
        <label key={name} className="choice">
          <input
            type="checkbox"
            className="check"
            checked={counts[name]}
            aria-describedby={`${id}-${name}`}
            onChange={({ target }) => settings.changeCounting(newsletter, name, target.checked)}
          />
          <span>
            {names[name]}
            <span className="note" id={`${id}-${name}`}>
              {about[name]}
            </span>
          </span>
        </label>
      ))}
      {lacks && <p className="note">{lacks}</p>}
    </fieldset>
  )
}
