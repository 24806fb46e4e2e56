import '../letters.css'
import { useLingui } from '@lingui/react/macro'
import { Fragment, useId } from 'react'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Bones } from '../../ui/bones.tsx'
import { Field } from '../../ui/field.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { useLeaveGuard } from '../../ui/use-draft.ts'
import { useNewsletters } from '../queries.ts'
import type { Newsletter } from '../types.ts'
import { type Addresses, useNames, useSettings } from './use-settings.ts'

const EXAMPLES = {
  productUrl: '/products/{slug}',
  previewUrl: '/journal/{entryId}?preview={token}',
}

/** What letters count, and where the shop shows what they and the entries speak of. */
export function LettersSettingsPage() {
  const { t } = useLingui()
  const { newsletters, isPending, error, retry } = useNewsletters()
  const settings = useSettings(newsletters)
  const guard = useLeaveGuard(settings.changes.length > 0)
  return (
    <div className="letters letters-settings">
      <Head title={t`Letters and shop`} />
      <div className="page">
        <Shop of={settings} />
        <section className="section">
          <div className="section-head">
            <h2>{t`What newsletters count`}</h2>
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
      {settings.sheets.map((sheet, index) => (
        <Fragment key={index === 0 ? 'shop' : 'counting'}>{sheet}</Fragment>
      ))}
    </div>
  )
}

type Settings = ReturnType<typeof useSettings>

/** Where the shop shows a product, and an entry that is not published yet. */
function Shop({ of: settings }: { of: Settings }) {
  const { t } = useLingui()
  const { allowedOrigins = [] } = useBusiness()
  const { reason } = usePermissions()
  const lacks = reason('SETTINGS_WRITE')
  const names = useNames()
  const origin = allowedOrigins[0] ?? 'https://shop.example.com'
  const slug = '{slug}'
  const hints: Record<keyof Addresses, string> = {
    productUrl: t`Products that a letter shows link there. ${slug} stands for the product's own part of the address.`,
    previewUrl: t`“Preview in the shop” of an entry leads there, with a token that opens this one entry for an hour.`,
  }
  const field = (name: keyof Addresses) => {
    const example = `${origin}${EXAMPLES[name]}`
    return (
      <Field
        label={names[name]}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={settings.shop[name]}
        edited={settings.isChanged(name)}
        disabled={lacks !== undefined}
        problem={settings.refusalOf(name)}
        hint={
          <>
            {hints[name]} {t`For example:`} <code>{example}</code>
          </>
        }
        onChange={({ target }) => settings.changeShop(name, target.value)}
      />
    )
  }
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Where the shop shows it`}</h2>
      </div>
      {lacks && <p className="note">{lacks}</p>}
      {allowedOrigins.length === 0 && (
        <Notice tone="wait" title={t`The business has no address of a shop yet.`}>
          {t`Both must begin with one of its allowed origins (allowedOrigins), which are set through the API.`}
        </Notice>
      )}
      {field('productUrl')}
      {field('previewUrl')}
    </section>
  )
}

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
